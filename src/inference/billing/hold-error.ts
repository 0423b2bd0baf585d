import { inWordsOf, type FieldNames } from '../../core/conversation/field-names.js';
import { DEFAULT_SUBJECT } from '../../accounts/budget-subjects.js';
import { shortened } from '../../core/shortened.js';
import { sizedTokens } from '../../core/money/bound.js';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import { GatewayError } from '../../core/errors.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import type { Leg } from '../../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type HoldRefusal } from '../../ledger/hold.js';
import { hasBalance } from './affordable-legs.js';

/** The amounts that a request needs. */
interface NeededAmounts {
  readonly amounts: HeldAmounts;
}

/** The leg that is closest to being affordable, with the amounts that it needs. */
export interface NearestLeg extends NeededAmounts {
  readonly leg: Leg;
  readonly prompt: MeasuredPrompt;
  /** The amounts that a call of the leg needs for another prompt. */
  readonly price: (prompt: MeasuredPrompt) => HeldAmounts;
}

/** Sent where running calls hold the missing amount: some of it is free when the next of them ends. */
const HELD_RETRY_AFTER_MS = 1_000;

/** The limit or budget that is used up, by its name in docs/use/errors.md#payment-required, and the remedy. */
interface Source {
  readonly name: string;
  readonly limitSource: string;
  readonly remedy: string;
}

function sourceOf({ scope, interval, limit, subject, isDefault }: HoldRefusal): Source {
  // A lifetime limit is never reset.
  const reset = interval === 'lifetime' ? '' : ', or wait for its reset';
  switch (scope) {
    case 'workspace':
    case 'guardrail':
      return {
        name: `The ${scope}'s ${interval} budget of ${formatUsd(limit)} USD`,
        limitSource: `${scope}_budget`,
        remedy: `raise the budget${reset}`,
      };
    case 'users':
    case 'members':
    case 'tags': {
      const id = isDefault || !subject ? DEFAULT_SUBJECT : subject.id;
      return {
        name: `The ${interval} budget of ${formatUsd(limit)} USD of ${scope} ${shortened(id)}`,
        limitSource: `budget:${scope}:${id}:${interval}`,
        remedy: `raise the budget${reset}`,
      };
    }
    case 'key':
      return {
        name: `The key's ${interval} limit`,
        limitSource: 'openrouter_key_limit',
        remedy: `raise the key's limit (PATCH /keys/{hash})${reset}`,
      };
    default:
      return {
        name: "The account's balance",
        limitSource: 'openrouter_credits',
        remedy: 'add credits (POST /credits)',
      };
  }
}

/**
 * The error for a plan without an affordable leg: 402 for account and key, 403 for budgets of workspaces and guardrails
 * (docs/use/errors.md#payment-required). For each refusing counter it states what is left and what is reserved for
 * other requests: all of them must cover the request. It also states the amount that this request would reserve, by how
 * much that is too much, the output that would fit, and the remedy.
 * @param refusing the counters that refuse the nearest leg, at least one, in the order in which they are reported
 * @param needed the amounts of the nearest leg, or of a request with its plugins; absent where the plan has no leg
 * @param names the caller's names of fields
 */
export function holdError(
  refusing: readonly HoldRefusal[],
  needed?: NearestLeg | NeededAmounts,
  names?: FieldNames,
): GatewayError {
  const nearest = needed && 'leg' in needed ? needed : undefined;
  const shortages = refusing.map((counter) => shortageOf(counter, needed));
  // A counter that waiting does not help is reported first.
  const hard = shortages.filter(({ isBusy }) => !isBusy);
  const first = hard[0] ?? shortages[0]!;
  const others = shortages.filter((shortage) => shortage !== first);
  const { counter, isBusy } = first;
  const isBudget = isBudgetOf(counter);
  const affordable = nearest ? affordableOutput(nearest, refusing) : 0;
  const limit = inWordsOf(names, 'max_tokens');
  const metadata = {
    ...(isBudget ? { interval: counter.interval } : { provider_name: null }),
    ...viewShortage(first),
    ...(others.length > 0 && {
      also_refused_by: others.map((refusal) => ({ interval: refusal.counter.interval, ...viewShortage(refusal) })),
    }),
    ...(nearest && {
      requested_tokens: sizedTokens(nearest.prompt, nearest.leg).output,
      affordable_tokens: affordable,
    }),
  };
  const remedy = isBusy ? 'retry shortly' : hard.map(({ source }) => source.remedy).join('; and ');
  const words = [
    ...[first, ...others].map(({ source, state }) => `${source.name} ${state}.`),
    ...(nearest
      ? [needOf(nearest, refusing, { affordable, limit })]
      : needed
        ? [needWithPlugins(needed, refusing)]
        : []),
    `${capitalized(remedyOf(nearest, { affordable, limit }, remedy))}.`,
  ];
  return new GatewayError(isBudget ? 'forbidden' : 'payment-required', words.join(' '), {
    metadata,
    ...(isBusy && { retryAfterMs: HELD_RETRY_AFTER_MS }),
  });
}

/** A counter without enough balance, and what the error states about it. */
interface Shortage {
  readonly counter: HoldRefusal;
  readonly source: Source;
  readonly state: string;
  /** Only the amounts held by running calls prevent it. */
  readonly isBusy: boolean;
}

function shortageOf(counter: HoldRefusal, of: NeededAmounts | undefined): Shortage {
  const needed = of ? countedBy(counter, of.amounts) : 0n;
  const isBusy = needed > 0n && needed <= counter.limit - counter.used;
  return { counter, isBusy, source: sourceOf(counter), state: stateOf(counter, isBusy) };
}

const isBudgetOf = ({ scope }: HoldRefusal): boolean =>
  scope !== 'account' && scope !== 'key' && scope !== 'free_requests';

const viewShortage = ({ counter, source, isBusy }: Shortage): object => ({
  limit_source: isBusy && !isBudgetOf(counter) ? 'openrouter_in_flight_budget' : source.limitSource,
  ...(isBusy ? { reason: 'in_flight_budget_exhausted' } : counter.subject && { reason: 'budget_exceeded' }),
  remedy_hint: isBusy ? 'retry when requests under way have ended' : source.remedy,
});

function stateOf(counter: HoldRefusal, isBusy: boolean): string {
  const unused = counter.limit - counter.used;
  const left = formatUsd(leftOf(counter));
  const held = formatUsd(counter.held);
  if (unused < 0n) return `is overdrawn by ${formatUsd(-unused)} USD`;
  if (unused === 0n && counter.used > 0n) return 'is used up';
  if (isBusy) return `is reserved for requests that are under way: ${left} USD left, ${held} USD reserved`;
  const others = counter.held > 0n ? `, ${held} USD reserved for requests that are under way` : '';
  return `has no room for this request: ${left} USD left${others}`;
}

/** The counter that lacks the most decides: with that much more in each counter, the request fits. */
function greatestNeed(amounts: HeldAmounts, counters: readonly HoldRefusal[]): { needed: PicoUsd; missing: PicoUsd } {
  const missingOf = (counter: HoldRefusal): PicoUsd => countedBy(counter, amounts) - remainingOf(counter);
  const scarcest = counters.reduce((most, counter) => (missingOf(counter) > missingOf(most) ? counter : most));
  return { needed: countedBy(scarcest, amounts), missing: missingOf(scarcest) };
}

function needWithPlugins({ amounts }: NeededAmounts, counters: readonly HoldRefusal[]): string {
  const { needed, missing } = greatestNeed(amounts, counters);
  return `With its plugins this request needs ${formatUsd(needed)} USD at most, ${formatUsd(missing)} USD too much.`;
}

/** The output in tokens that would fit, and the caller's name of the field that limits it. */
interface OutputLimit {
  readonly affordable: number;
  readonly limit: string;
}

function needOf(
  { leg, amounts, prompt }: NearestLeg,
  counters: readonly HoldRefusal[],
  { affordable, limit }: OutputLimit,
): string {
  const { needed, missing } = greatestNeed(amounts, counters);
  if (needed === 0n) return 'This request is free, and passes as soon as no balance is overdrawn.';
  const { output } = sizedTokens(prompt, leg);
  const tokens =
    prompt.maxOutputTokens === undefined
      ? `Without ${limit} the model's most is reserved, ${output} output tokens`
      : `Up to ${output} output tokens were requested`;
  const affordableOutput =
    affordable > 0 ? `there is room for ${affordable}` : 'there is no room for the prompt and one token of output';
  return `${tokens} (${formatUsd(needed)} USD at most, ${formatUsd(missing)} USD too much); ${affordableOutput}.`;
}

function remedyOf(nearest: NearestLeg | undefined, { affordable, limit }: OutputLimit, remedy: string): string {
  if (!nearest || affordable === 0) return remedy;
  return `${nearest.prompt.maxOutputTokens === undefined ? 'send' : 'lower'} ${limit}, or ${remedy}`;
}

/**
 * The highest output, up to what would be reserved, that fits into all of these counters after the whole prompt: a
 * bound never falls when `max_tokens` grows.
 */
function affordableOutput({ leg, prompt, price }: NearestLeg, counters: readonly HoldRefusal[]): number {
  const passes = (maxOutputTokens: number): boolean => {
    const amounts = price({ ...prompt, maxOutputTokens });
    return counters.every((counter) => hasBalance(counter, amounts));
  };
  let most = 0;
  for (let past = sizedTokens(prompt, leg).output + 1; past - most > 1;) {
    const middle = Math.floor((most + past) / 2);
    if (passes(middle)) most = middle;
    else past = middle;
  }
  return most;
}

const leftOf = (counter: HoldRefusal): PicoUsd => {
  const left = remainingOf(counter);
  return left > 0n ? left : 0n;
};

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
