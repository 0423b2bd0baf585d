import { ProviderFault, type FaultKind } from '../../src/core/errors.js';
import type { Leg } from '../../src/core/routing/plan.js';
import type { Environment } from '../../src/shared/environment.js';
import type { SeededRandom } from './seeded-random.js';
import type { Faults, WorldRule } from './scenario.js';
import { coversEndpoint } from './scope.js';

/** The behaviour of an endpoint without a rule. */
const FIRST_TOKEN_MS = 600;
const TOKENS_PER_SECOND = 60;
const SPREAD = 0.35;
/** How long a provider takes to refuse. A time-out takes as long as the gateway waits. */
const REFUSAL_MS = 150;
const MS_PER_SECOND = 1_000;

/** The outcome of a call, and the time to its first token or its fault. */
export type CallOutcome =
  | { readonly firstMs: number; readonly fault: ProviderFault }
  | { readonly firstMs: number; readonly fault?: undefined; readonly tokensPerSecond: number };

interface Conditions {
  firstTokenMs: number;
  tokensPerSecond: number;
  spread: number;
  drift: number;
  faults: Faults | undefined;
}

/** The providers, by the scenario's rules. */
export class World {
  /** The rules of each endpoint at any time, by model and tag. */
  private readonly rules = new Map<string, readonly WorldRule[]>();

  constructor(
    private readonly all: readonly WorldRule[],
    private readonly timeouts: Environment['timeouts'],
    private readonly random: SeededRandom,
  ) {}

  /**
   * @param dayMs since midnight
   * @param subject name of its random draws
   */
  call(leg: Leg, dayMs: number, subject: string): CallOutcome {
    const conditions = this.conditions(leg, dayMs);
    const { firstTokenMs, drift, tokensPerSecond, spread } = conditions;
    const limitMs = leg.endpoint.firstTimeoutMs ?? this.timeouts.firstMs;
    const kind = this.drawFault(conditions, `${subject} ${leg.tag}`);
    if (kind) return this.fault(kind, limitMs, conditions.faults?.retryAfterMs);
    const firstMs = firstTokenMs * drift * this.random.factor(spread, subject, leg.tag);
    if (firstMs >= limitMs) return this.fault('timed-out', limitMs);
    return { firstMs, tokensPerSecond: tokensPerSecond * this.random.factor(spread, subject, `${leg.tag} speed`) };
  }

  private conditions({ model, endpoint, tag }: Leg, dayMs: number): Conditions {
    const key = `${model.id} ${tag}`;
    let rules = this.rules.get(key);
    if (!rules) this.rules.set(key, (rules = this.all.filter((rule) => coversEndpoint(rule, model.id, endpoint))));
    const conditions: Conditions = {
      firstTokenMs: FIRST_TOKEN_MS,
      tokensPerSecond: TOKENS_PER_SECOND,
      spread: SPREAD,
      drift: 1,
      faults: undefined,
    };
    for (const { fromMs, toMs, firstTokenMs, tokensPerSecond, spread, drift, faults } of rules) {
      if (dayMs < fromMs || dayMs >= toMs) continue;
      conditions.firstTokenMs = firstTokenMs ?? conditions.firstTokenMs;
      conditions.tokensPerSecond = tokensPerSecond ?? conditions.tokensPerSecond;
      conditions.spread = spread ?? conditions.spread;
      conditions.faults = faults ?? conditions.faults;
      if (drift !== undefined) conditions.drift *= 1 + ((drift - 1) * (dayMs - fromMs)) / (toMs - fromMs);
    }
    return conditions;
  }

  private drawFault({ faults }: Conditions, subject: string): FaultKind | undefined {
    if (!faults) return undefined;
    let chance = this.random.chance(subject, 'fault');
    for (const [kind, share] of faults.shares) {
      if (chance < share) return kind;
      chance -= share;
    }
    return undefined;
  }

  private fault(kind: FaultKind, limitMs: number, retryAfterMs?: number): CallOutcome {
    const detail = retryAfterMs === undefined ? {} : { retryAfterMs };
    const firstMs = kind === 'timed-out' ? limitMs : REFUSAL_MS;
    return { firstMs, fault: new ProviderFault(kind, 'A fault of the scenario.', detail) };
  }
}

/** How long an answer takes after its first token. */
export const answerMs = (tokens: number, tokensPerSecond: number): number => (tokens / tokensPerSecond) * MS_PER_SECOND;
