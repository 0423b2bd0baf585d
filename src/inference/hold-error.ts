import { sizedTokens } from '../core/money/bound.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import { GatewayError } from '../core/errors.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Leg } from '../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type HoldRefusal } from '../ledger/hold.js';
import { hasRoom } from './affordable-legs.js';

/** The leg that comes nearest to being affordable, with what it would take. */
export interface NearestLeg {
  readonly leg: Leg;
  readonly amounts: HeldAmounts;
  readonly prompt: MeasuredPrompt;
  /** What a call of the leg would take for another prompt. */
  readonly price: (prompt: MeasuredPrompt) => HeldAmounts;
}

/** Told where calls under way hold what is missing: some of it is free when the next of them ends. */
const HELD_RETRY_AFTER_MS = 1_000;

/** What ran out, in the words of docs/wire/errors.md#payment-required, and what helps. */
interface Source {
  readonly name: string;
  readonly limitSource: string;
  readonly remedy: string;
}

function sourceOf({ scope, interval, limit }: HoldRefusal): Source {
  // What is for all time never begins anew.
  const reset = interval === 'lifetime' ? '' : ', or wait for its reset';
  switch (scope) {
    case 'workspace':
    case 'guardrail':
      return {
        name: `The ${scope}'s ${interval} budget of ${formatUsd(limit)} USD`,
        limitSource: `${scope}_budget`,
        remedy: `raise the budget${reset}`,
      };
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
 * What the caller is told when no leg of the plan can be paid for: account and key 402, budgets of workspaces and
 * guardrails 403 (docs/wire/errors.md#payment-required). Says what there is, what is reserved for others, what this
 * request would reserve and by how much that is too much, what would pass, and what to do; of every counter that
 * refuses, for only all of them together would let it pass.
 * @param refusing the counters that refuse the nearest leg, one at least, in the order in which callers are told of
 *   them
 * @param nearest absent where the plan has no leg
 */
export function holdError(refusing: readonly HoldRefusal[], nearest?: NearestLeg): GatewayError {
  const shortages = refusing.map((counter) => shortageOf(counter, nearest));
  // Where waiting does not help with one of them, that one is told of first.
  const hard = shortages.filter(({ isBusy }) => !isBusy);
  const told = hard[0] ?? shortages[0]!;
  const others = shortages.filter((shortage) => shortage !== told);
  const { counter, isBusy } = told;
  const isBudget = isBudgetOf(counter);
  const affordable = nearest ? affordableOutput(nearest, refusing) : 0;
  const metadata = {
    ...(isBudget ? { interval: counter.interval } : { provider_name: null }),
    ...viewShortage(told),
    ...(others.length > 0 && {
      also_refused_by: others.map((other) => ({ interval: other.counter.interval, ...viewShortage(other) })),
    }),
    ...(nearest && {
      requested_tokens: sizedTokens(nearest.prompt, nearest.leg).output,
      affordable_tokens: affordable,
    }),
  };
  const remedy = isBusy ? 'retry shortly' : hard.map(({ source }) => source.remedy).join('; and ');
  const words = [
    ...[told, ...others].map(({ source, state }) => `${source.name} ${state}.`),
    ...(nearest ? [needOf(nearest, refusing, affordable)] : []),
    `${capitalized(remedyOf(nearest, affordable, remedy))}.`,
  ];
  return new GatewayError(isBudget ? 'forbidden' : 'payment-required', words.join(' '), {
    metadata,
    ...(isBusy && { retryAfterMs: HELD_RETRY_AFTER_MS }),
  });
}

/** A counter without room, and what is told of it. */
interface Shortage {
  readonly counter: HoldRefusal;
  readonly source: Source;
  readonly state: string;
  /** Only calls under way stand in the way. */
  readonly isBusy: boolean;
}

function shortageOf(counter: HoldRefusal, nearest: NearestLeg | undefined): Shortage {
  const asked = nearest ? countedBy(counter, nearest.amounts) : 0n;
  const isBusy = asked > 0n && asked <= counter.limit - counter.used;
  return { counter, isBusy, source: sourceOf(counter), state: stateOf(counter, isBusy) };
}

const isBudgetOf = ({ scope }: HoldRefusal): boolean => scope === 'workspace' || scope === 'guardrail';

const viewShortage = ({ counter, source, isBusy }: Shortage): object => ({
  limit_source: isBusy && !isBudgetOf(counter) ? 'openrouter_in_flight_budget' : source.limitSource,
  ...(isBusy && { reason: 'in_flight_budget_exhausted' }),
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

function needOf({ leg, amounts, prompt }: NearestLeg, counters: readonly HoldRefusal[], affordable: number): string {
  const missingOf = (counter: HoldRefusal): PicoUsd => countedBy(counter, amounts) - remainingOf(counter);
  // Of the one that lacks the most: with so much more in each of them it passes.
  const scarcest = counters.reduce((most, counter) => (missingOf(counter) > missingOf(most) ? counter : most));
  const asked = countedBy(scarcest, amounts);
  if (asked === 0n) return 'This request costs nothing, and passes as soon as nothing is overdrawn.';
  const { output } = sizedTokens(prompt, leg);
  const tokens =
    prompt.maxOutputTokens === undefined
      ? `Without max_tokens the model's most is reserved, ${output} output tokens`
      : `Up to ${output} output tokens were asked for`;
  const room =
    affordable > 0 ? `there is room for ${affordable}` : 'there is no room for the prompt and one token of output';
  const missing = formatUsd(missingOf(scarcest));
  return `${tokens} (${formatUsd(asked)} USD at most, ${missing} USD too much); ${room}.`;
}

function remedyOf(nearest: NearestLeg | undefined, affordable: number, remedy: string): string {
  if (!nearest || affordable === 0) return remedy;
  return `${nearest.prompt.maxOutputTokens === undefined ? 'send' : 'lower'} max_tokens, or ${remedy}`;
}

/**
 * The most tokens of output, up to what would be reserved, that every one of these counters has room for behind the
 * whole prompt: a bound never falls when `max_tokens` grows.
 */
function affordableOutput({ leg, prompt, price }: NearestLeg, counters: readonly HoldRefusal[]): number {
  const passes = (maxOutputTokens: number): boolean => {
    const amounts = price({ ...prompt, maxOutputTokens });
    return counters.every((counter) => hasRoom(counter, amounts));
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
