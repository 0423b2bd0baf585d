import type { CatalogProvider, CatalogSnapshot, Model } from '../catalog.js';
import { SHARED_CREDENTIAL, type StoredCredential } from '../credential.js';
import { recordFigures } from './decision-figures.js';
import { DECISION_VERSION, type DecisionRecord, type KeyRecord } from './decision-record.js';
import { withoutOtherModels, withoutUnrelatedProviders, type Providers } from './decision-lists.js';
import type { Cooling } from '../health.js';
import { regionalEndpoint } from '../regional-endpoint.js';
import type { Leg, Plan } from '../plan.js';
import { NO_PREFERENCES } from '../preferences.js';
import { requestedGeography } from '../priced-options.js';
import { shortened } from '../../shortened.js';
import type { NamedModel, RouteInputs, RouteNeeds } from '../route-inputs.js';
import type { AttemptOutcomeView } from '../router-metadata.js';

/** Longest record of a decision, in bytes of UTF-8 (docs/contribute/reasons/routing.md#bounds-of-a-plan). */
export const DECISION_BYTES_MAX = 1_024;
/** Limit of recorded legs; the others follow from the inputs. */
const LEGS_RECORDED_MAX = 8;

/**
 * The order in which parts are dropped from a record that is too long. `legs` follows from the rest, and `widened`
 * decides no order. Without any other part the plan can no longer be derived, so from there on the least informative
 * parts go first.
 */
export const CUT_ORDER = [
  'legs', 'widened', 'shared', 'unshared', 'policies', 'drops', 'undeclared', 'parameters', 'latency', 'throughput', 'faults', 'behind', 'keys', 'modalities', 'outputs', 'words', 'task',
  'measured', 'choice', 'models', 'preferences', 'out', 'firm', 'cooling', 'pins', 'session', 'firsts', 'calls', 'requested', 'seed',
] as const satisfies readonly (keyof DecisionRecord)[]; // oxfmt-ignore

/** The inputs of a plan except health and pins: those change, so they are read from the plan itself. */
export interface DecidedFrom extends Omit<RouteInputs, 'health' | 'session'> {
  readonly session?: { readonly key?: string } | undefined;
}

/** The recorded part of a call. */
export type CallMade = Pick<AttemptOutcomeView, 'leg' | 'status'>;

/**
 * The inputs and the outcome of a plan as a JSON text of at most `DECISION_BYTES_MAX` bytes. From it and the same
 * catalog, `deriveInputs` reproduces the plan. Parts that were dropped are named under `cut`. It holds neither content
 * nor secrets.
 */
export function compactDecision(from: DecidedFrom, plan: Plan, calls: readonly CallMade[] = []): string {
  const text = JSON.stringify(recordOf(from, plan, calls));
  // A unit of UTF-16 takes at most three bytes, so a short text need not be measured.
  if (text.length <= DECISION_BYTES_MAX / 3 || Buffer.byteLength(text) <= DECISION_BYTES_MAX) return text;
  return cutToFit(JSON.parse(text) as DecisionRecord);
}

/** Always terminates with a record that fits: the parts outside `CUT_ORDER` have a bounded length. */
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

/** The first 128 bits of a catalog's hash, enough to identify it. */
export const catalogName = ({ hash }: CatalogSnapshot): string => hash.slice(0, CATALOG_NAME_DIGITS);

/** The fields that identify a leg. */
interface Referable extends Pick<Leg, 'tag' | 'credential'> {
  readonly model: Pick<Model, 'id'>;
}

/** The lists that written candidates refer to. */
export interface RefContext {
  readonly models: readonly NamedModel[];
  readonly keys: readonly Pick<StoredCredential, 'id'>[];
}

/**
 * Writes a candidate: the tag, followed by `@` and the index of its stored credential in `keys`, preceded by the index
 * of its model and `:` unless that is 0: `openai`, `openai@0`, `1:azure/us`. The form is unambiguous because no tag
 * contains either sign.
 */
export function writeRef({ model: { id }, tag, credential }: Referable, { models, keys }: RefContext): string {
  const named = models[0]!.id === id ? tag : `${models.findIndex((model) => model.id === id)}:${tag}`;
  return credential === SHARED_CREDENTIAL ? named : `${named}@${keys.findIndex((key) => key.id === credential)}`;
}

/**
 * A record under construction. Parts are added in the order in which they are printed, and omitted where they have
 * their default.
 */
type RecordDraft = { -readonly [Part in keyof DecisionRecord]: DecisionRecord[Part] };

/** Optional groups of parts are entered only where the plan has something for them. */
function recordOf(from: DecidedFrom, plan: Plan, calls: readonly CallMade[]): DecisionRecord {
  const { needs, session } = from;
  const providers =
    needs.models.length === 1 ? providersOfModel(from.catalog.models.get(needs.models[0]!.id)) : providersOf(from);
  const keys = from.credentials.length > 0 ? from.credentials.filter((key) => providers.has(key.provider)) : NO_KEYS;
  const context: RefContext = { models: needs.models, keys };
  const legs: string[] = [];
  let hasHealth = false;
  for (const leg of plan.legs) {
    const { setBack, isPinned, health } = leg;
    legs.push(writeRef(leg, context));
    hasHealth ||= setBack !== undefined || isPinned === true;
    if (health) hasHealth ||= health.isOut || health.cooling !== undefined || health.widening !== undefined;
  }
  let isFirstOnly = false;
  let lacksParameters = false;
  for (const { reason, cooling } of plan.excluded) {
    if (reason === 'not-first') isFirstOnly = true;
    else if (reason === 'unsupported-parameter') lacksParameters = true;
    hasHealth ||= cooling !== undefined;
  }
  let isSorted = needs.preferences.sort !== undefined;
  for (const { sort } of needs.models) isSorted ||= sort !== undefined;
  const record: RecordDraft = {
    v: DECISION_VERSION,
    catalog: catalogName(from.catalog),
    seed: from.seed,
    requested: needs.requested,
  };
  if (legs.length > 0 && !isFirstOnly)
    record.legs = legs.length > LEGS_RECORDED_MAX ? legs.slice(0, LEGS_RECORDED_MAX) : legs;
  const made: (readonly [string, number])[] = [];
  for (const { leg, status } of calls) made.push([writeRef(leg, context), status]);
  if (made.length > 0) record.calls = made;
  addNeeds(record, needs, providers);
  addCaller(record, from, keys, providers);
  if (lacksParameters || needs.pricedOptions) record.drops = recordDrops(from, plan, context);
  if (session?.key !== undefined) record.session = session.key;
  if (hasHealth) Object.assign(record, recordHealth(plan, legs, context));
  if (isSorted) Object.assign(record, recordFigures(plan, legs, needs));
  if (legs.length > 0 && isFirstOnly) record.firsts = legs;
  return record;
}

const NO_KEYS: readonly StoredCredential[] = [];

/** Records the fields that dialects drop: only the code knows them, and they affect the plan. */
function recordDrops(
  { needs, catalog, supportsField }: DecidedFrom,
  { excluded }: Plan,
  context: RefContext,
): DecisionRecord['drops'] {
  const drops: Record<string, string> = {};
  const add = (model: string, tag: string, field: string): void => {
    drops[writeRef({ model: { id: model }, tag, credential: SHARED_CREDENTIAL }, context)] = field;
  };
  const geography = requestedGeography(needs.pricedOptions);
  if (geography !== undefined) {
    for (const { id } of needs.models) {
      const model = catalog.models.get(id);
      for (const endpoint of model?.endpoints ?? []) {
        const isGeographyDropped =
          endpoint.geographies?.has(geography) && !regionalEndpoint(endpoint, model!, geography, supportsField);
        if (isGeographyDropped) add(id, endpoint.tag, 'inference_geo');
      }
    }
  }
  const isStrict = needs.preferences.requireParameters === true;
  for (const { model, tag, reason, detail } of excluded) {
    if (reason !== 'unsupported-parameter' || tag === undefined || detail === undefined) continue;
    if (isStrict || detail === 'service_tier') add(model, tag, detail);
  }
  // Sorted, so that equal plans have equal records regardless of the order of judgement.
  const entries = Object.entries(drops).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Cache by model of a catalog. */
const providersByModel = new WeakMap<Model, Providers>();

function providersOf({ needs, catalog }: Pick<RouteInputs, 'needs' | 'catalog'>): Providers {
  const providers = new Map<string, CatalogProvider>();
  for (const { id } of needs.models) {
    for (const [slug, provider] of providersOfModel(catalog.models.get(id))) providers.set(slug, provider);
  }
  return providers;
}

const NO_PROVIDERS: Providers = new Map();

function providersOfModel(model: Model | undefined): Providers {
  if (!model) return NO_PROVIDERS;
  let providers = providersByModel.get(model);
  if (!providers) {
    providers = new Map(model.endpoints.map(({ provider }) => [provider.slug, provider]));
    providersByModel.set(model, providers);
  }
  return providers;
}

function addNeeds(record: RecordDraft, needs: RouteNeeds, providers: Providers): void {
  const { models, preferences } = needs;
  const isAsRequested = models.length === 1 && models[0]!.id === needs.requested && models[0]!.sort === undefined;
  if (!isAsRequested) record.models = models.map(({ id, sort }) => (sort ? ([id, sort] as const) : id));
  if (needs.choice) record.choice = needs.choice;
  if (needs.movesOnRefusal) record.refusal = true;
  if (preferences !== NO_PREFERENCES && !isEmptyObject(preferences))
    record.preferences = withoutUnrelatedProviders(preferences, providers);
  if (needs.parameters.length > 0) record.parameters = needs.parameters;
  if (needs.modalities.length > 0) record.modalities = needs.modalities;
  if (needs.outputs) record.outputs = needs.outputs;
  if (needs.task) record.task = needs.task;
  if (needs.promptTokensMin > 0) record.prompt = needs.promptTokensMin;
  if (needs.maxOutputTokens !== undefined) record.output = needs.maxOutputTokens;
  if (needs.shortensTo) record.shortens = needs.shortensTo;
  if (needs.images !== undefined) record.images = needs.images;
  if (needs.webSearches !== undefined) record.searches = needs.webSearches;
  if (needs.measured) record.measured = needs.measured;
  if (needs.tier !== 'standard') record.tier = needs.tier;
  if (needs.pricedOptions && needs.pricedOptions.length > 0)
    record.words = needs.pricedOptions.map(({ field, value }) => [field, value] as const);
  if (needs.undeclared && needs.undeclared.length > 0) record.undeclared = needs.undeclared.map(shortened);
}

function isEmptyObject(object: object): boolean {
  for (const _key in object) return false;
  return true;
}

function addCaller(
  record: RecordDraft,
  { needs, policies, offersSharedCredential }: Pick<RouteInputs, 'needs' | 'policies' | 'offersSharedCredential'>,
  keys: readonly StoredCredential[],
  providers: Providers,
): void {
  if (policies.length > 0) {
    record.policies = policies.map((policy) => withoutOtherModels(withoutUnrelatedProviders(policy, providers), needs));
  }
  if (keys.length > 0) record.keys = keys.map((key) => recordKey(key, needs));
  let unshared: string[] | undefined;
  for (const [slug, provider] of providers) if (!offersSharedCredential(provider)) (unshared ??= []).push(slug);
  if (!unshared) return;
  const others = unshared;
  if (providers.size - others.length >= others.length) record.unshared = others;
  else record.shared = [...providers.keys()].filter((slug) => !others.includes(slug));
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

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

type HealthParts = Pick<DecisionRecord, 'pins' | 'out' | 'behind' | 'cooling' | 'firm' | 'widened'>;

/**
 * Records the health of the plan's candidates and the pins it followed.
 * @param refs its legs in written form
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
