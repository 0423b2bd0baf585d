import type { CatalogSnapshot } from './catalog.js';
import { deriveHealth } from './decision-health.js';
import { catalogName, DECISION_VERSION, Refs, type DecisionRecord } from './decision-record.js';
import { deriveCredentials, deriveIsShared, deriveNeeds } from './decision-request.js';
import type { RouteInputs, SessionPlace } from './route-inputs.js';

/**
 * Reads the inputs of a kept decision: the plan made of them has the same legs in the same order. Health holds only what decided, and
 * lists only what spoke of providers in question.
 * @param text as `compactDecision` wrote it
 * @returns undefined where the text says that an input was cut, names another catalog, or is of another version
 */
export function deriveInputs(text: string, catalog: CatalogSnapshot): RouteInputs | undefined {
  const record = JSON.parse(text) as DecisionRecord;
  if (record.v !== DECISION_VERSION || record.catalog !== catalogName(catalog)) return undefined;
  if (record.cut?.some((part) => part !== 'legs')) return undefined;
  const needs = deriveNeeds(record);
  const credentials = deriveCredentials(record, needs.models);
  const session = deriveSession(record, needs.models);
  return {
    needs,
    catalog,
    health: deriveHealth(record, needs, new Refs(needs.models, credentials)),
    credentials,
    isShared: deriveIsShared(record),
    policies: record.policies ?? [],
    ...(session && { session }),
    seed: record.seed!,
  };
}

function deriveSession(
  { session, pins }: DecisionRecord,
  models: RouteInputs['needs']['models'],
): SessionPlace | undefined {
  if (session === undefined && !pins) return undefined;
  const tags = new Map(Object.entries(pins ?? {}).map(([index, tag]) => [models[Number(index)]!.id, tag]));
  return { ...(session !== undefined && { key: session }), pinOf: (model) => tags.get(model) };
}
