/**
 * Goal: who cannot pay is told what ran out, how much there is room for and what helps, in the words and figures of
 * docs/wire/errors.md#payment-required, and never another status. Method: refusals of every counter, spent and busy, at
 * their edges; the whole message and metadata.
 */
import { endpoint, model } from '../../test/support/route-inputs.js';
import { parseUsd, type PicoUsd } from '../core/money/credits.js';
import { GatewayError } from '../core/errors.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Leg } from '../core/routing/plan.js';
import type { HoldRefusal } from '../ledger/hold.js';
import { holdError, type CheapestLeg } from './hold-error.js';

const usd = (amount: string): PicoUsd => parseUsd(amount)!;

/** 100 tokens in at 3 USD a million, up to 1,000 out at 15: 0.0153 USD at most. */
const PROMPT: MeasuredPrompt = {
  textTokens: 100,
  images: 0,
  documents: 0,
  fillsContext: false,
  webSearches: 0,
  maxOutputTokens: 1_000,
};
const priced = endpoint('p', {
  pricing: { prompt: usd('0.000003'), completion: usd('0.000015'), tiers: [] },
  contextLength: 10_000,
});
const leg: Leg = { model: model('a/b', [priced]), endpoint: priced, tier: 'standard', tag: 'p', credential: 'shared' };
const BOUND = usd('0.0153');
const cheapest: CheapestLeg = { leg, amounts: { credits: BOUND, byok: 0n } };

const refusal = (changes: Partial<HoldRefusal>): HoldRefusal => ({
  scope: 'account',
  interval: 'lifetime',
  includesByok: false,
  limit: usd('1'),
  used: 0n,
  held: 0n,
  ...changes,
});
const errorOf = (refused: HoldRefusal, by: CheapestLeg | undefined = cheapest): object => {
  const { kind, message, detail } = holdError(refused, PROMPT, by);
  return { kind, message, ...detail };
};

const askedFor = (room: number): string =>
  `Up to 1000 output tokens were asked for (0.0153 USD at most); there is room for ${room}.`;

const CREDITS = {
  provider_name: null,
  limit_source: 'openrouter_credits',
  remedy_hint: 'add credits (POST /credits)',
};
const KEY = { provider_name: null, limit_source: 'openrouter_key_limit' };
const BUSY = {
  provider_name: null,
  limit_source: 'openrouter_in_flight_budget',
  reason: 'in_flight_budget_exhausted',
  remedy_hint: 'retry when requests under way have ended',
};

describe('holdError', () => {
  it('is an error for the caller', () => {
    expect(holdError(refusal({}), PROMPT, cheapest)).toBeInstanceOf(GatewayError);
  });

  it.each<[string, Partial<HoldRefusal>, string, number]>([
    ['of nothing', { limit: 0n }, '0', 0],
    ['that is spent', { used: usd('1') }, '0', 0],
    ['that is overdrawn: never below nothing', { used: usd('1.5') }, '0', 0],
    ['that does not even pay for the prompt', { used: usd('0.9998') }, '0.0002', 0],
    ['that pays for the prompt and a part of the output', { used: usd('0.998') }, '0.002', 113],
    ['that lacks the least amount', { used: usd('1') - BOUND + 1n }, '0.015299999999', 999],
  ])('tells of a balance %s: 402, and no hope in waiting', (_, counter, left, room) => {
    expect(errorOf(refusal(counter))).toEqual({
      kind: 'payment-required',
      message: `The account's balance is used up: ${left} USD left. ${askedFor(room)} Lower max_tokens, or add credits (POST /credits).`,
      metadata: { ...CREDITS, requested_tokens: 1_000, affordable_tokens: room },
    });
  });

  it.each(['daily', 'weekly', 'monthly', 'lifetime'] as const)('tells of a %s limit of a key', (interval) => {
    // What is for all time never begins anew.
    const wait = interval === 'lifetime' ? '' : ', or wait for its reset';
    const remedy = `raise the key's limit (PATCH /keys/{hash})${wait}`;
    expect(errorOf(refusal({ scope: 'key', interval, used: usd('1') }))).toEqual({
      kind: 'payment-required',
      message:
        `The key's ${interval} limit is used up: 0 USD left. ${askedFor(0)} ` + `Lower max_tokens, or ${remedy}.`,
      metadata: { ...KEY, remedy_hint: remedy, requested_tokens: 1_000, affordable_tokens: 0 },
    });
  });

  it.each<[string, Partial<HoldRefusal>, string, string, number]>([
    ["an account's balance", {}, "The account's balance", '0', 0],
    ["a key's limit", { scope: 'key', interval: 'daily' }, "The key's daily limit", '0', 0],
    ['what fits exactly', { limit: BOUND, held: 1n }, "The account's balance", '0.015299999999', 999],
  ])('tells to wait where only requests under way stand in the way of %s', (_, counter, whose, left, room) => {
    expect(errorOf(refusal({ held: usd('1'), ...counter }))).toEqual({
      kind: 'payment-required',
      message: `${whose} is reserved for requests that are under way: ${left} USD left. ${askedFor(room)} Retry shortly.`,
      metadata: { ...BUSY, requested_tokens: 1_000, affordable_tokens: room },
      retryAfterMs: 1_000,
    });
  });

  it('does not tell to wait where it would not fit without those either', () => {
    expect(errorOf(refusal({ limit: BOUND, used: 1n, held: BOUND }))).toMatchObject({
      message: expect.stringContaining('is used up'),
      metadata: CREDITS,
    });
    expect(errorOf(refusal({ limit: BOUND, used: 1n, held: BOUND }))).not.toHaveProperty('retryAfterMs');
  });

  it('counts what goes through own credentials where the limit counts it', () => {
    const own: CheapestLeg = { leg, amounts: { credits: 0n, byok: BOUND } };
    const limit = { scope: 'key', limit: usd('0.01') } as const;
    expect(errorOf(refusal({ ...limit, includesByok: true }), own)).toMatchObject({
      message: expect.stringContaining('(0.0153 USD at most); there is room for 646.'),
    });
    expect(errorOf(refusal({ ...limit, includesByok: false }), own)).toMatchObject({
      message: expect.stringContaining('(0 USD at most)'),
    });
  });

  it('says nothing of tokens where no leg is left to tell of', () => {
    expect({ ...holdError(refusal({ used: usd('1') }), PROMPT) }).toMatchObject({ detail: { metadata: CREDITS } });
    const { message, detail } = holdError(refusal({ used: usd('1') }), PROMPT);
    expect(message).toBe(
      "The account's balance is used up: 0 USD left. Lower max_tokens, or add credits (POST /credits).",
    );
    expect(detail).toEqual({ metadata: CREDITS });
  });

  it.each(['workspace', 'guardrail'] as const)('tells of a budget of a %s: 403, by its interval', (scope) => {
    for (const interval of ['daily', 'weekly', 'monthly', 'lifetime'] as const) {
      const wait = interval === 'lifetime' ? '' : ', or wait for its reset';
      // Whether it is spent or held: what helps is the same.
      for (const held of [0n, usd('2')]) {
        expect(errorOf(refusal({ scope, interval, limit: usd('2.5'), used: usd('2.49'), held }))).toEqual({
          kind: 'forbidden',
          message:
            `The ${scope}'s ${interval} budget of 2.5 USD has no room for this request (2.49 USD used). ` +
            `Raise it${wait}, or lower max_tokens.`,
          metadata: { limit_source: `${scope}_budget`, interval },
        });
      }
    }
  });

  it('tells no secret and no address', () => {
    for (const scope of ['account', 'key', 'workspace', 'guardrail'] as const) {
      expect(JSON.stringify(errorOf(refusal({ scope })))).not.toMatch(/https?:|sk-|sql|select/i);
    }
  });
});
