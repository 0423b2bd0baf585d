import { HOUR_MS, MINUTE_MS } from '../core/time.js';
import { reportEpisodes, type Finding, type Judge } from './judge.js';
import { listObservations } from './replica-observations.js';

/** An outage holds while a replica has seen it within this time; each looks several times meanwhile. */
const OUTAGE_MS = MINUTE_MS;
/** An outage is over when no replica has seen it for this time. */
const OUTAGE_OVER_MS = 5 * MINUTE_MS;
/** A refusal of the operator's credential holds for this time: only replicas that use the credential see it. */
const REFUSAL_MS = 10 * MINUTE_MS;
const REFUSAL_OVER_MS = HOUR_MS;

/** Providers with endpoints that fail, as any replica sees them. */
export const judgeOutages: Judge<'outage'> = async (judged) => {
  const { manager, rule, aheadMs } = judged;
  const all = await listObservations(manager, 'outage', OUTAGE_OVER_MS, aheadMs);
  const watched = all.filter(({ subject }) => rule.provider === undefined || rule.provider === subject);
  const found = watched
    .filter(({ age_ms }) => age_ms <= OUTAGE_MS)
    .map(({ subject, detail }): Finding => {
      const message = `Endpoints of the provider ${subject} fail.`;
      return { subject, data: { message, provider: subject, ...detail } };
    });
  return reportEpisodes(judged, found, subjectsOf(watched));
};

/** Credentials that their provider refuses: the operator's own, and those that are stored (`/byok`). */
export const judgeCredentials: Judge<'credential'> = async (judged) => {
  const { manager, alarm, aheadMs } = judged;
  const refusals = await listObservations(manager, 'credential', REFUSAL_OVER_MS, aheadMs);
  const own = refusals
    .filter(({ age_ms }) => age_ms <= REFUSAL_MS)
    .map(({ subject, detail }): Finding => {
      const message = `The provider ${subject} refuses the operator's credential.`;
      return { subject, data: { message, provider: subject, credential: null, ...detail } };
    });
  const stored = await manager.query<
    { id: string; provider: string; label: string; name: string | null; reason: string | null }[]
  >(
    `SELECT id, provider, label, name, status_reason AS reason FROM provider_credentials
     WHERE account_id = $1 AND status = 'failing' AND deleted_at IS NULL AND NOT disabled ORDER BY status_at DESC LIMIT 500`,
    [alarm.accountId],
  );
  const failing = stored.map(({ id, provider, label, name, reason }): Finding => {
    const message = `The credential ${name ?? label} at the provider ${provider} does not work.`;
    return { subject: id, data: { message, provider, credential: { id, name, label }, reason } };
  });
  return reportEpisodes(judged, [...own, ...failing], subjectsOf(refusals));
};

const subjectsOf = (all: readonly { readonly subject: string }[]): string[] => all.map(({ subject }) => subject);
