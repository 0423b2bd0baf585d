import { reportEpisodes, usdText, type Judge } from './judge.js';
import { databaseNow } from './database-now.js';

/** A balance that rose by this factor above its threshold is reported again when it falls. Chosen. */
const CLEAR_RISE = 1.1;
const SUBJECT = 'account';

/** Compares the balance of the account with the alarm's limit. An account without a limit has no balance. */
export const judgeBalance: Judge<'balance'> = async (judged) => {
  const { manager, alarm, rule } = judged;
  const [account] = await manager.query<{ left: string | null }[]>(
    `SELECT "limit" - used AS left FROM spending_windows
     WHERE account_id = $1 AND scope = 'account' AND scope_id = $1::uuid::text AND interval = 'lifetime'
       AND window_start = window_start_of('lifetime', ${databaseNow('0')})`,
    [alarm.accountId],
  );
  const left = account?.left ?? null;
  if (left === null) return reportEpisodes(judged, []);
  const { below_usd: below } = rule;
  if (Number(left) >= below) return reportEpisodes(judged, [], Number(left) < below * CLEAR_RISE ? [SUBJECT] : []);
  const message = `The balance of the account is below ${usdText(below)}: ${usdText(left)} are left.`;
  return reportEpisodes(judged, [{ subject: SUBJECT, data: { message, below_usd: below, balance_usd: Number(left) } }]);
};
