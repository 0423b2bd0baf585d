import type { CatalogProvider, CatalogSnapshot, Model } from './catalog.js';
import { SHARED_CREDENTIAL, type StoredCredential } from './credential.js';
import { recordFigures } from './decision-figures.js';
import { DECISION_VERSION, type DecisionRecord, type KeyRecord } from './decision-record.js';
import { withoutOtherModels, withoutUnrelatedProviders, type Providers } from './decision-lists.js';
import type { Cooling } from './health.js';
import { placedEndpoint } from './placed-endpoint.js';
import type { Leg, Plan } from './plan.js';
import { askedGeography } from './priced-words.js';
import { shortened } from '../shortened.js';
import type { NamedModel, RouteInputs, RouteNeeds } from './route-inputs.js';
import type { AttemptOutcomeView } from './router-metadata.js';

/** Longest record of a decision, in bytes of UTF-8 (docs/reasons/routing.md#bounds-of-a-plan). */
export const DECISION_BYTES_MAX = 1_024;
/** Most legs a record tells; the others follow from its inputs. */
const LEGS_RECORDED_MAX = 8;

/**
 * What goes first when a record would be too long. `legs` follows from the rest, and `widened` decides no order.
 * Without any other part nothing can be derived from the record any more, so from there on those go that say least to
 * its reader.
 */
export const CUT_ORDER = [
  'legs', 'widened', 'shared', 'unshared', 'policies', 'drops', 'undeclared', 'parameters', 'latency', 'throughput', 'faults', 'behind', 'keys', 'modalities', 'outputs', 'words',
  'measured', 'choice', 'models', 'preferences', 'out', 'firm', 'cooling', 'pins', 'session', 'firsts', 'calls', 'requested', 'seed',
] as const satisfies readonly (keyof DecisionRecord)[]; // prettier-ignore

/** What a plan was made from, but health and pins: those move on, so they are read from the plan itself. */
export interface DecidedFrom extends Omit<RouteInputs, 'health' | 'session'> {
  readonly session?: { readonly key?: string } | undefined;
}

/**
 * A plan's inputs and outcome as a JSON text of at most `DECISION_BYTES_MAX` bytes: from it and the same catalog,
 * `deriveInputs` has the same plan made again. Where something had to go, the text names it under `cut`. It holds
 * no content and no secret.
 */
export function compactDecision(from: DecidedFrom, plan: Plan, calls: readonly AttemptOutcomeView[] = []): string {
  const record = recordOf(from, plan, calls);
  const text = JSON.stringify(record);
  return Buffer.byteLength(text) <= DECISION_BYTES_MAX ? text : cutToFit(record);
}

/** Always fits in the end: what is in no order to be cut is of a bounded length. */
function cutToFit(record: DecisionRecord): string {
  let shorter: DecisionRecord = record;
  let text = '';
  for (const part of CUT_ORDER) {
    if (record[part] === undefined) continue;
    shorter = { ...shorter, [part]: undefined, cut: [...(shorter.cut ?? []), part] };
    text = JSON.stringify(shorter);
    if (Buffer.byteLength(text) <= DECISION_BYTES_MAX) break;
  }
  return text;
}

const CATALOG_NAME_DIGITS = 32;

/** The first 128 bits of a catalog's hash: enough to know it by. */
export const catalogName = ({ hash }: CatalogSnapshot): string => hash.slice(0, CATALOG_NAME_DIGITS);

/** What of a leg tells it from all others. */
interface Referable extends Pick<Leg, 'tag' | 'credential'> {
  readonly model: Pick<Model, 'id'>;
}

/** What the candidates of a record are written down by. */
export interface RefContext {
  readonly models: readonly NamedModel[];
  readonly keys: readonly Pick<StoredCredential, 'id'>[];
}

/**
 * Writes a candidate down: the tag, behind it `@` and the index of its stored credential in `keys`, before it the index
 * of its model and `:` unless that is 0: `openai`, `openai@0`, `1:azure/us`. Different candidates never look alike, for
 * no tag holds either sign.
 */
export function writeRef({ model: { id }, tag, credential }: Referable, { models, keys }: RefContext): string {
  const named = models[0]!.id === id ? tag : `${models.findIndex((one) => one.id === id)}:${tag}`;
  return credential === SHARED_CREDENTIAL ? named : `${named}@${keys.findIndex((key) => key.id === credential)}`;
}

function recordOf(from: DecidedFrom, plan: Plan, calls: readonly AttemptOutcomeView[]): DecisionRecord {
  const { needs, session } = from;
  const providers = providersOf(from);
  const credentials = from.credentials.filter(({ provider }) => providers.has(provider));
  const context: RefContext = { models: needs.models, keys: credentials };
  const legs: string[] = [];
  for (const leg of plan.legs) legs.push(writeRef(leg, context));
  const made: (readonly [string, number])[] = [];
  for (const { leg, status } of calls) made.push([writeRef(leg, context), status]);
  let isSorted = needs.preferences.sort !== undefined;
  for (const { sort } of needs.models) isSorted ||= sort !== undefined;
  const isFirstOnly = plan.excluded.some(({ reason }) => reason === 'not-first');
  return {
    v: DECISION_VERSION,
    catalog: catalogName(from.catalog),
    seed: from.seed,
    requested: needs.requested,
    legs: isFirstOnly ? undefined : unlessEmpty(legs.slice(0, LEGS_RECORDED_MAX)),
    calls: unlessEmpty(made),
    ...recordNeeds(needs, providers),
    ...recordCaller(from, credentials, providers),
    drops: recordDrops(from, plan, context),
    session: session?.key,
    ...recordHealth(plan, legs, context),
    ...(isSorted && recordFigures(plan, legs, needs)),
    firsts: isFirstOnly ? unlessEmpty(legs) : undefined,
  };
}

/** What dialects send is known to the code alone, so what it decided is kept. */
function recordDrops(
  { needs, catalog, carries }: DecidedFrom,
  { excluded }: Plan,
  context: RefContext,
): DecisionRecord['drops'] {
  const drops: Record<string, string> = {};
  const add = (model: string, tag: string, field: string): void => {
    drops[writeRef({ model: { id: model }, tag, credential: SHARED_CREDENTIAL }, context)] = field;
  };
  const geography = askedGeography(needs.words);
  if (geography !== undefined) {
    for (const { id } of needs.models) {
      const model = catalog.models.get(id);
      for (const endpoint of model?.endpoints ?? []) {
        const isUntold = endpoint.geographies?.has(geography) && !placedEndpoint(endpoint, model!, geography, carries);
        if (isUntold) add(id, endpoint.tag, 'inference_geo');
      }
    }
  }
  const isStrict = needs.preferences.requireParameters === true;
  for (const { model, tag, reason, detail } of excluded) {
    if (reason !== 'unsupported-parameter' || tag === undefined || detail === undefined) continue;
    if (isStrict || detail === 'service_tier') add(model, tag, detail);
  }
  // In one order, whichever candidate was judged first: of plans that are alike the records are.
  const entries = Object.entries(drops).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

function providersOf({ needs, catalog }: Pick<RouteInputs, 'needs' | 'catalog'>): Providers {
  const providers = new Map<string, CatalogProvider>();
  for (const { id } of needs.models) {
    for (const { provider } of catalog.models.get(id)?.endpoints ?? []) providers.set(provider.slug, provider);
  }
  return providers;
}

type NeedsParts = Pick<
  DecisionRecord,
  | 'models'
  | 'choice'
  | 'refusal'
  | 'preferences'
  | 'parameters'
  | 'modalities'
  | 'outputs'
  | 'prompt'
  | 'output'
  | 'shortens'
  | 'images'
  | 'searches'
  | 'measured'
  | 'tier'
  | 'words'
  | 'undeclared'
>;

function recordNeeds(needs: RouteNeeds, providers: Providers): NeedsParts {
  const { models, preferences } = needs;
  const isAsRequested = models.length === 1 && models[0]!.id === needs.requested && models[0]!.sort === undefined;
  return {
    models: isAsRequested ? undefined : models.map(({ id, sort }) => (sort ? ([id, sort] as const) : id)),
    choice: needs.choice,
    refusal: needs.movesOnRefusal || undefined,
    preferences: Object.keys(preferences).length > 0 ? withoutUnrelatedProviders(preferences, providers) : undefined,
    parameters: unlessEmpty(needs.parameters),
    modalities: unlessEmpty(needs.modalities),
    outputs: needs.outputs,
    prompt: needs.promptTokensMin || undefined,
    output: needs.maxOutputTokens,
    shortens: needs.shortensTo,
    images: needs.images,
    searches: needs.webSearches,
    measured: needs.measured,
    tier: needs.tier === 'standard' ? undefined : needs.tier,
    words: needs.words && unlessEmpty(needs.words.map(({ field, value }) => [field, value] as const)),
    undeclared: needs.undeclared && unlessEmpty(needs.undeclared.map(shortened)),
  };
}

type CallerParts = Pick<DecisionRecord, 'policies' | 'keys' | 'shared' | 'unshared'>;

function recordCaller(
  { needs, policies, isShared }: Pick<RouteInputs, 'needs' | 'policies' | 'isShared'>,
  credentials: readonly StoredCredential[],
  providers: Providers,
): CallerParts {
  const shared: string[] = [];
  const unshared: string[] = [];
  for (const [slug, provider] of providers) (isShared(provider) ? shared : unshared).push(slug);
  return {
    policies: unlessEmpty(
      policies.map((policy) => withoutOtherModels(withoutUnrelatedProviders(policy, providers), needs)),
    ),
    keys: unlessEmpty(credentials.map((credential) => recordKey(credential, needs))),
    ...(shared.length < unshared.length ? { shared } : { unshared: unlessEmpty(unshared) }),
  };
}

function recordKey(credential: StoredCredential, { models }: RouteNeeds): KeyRecord {
  const { id, provider, sortOrder, isFallback, allowedModels, replacesShared } = credential;
  const allowed = allowedModels && [...models.keys()].filter((index) => allowedModels.includes(models[index]!.id));
  return {
    id,
    provider,
    order: sortOrder || undefined,
    fallback: isFallback || undefined,
    replaces: replacesShared || undefined,
    models: allowed?.length === models.length ? undefined : allowed,
  };
}

type HealthParts = Pick<DecisionRecord, 'pins' | 'out' | 'behind' | 'cooling' | 'firm' | 'widened'>;

/**
 * What the plan says of the health of its candidates, and which pins it followed.
 * @param refs its legs, written down
 */
function recordHealth({ legs, excluded }: Plan, refs: readonly string[], context: RefContext): HealthParts {
  const out: string[] = [];
  const behind: string[] = [];
  let pins: Record<string, string> | undefined;
  let cooling: Record<string, Cooling['by']> | undefined;
  let widened: Record<string, readonly [number, number]> | undefined;
  const firm: string[] = [];
  for (let index = 0; index < legs.length; index++) {
    const { model, tag, setBack, isPinned, health } = legs[index]!;
    if (setBack === 'outage' || health?.isOut) out.push(refs[index]!);
    if (setBack === 'preference') behind.push(refs[index]!);
    if (health?.cooling) (cooling ??= {})[refs[index]!] = health.cooling.by;
    if (health?.widening) (widened ??= {})[refs[index]!] = [health.widening.input, health.widening.output];
    if (isPinned) (pins ??= {})[context.models.findIndex(({ id }) => id === model.id)] = tag;
  }
  for (const { model: id, tag, credential = SHARED_CREDENTIAL, cooling: pause } of excluded) {
    if (tag === undefined || !pause) continue;
    const ref = writeRef({ model: { id }, tag, credential }, context);
    (cooling ??= {})[ref] = pause.by;
    if (pause.isFirm) firm.push(ref);
  }
  return { pins, out: unlessEmpty(out), behind: unlessEmpty(behind), cooling, firm: unlessEmpty(firm), widened };
}
