import { providersOf, recordCaller, recordNeeds } from './decision-request.js';
import { recordHealth } from './decision-health.js';
import { catalogName, DECISION_VERSION, Refs, unlessEmpty, type DecisionRecord } from './decision-record.js';
import type { Leg, Plan } from './plan.js';
import type { RouteInputs } from './route-inputs.js';
import type { AttemptOutcomeView } from './router-metadata.js';

/** Longest record of a decision, in bytes of UTF-8 (DESIGN 9). */
export const DECISION_BYTES_MAX = 1_024;
/** Most legs a record tells; the others follow from its inputs. */
const LEGS_TOLD_MAX = 8;

/**
 * What goes first when a record would be too long. `legs` follows from the rest. Without any other part nothing can be derived from
 * the record any more, so from there on those go that say least to its reader.
 */
export const CUT_ORDER = [
  'legs', 'shared', 'unshared', 'policies', 'parameters', 'latency', 'throughput', 'faults', 'behind', 'keys', 'modalities',
  'models', 'preferences', 'out', 'cooling', 'pins', 'session', 'firsts', 'calls', 'requested', 'seed',
] as const satisfies readonly (keyof DecisionRecord)[]; // prettier-ignore

/** What a plan was made from, but health and pins: those move on, so they are read from the plan itself. */
export interface DecidedFrom extends Omit<RouteInputs, 'health' | 'session'> {
  readonly session?: { readonly key?: string };
}

/**
 * A plan's inputs and outcome as a JSON text of at most `DECISION_BYTES_MAX` bytes: from it and the same catalog, `deriveInputs` has
 * the same plan made again. Where something had to go, the text names it under `cut`. It holds no content and no secret.
 */
export function compactDecision(from: DecidedFrom, plan: Plan, calls: readonly AttemptOutcomeView[] = []): string {
  const record = recordOf(from, plan, calls);
  const text = JSON.stringify(record);
  return fits(text) ? text : cutToFit(record);
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= DECISION_BYTES_MAX;

/** Always fits in the end: what is in no order to be cut is of a bounded length. */
function cutToFit(record: DecisionRecord): string {
  let shorter: DecisionRecord = record;
  let text = '';
  for (const part of CUT_ORDER) {
    if (record[part] === undefined) continue;
    shorter = { ...shorter, [part]: undefined, cut: [...(shorter.cut ?? []), part] };
    text = JSON.stringify(shorter);
    if (fits(text)) break;
  }
  return text;
}

function recordOf(from: DecidedFrom, plan: Plan, calls: readonly AttemptOutcomeView[]): DecisionRecord {
  const { needs, session } = from;
  const providers = providersOf(from);
  const credentials = from.credentials.filter(({ provider }) => providers.has(provider));
  const refs = new Refs(needs.models, credentials);
  const refOf = ({ model, tag, credential }: Leg): string => refs.of({ model: model.id, tag, credential });
  const isFirstOnly = plan.excluded.some(({ reason }) => reason === 'not-first');
  const legs = unlessEmpty(plan.legs.map(refOf));
  return {
    v: DECISION_VERSION,
    catalog: catalogName(from.catalog),
    seed: from.seed,
    requested: needs.requested,
    legs: isFirstOnly ? undefined : legs?.slice(0, LEGS_TOLD_MAX),
    calls: unlessEmpty(calls.map(({ leg, status }) => [refOf(leg), status] as const)),
    ...recordNeeds(needs, providers),
    ...recordCaller(from, credentials, providers),
    session: session?.key,
    ...recordHealth(plan, needs, refs),
    firsts: isFirstOnly ? legs : undefined,
  };
}
