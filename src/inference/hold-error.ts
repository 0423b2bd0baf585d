import { affordableOutput, boundTokens } from '../core/money/bound.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import { GatewayError } from '../core/errors.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Leg } from '../core/routing/plan.js';
import type { Interval } from '../core/time.js';
import { countedBy, remainingOf, type HeldAmounts, type HoldRefusal } from '../ledger/hold.js';

/** The leg that comes nearest to being affordable, with what it would take. */
export interface CheapestLeg {
  readonly leg: Leg;
  readonly amounts: HeldAmounts;
}

/** Told where calls under way hold what is missing: some of it is free when the next of them ends. */
const HELD_RETRY_AFTER_MS = 1_000;

/** What is for all time never begins anew. */
const resetHint = (interval: Interval): string => (interval === 'lifetime' ? '' : ', or wait for its reset');

/** The words of docs/wire/errors.md#payment-required for what ran out, and what helps. */
const SOURCES: Readonly<
  Record<'account' | 'key', (refused: HoldRefusal) => { readonly source: string; readonly remedy: string }>
> = {
  account: () => ({ source: 'openrouter_credits', remedy: 'add credits (POST /credits)' }),
  key: ({ interval }) => ({
    source: 'openrouter_key_limit',
    remedy: `raise the key's limit (PATCH /keys/{hash})${resetHint(interval)}`,
  }),
};

/**
 * What the caller is told when no leg of the plan can be paid for: account and key 402, budgets of workspaces and
 * guardrails 403 (docs/wire/errors.md#payment-required). Says how many tokens were asked for, how many there is
 * room for, and what to do.
 * @param cheapest absent where the plan has no leg
 */
export function holdError(refused: HoldRefusal, prompt: MeasuredPrompt, cheapest?: CheapestLeg): GatewayError {
  const { scope } = refused;
  if (scope === 'workspace' || scope === 'guardrail') return budgetError(refused, scope);
  const { source, remedy } = SOURCES[scope === 'key' ? 'key' : 'account'](refused);
  const room = atLeastZero(remainingOf(refused));
  const asked = cheapest && countedBy(refused, cheapest.amounts);
  const isBusy = asked !== undefined && asked > 0n && asked <= refused.limit - refused.used;
  const whose = scope === 'key' ? `The key's ${refused.interval} limit` : "The account's balance";
  const amounts =
    cheapest && asked !== undefined ? amountsOf(prompt, cheapest.leg, room, asked) : { words: '', tokens: {} };
  const metadata = {
    provider_name: null,
    limit_source: isBusy ? 'openrouter_in_flight_budget' : source,
    ...(isBusy && { reason: 'in_flight_budget_exhausted' }),
    remedy_hint: isBusy ? 'retry when requests under way have ended' : remedy,
    ...amounts.tokens,
  };
  const cause = isBusy ? 'is reserved for requests that are under way' : 'is used up';
  const todo = isBusy ? 'Retry shortly' : `Lower max_tokens, or ${remedy}`;
  return new GatewayError(
    'payment-required',
    `${whose} ${cause}: ${formatUsd(room)} USD left.${amounts.words} ${todo}.`,
    {
      metadata,
      ...(isBusy && { retryAfterMs: HELD_RETRY_AFTER_MS }),
    },
  );
}

function amountsOf(
  prompt: MeasuredPrompt,
  leg: Leg,
  room: PicoUsd,
  asked: PicoUsd,
): { readonly words: string; readonly tokens: { readonly [key: string]: number } } {
  const { output } = boundTokens(prompt, leg);
  const affordable = affordableOutput(prompt, leg, room);
  return {
    words: ` Up to ${output} output tokens were asked for (${formatUsd(asked)} USD at most); there is room for ${affordable}.`,
    tokens: { requested_tokens: output, affordable_tokens: affordable },
  };
}

function budgetError({ interval, limit, used }: HoldRefusal, scope: 'workspace' | 'guardrail'): GatewayError {
  const message =
    `The ${scope}'s ${interval} budget of ${formatUsd(limit)} USD has no room for this request (${formatUsd(used)} USD used). ` +
    `Raise it${resetHint(interval)}, or lower max_tokens.`;
  return new GatewayError('forbidden', message, { metadata: { limit_source: `${scope}_budget`, interval } });
}

const atLeastZero = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
