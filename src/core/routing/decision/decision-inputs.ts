import type { CatalogSnapshot } from '../catalog.js';
import { deriveHealth } from './decision-health.js';
import { DECISION_VERSION, type DecisionRecord } from './decision-record.js';
import { SHARED_CREDENTIAL, type StoredCredential } from '../credential.js';
import { catalogName, writeRef } from './decision.js';
import type { NamedModel, RouteInputs, RouteNeeds, SessionInputs } from '../route-inputs.js';

/**
 * Reads the inputs of a decision record: a plan made from them has the same legs in the same order. Health holds only
 * what decided, and lists hold only entries about the providers in question.
 * @param text as written by `compactDecision`
 * @returns undefined where an input was cut, or the text names another catalog or version
 */
export function deriveInputs(text: string, catalog: CatalogSnapshot): RouteInputs | undefined {
  const record = JSON.parse(text) as DecisionRecord;
  if (record.v !== DECISION_VERSION || record.catalog !== catalogName(catalog)) return undefined;
  if (record.cut?.some((part) => part !== 'legs' && part !== 'widened')) return undefined;
  const needs = deriveNeeds(record);
  const credentials = deriveCredentials(record, needs.models);
  const session = deriveSession(record, needs.models);
  return {
    needs,
    catalog,
    health: deriveHealth(record, needs, { models: needs.models, keys: credentials }),
    credentials,
    offersSharedCredential: deriveSharedOffers(record),
    ...(record.drops && deriveDrops(record.drops, needs.models)),
    policies: record.policies ?? [],
    ...(session && { session }),
    seed: record.seed!,
  };
}

function deriveSession({ session, pins }: DecisionRecord, models: readonly NamedModel[]): SessionInputs | undefined {
  if (session === undefined && !pins) return undefined;
  const tags = new Map(Object.entries(pins ?? {}).map(([index, tag]) => [models[Number(index)]!.id, tag]));
  return { ...(session !== undefined && { key: session }), pinOf: (model) => tags.get(model) };
}

function deriveNeeds(record: DecisionRecord): RouteNeeds {
  const requested = record.requested!;
  return {
    requested,
    models: (record.models ?? [requested]).map((model): NamedModel =>
      typeof model === 'string' ? { id: model } : { id: model[0], sort: model[1] },
    ),
    ...(record.choice && { choice: record.choice }),
    movesOnRefusal: record.refusal ?? false,
    preferences: record.preferences ?? {},
    parameters: record.parameters ?? [],
    modalities: record.modalities ?? [],
    ...(record.outputs && { outputs: record.outputs }),
    ...(record.task && { task: record.task }),
    promptTokensMin: record.prompt ?? 0,
    ...(record.output !== undefined && { maxOutputTokens: record.output }),
    ...(record.shortens && { shortensTo: record.shortens }),
    ...(record.images !== undefined && { images: record.images }),
    ...(record.searches !== undefined && { webSearches: record.searches }),
    ...(record.measured && { measured: record.measured }),
    tier: record.tier ?? 'standard',
    ...(record.words && { pricedOptions: record.words.map(([field, value]) => ({ field, value })) }),
    ...(record.undeclared && { undeclared: record.undeclared }),
  };
}

/** `drops` records which candidates lack a parameter, tier or region, without the cause of it. */
function deriveDrops(
  drops: NonNullable<DecisionRecord['drops']>,
  models: readonly NamedModel[],
): Pick<RouteInputs, 'supportsField' | 'acceptsUndeclaredField' | 'unmetRequirement'> {
  const context = { models, keys: [] };
  const unmetRequirement: NonNullable<RouteInputs['unmetRequirement']> = ({ model, tag }) =>
    drops[writeRef({ model, tag, credential: SHARED_CREDENTIAL }, context)];
  const takes: NonNullable<RouteInputs['acceptsUndeclaredField']> = (candidate, name) =>
    unmetRequirement(candidate) !== name;
  return { supportsField: takes, acceptsUndeclaredField: takes, unmetRequirement };
}

function deriveSharedOffers({ shared, unshared = [] }: DecisionRecord): RouteInputs['offersSharedCredential'] {
  return shared ? ({ slug }) => shared.includes(slug) : ({ slug }) => !unshared.includes(slug);
}

function deriveCredentials({ keys = [] }: DecisionRecord, models: readonly NamedModel[]): readonly StoredCredential[] {
  return keys.map(({ id, provider, order = 0, fallback = false, replaces, models: allowed }) => ({
    id,
    provider,
    isFallback: fallback,
    sortOrder: order,
    ...(allowed && { allowedModels: allowed.map((index) => models[index]!.id) }),
    ...(replaces && { replacesShared: true }),
  }));
}
