import { reportOnce, usdText, type Judge } from './judge.js';
import { databaseNow } from './database-now.js';

/**
 * Compares the operator's cost of the last hour that no caller is charged for with the alarm's limit. Reports once in a
 * clock hour.
 */
export const judgeOperatorCost: Judge<'operator_cost'> = async (judged) => {
  const { manager, alarm, rule, aheadMs } = judged;
  const [{ cost, hour } = { cost: '0', hour: '' }] = await manager.query<{ cost: string; hour: string }[]>(
    `SELECT coalesce(sum(g.operator_cost), 0) AS cost, extract(epoch FROM date_trunc('hour', ${databaseNow('$2')}))::bigint::text AS hour
     FROM generations g
     WHERE g.account_id = $1 AND g.operator_cost <> 0 AND g.held_at > ${databaseNow('$2')} - interval '1 hour'`,
    [alarm.accountId, aheadMs],
  );
  const { usd_per_hour: most } = rule;
  if (Number(cost) < most) return [];
  const message = `The operator has paid ${usdText(cost)} within the last hour that no caller is charged for, of ${usdText(most)} at most.`;
  const data = { message, usd_last_hour: Number(cost), usd_per_hour: most };
  return reportOnce(judged, [{ subject: 'account', data }], `hour:${hour}`);
};
