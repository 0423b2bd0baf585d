import { CatalogDocument, type FieldPath } from '../../src/catalog/document.js';
import { describeFault } from '../../src/catalog/fault.js';
import { Field } from '../../src/catalog/field.js';
import { readPricing } from '../../src/catalog/read-pricing.js';
import type { FaultKind } from '../../src/core/errors.js';
import type { ProviderPreferences } from '../../src/core/routing/preferences.js';
import { readSlug } from '../../src/core/routing/slug.js';
import { DAY_MS, MINUTE_MS } from '../../src/core/time.js';
import { readPreferences } from '../../src/faces/common/read-options.js';
import { InvalidEnvironment, type Environment } from '../../src/shared/environment.js';
import { readEnvironment } from '../../src/shared/read-environment.js';
import type {
  Faults,
  LabelledPrompt,
  Policy,
  PriceChange,
  Range,
  Scenario,
  Scope,
  TrafficKind,
  WorldRule,
} from './scenario.js';
import {
  scenarioShape,
  type WirePolicy,
  type WireScenario,
  type WireTrafficKind,
  type WireWorldRule,
} from './scenario-schema.js';

const DECISIONS = 100_000;
/** Tolerance of a sum of shares such as 0.1 + 0.2 + 0.7. */
const ROUNDING = 1e-9;

/** A scenario cannot be used. The message names the file, the line and the field. */
export class ScenarioRefused extends Error {
  override readonly name = 'ScenarioRefused';
}

/** One file of a scenario, without those it extends. */
export interface ScenarioDraft {
  readonly file: string;
  readonly wire: WireScenario;
  readonly prices: readonly PriceChange[];
  /** The prompts, by the names of their files in the traffic. */
  readonly prompts?: ReadonlyMap<string, readonly LabelledPrompt[]>;
}

/** @throws ScenarioRefused */
export function readScenarioFile(file: string, text: string): ScenarioDraft {
  const document = new CatalogDocument(file, text);
  const wire = document.faults.length === 0 ? checkShape(document) : undefined;
  const prices = (wire?.prices ?? []).flatMap(({ at, pricing, ...scope }, index) => {
    const read = readPricing(new Field(document, ['prices', index, 'pricing'], pricing));
    return read ? [{ atMs: readTime(at), pricing: read.pricing, ...readScope(scope) }] : [];
  });
  if (wire === undefined || document.faults.length > 0) {
    throw new ScenarioRefused(document.faults.map(describeFault).join('\n'));
  }
  return { file, wire, prices: prices.sort((one, other) => one.atMs - other.atMs) };
}

function checkShape(document: CatalogDocument): WireScenario | undefined {
  const { value } = document;
  if (!scenarioShape.check(value)) {
    const fault = scenarioShape.fault(value)!;
    document.refuse(fieldPath(fault.path), fault.reason);
    return undefined;
  }
  for (const [index, { faults = {}, from, to, retry_after: hint }] of (value.world ?? []).entries()) {
    const path = ['world', index];
    if (sharesOf(faults).reduce((sum, [, share]) => sum + share, 0) > 1 + ROUNDING) {
      document.refuse([...path, 'faults'], 'are more than all calls: the shares sum to more than 1');
    }
    if (hint !== undefined && sharesOf(faults).length === 0) document.refuse([...path, 'retry_after'], 'needs faults');
    if (readTime(from ?? MIDNIGHT) >= readTime(to ?? END)) document.refuse([...path, 'to'], 'must be later than from');
  }
  return value;
}

/** Numbers are indexes of lists. */
const fieldPath = (path: string): FieldPath =>
  path === '' ? [] : path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));

/**
 * Merges a file and those it extends into a scenario. Each top-level field of a file replaces that of the files before
 * it.
 * @param drafts the extended ones first
 * @throws ScenarioRefused
 */
export function readScenario(drafts: readonly ScenarioDraft[]): Scenario {
  const wire = Object.assign({}, ...drafts.map((draft) => draft.wire)) as WireScenario;
  const { file } = drafts.at(-1)!;
  if (!wire.traffic) throw new ScenarioRefused(`${file}: traffic: is required, here or in the file it extends`);
  const common = readPreferences(wire.policy?.provider, undefined);
  const prompts = new Map(drafts.flatMap((draft) => [...(draft.prompts ?? [])]));
  const load = (wire.load ?? [{ at: MIDNIGHT, weight: 1 }]).map(({ at, weight }) => ({ atMs: readTime(at), weight }));
  return {
    seed: wire.seed ?? 'day',
    decisions: wire.decisions ?? DECISIONS,
    load: load.sort((one, other) => one.atMs - other.atMs),
    traffic: wire.traffic.map((kind) => readTrafficKind(kind, common, prompts)),
    world: (wire.world ?? []).map(readWorldRule),
    prices: drafts.findLast((draft) => draft.wire.prices)?.prices ?? [],
    policy: readPolicy(wire.policy, file),
  };
}

function readTrafficKind(
  wire: WireTrafficKind,
  common: ProviderPreferences,
  prompts: ReadonlyMap<string, readonly LabelledPrompt[]>,
): TrafficKind {
  const { name, weight, model, max_tokens: maxOutputTokens, prompts: file } = wire;
  return {
    name,
    weight,
    model,
    fallbacks: wire.fallbacks ?? [],
    affinity: wire.session ?? 'id',
    turns: readRange(wire.turns ?? [1, 1]),
    pauseMs: readRange((wire.pause ?? ['10s', '60s']).map(readDuration)),
    promptTokens: readRange(wire.prompt_tokens),
    growthTokens: readRange(wire.growth_tokens ?? [0, 0]),
    answerTokens: readRange(wire.answer_tokens),
    cachedShare: wire.cached ?? 0,
    parameters: wire.parameters ?? [],
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    preferences: { ...common, ...readPreferences(wire.provider, undefined) },
    plugins: wire.plugins ?? [],
    ...(file !== undefined && { prompts: prompts.get(file) ?? [] }),
  };
}

function readWorldRule(wire: WireWorldRule): WorldRule {
  const { tokens_per_second: tokensPerSecond, spread, drift, faults } = wire;
  return {
    ...readScope(wire),
    fromMs: readTime(wire.from ?? MIDNIGHT),
    toMs: readTime(wire.to ?? END),
    ...(wire.first_token !== undefined && { firstTokenMs: readDuration(wire.first_token) }),
    ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    ...(spread !== undefined && { spread }),
    ...(drift !== undefined && { drift }),
    ...(faults && { faults: readFaults(faults, wire.retry_after) }),
  };
}

const readFaults = (wire: NonNullable<WireWorldRule['faults']>, hint: string | undefined): Faults => ({
  shares: sharesOf(wire),
  ...(hint !== undefined && { retryAfterMs: readDuration(hint) }),
});

const sharesOf = (wire: NonNullable<WireWorldRule['faults']>): (readonly [FaultKind, number])[] =>
  Object.entries(wire).map(([kind, share]) => [kind as FaultKind, share ?? 0]);

function readPolicy(wire: WirePolicy | undefined, file: string): Policy {
  const { only, ignore, deny_data_collection: denyDataCollection, zdr: zeroDataRetention } = wire?.account ?? {};
  return {
    environment: readSettings(wire, file),
    ...(wire?.credentials && { credentials: wire.credentials.map(readSlug) }),
    account: {
      ...(only && { only }),
      ...(ignore && { ignore }),
      ...(denyDataCollection !== undefined && { denyDataCollection }),
      ...(zeroDataRetention !== undefined && { zeroDataRetention }),
    },
  };
}

/** Read by the reader of the gateway's variables, so that the defaults are the gateway's. */
function readSettings(wire: WirePolicy | undefined, file: string): Environment {
  const variables = { FAIRLEAD_COOLDOWN: wire?.cooldown, FAIRLEAD_TIMEOUTS: wire?.timeouts };
  try {
    return readEnvironment(variables, process.cwd()).environment;
  } catch (error) {
    if (error instanceof InvalidEnvironment) throw new ScenarioRefused(`${file}: policy: ${error.message}`);
    throw error;
  }
}

const readScope = ({ provider, model }: { readonly provider?: string; readonly model?: string }): Scope => ({
  ...(provider !== undefined && { provider: readSlug(provider) }),
  ...(model !== undefined && { model }),
});

/** Reads the ends of a range, in either order. */
function readRange(ends: readonly number[]): Range {
  return { min: Math.min(...ends), max: Math.max(...ends) };
}

const MIDNIGHT = '00:00';
const END = '24:00';

/** `09:30` → milliseconds since midnight. */
function readTime(text: string): number {
  const [hours, minutes] = text.split(':').map(Number);
  return Math.min(DAY_MS, (hours! * 60 + minutes!) * MINUTE_MS);
}

/** `500ms` or `60s` → milliseconds. */
const readDuration = (text: string): number => parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1_000);
