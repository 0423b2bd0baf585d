/**
 * Errors for every counter, spent, busy and overdrawn, at their limits: the exact message and metadata of
 * docs/use/errors.md#payment-required, and a property of the affordable output that they state.
 */
import fc from 'fast-check';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { billBound, readFeeShare } from '../../core/money/bill.js';
import { parseUsd, type PicoUsd } from '../../core/money/credits.js';
import { GatewayError } from '../../core/errors.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import type { Leg } from '../../core/routing/plan.js';
import type { HeldAmounts, HoldRefusal } from '../../ledger/hold.js';
import { hasBalance } from './affordable-legs.js';
import { holdError, type NearestLeg } from './hold-error.js';

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
const { maxOutputTokens: _, ...UNLIMITED } = PROMPT;
const FEE = readFeeShare('5');
const priced = endpoint('p', {
  pricing: { prompt: usd('0.000003'), completion: usd('0.000015'), tiers: [] },
  contextLength: 10_000,
});
const leg: Leg = { model: model('a/b', [priced]), endpoint: priced, tier: 'standard', tag: 'p', credential: 'shared' };
const own: Leg = { ...leg, credential: 'byok' };
const BOUND = usd('0.0153');

function near(of: Leg = leg, prompt: MeasuredPrompt = PROMPT): NearestLeg {
  const price = (other: MeasuredPrompt): HeldAmounts => {
    const { cost, byokCost } = billBound(other, of, FEE);
    return { credits: cost, byok: byokCost };
  };
  return { leg: of, amounts: price(prompt), prompt, price };
}

const refusal = (changes: Partial<HoldRefusal>): HoldRefusal => ({
  scope: 'account',
  scopeId: 'an-account',
  interval: 'lifetime',
  includesByok: false,
  limit: usd('1'),
  used: 0n,
  held: 0n,
  ...changes,
});
const errorOf = (refused: Partial<HoldRefusal> | readonly HoldRefusal[], by: NearestLeg | undefined = near()) => {
  const { kind, message, detail } = holdError(Array.isArray(refused) ? refused : [refusal(refused as object)], by);
  return { kind, message, ...detail };
};

const CREDITS = {
  provider_name: null,
  limit_source: 'openrouter_credits',
  remedy_hint: 'add credits (POST /credits)',
};
const BUSY_LIMIT = {
  limit_source: 'openrouter_in_flight_budget',
  reason: 'in_flight_budget_exhausted',
  remedy_hint: 'retry when requests under way have ended',
};
const BUSY = { provider_name: null, ...BUSY_LIMIT };

describe('holdError', () => {
  it('is an error for the caller', () => {
    expect(holdError([refusal({})], near())).toBeInstanceOf(GatewayError);
  });

  it.each<[string, Partial<HoldRefusal>, string, string, number]>([
    ['of nothing', { limit: 0n }, 'has no room for this request: 0 USD left', '0.0153', 0],
    ['that is spent', { used: usd('1') }, 'is used up', '0.0153', 0],
    ['that is overdrawn', { used: usd('1.5') }, 'is overdrawn by 0.5 USD', '0.5153', 0],
    [
      'that does not even pay for the prompt',
      { used: usd('0.9998') },
      'has no room for this request: 0.0002 USD left',
      '0.0151',
      0,
    ],
    [
      'that pays for the prompt and a part of the output',
      { used: usd('0.998') },
      'has no room for this request: 0.002 USD left',
      '0.0133',
      113,
    ],
    [
      'that lacks the least amount',
      { used: usd('1') - BOUND + 1n },
      'has no room for this request: 0.015299999999 USD left',
      '0.000000000001',
      999,
    ],
    [
      'of which a part is reserved, yet too little without that',
      { used: usd('0.99'), held: usd('0.008') },
      'has no room for this request: 0.002 USD left, 0.008 USD reserved for requests that are under way',
      '0.0133',
      113,
    ],
  ])('reports a balance %s: 402, without a hint to wait', (_name, counter, state, missing, room) => {
    const pass = room > 0 ? `there is room for ${room}` : 'there is no room for the prompt and one token of output';
    const todo = room > 0 ? 'Lower max_tokens, or add credits (POST /credits)' : 'Add credits (POST /credits)';
    expect(errorOf(counter)).toEqual({
      kind: 'payment-required',
      message:
        `The account's balance ${state}. ` +
        `Up to 1000 output tokens were requested (0.0153 USD at most, ${missing} USD too much); ${pass}. ${todo}.`,
      metadata: { ...CREDITS, requested_tokens: 1_000, affordable_tokens: room },
    });
  });

  it('does not mention a requested or lower max_tokens where the request has none', () => {
    expect(errorOf({ used: usd('0.998') }, near(leg, UNLIMITED))).toEqual({
      kind: 'payment-required',
      message:
        "The account's balance has no room for this request: 0.002 USD left. Without max_tokens the model's most is " +
        'reserved, 10000 output tokens (0.1503 USD at most, 0.1483 USD too much); there is room for 113. ' +
        'Send max_tokens, or add credits (POST /credits).',
      metadata: { ...CREDITS, requested_tokens: 10_000, affordable_tokens: 113 },
    });
  });

  it.each(['daily', 'weekly', 'monthly', 'lifetime'] as const)('reports a %s limit of a key', (interval) => {
    // A lifetime limit is never reset.
    const wait = interval === 'lifetime' ? '' : ', or wait for its reset';
    const remedy = `raise the key's limit (PATCH /keys/{hash})${wait}`;
    expect(errorOf({ scope: 'key', interval, used: usd('0.998') })).toEqual({
      kind: 'payment-required',
      message:
        `The key's ${interval} limit has no room for this request: 0.002 USD left. Up to 1000 output tokens were requested ` +
        `(0.0153 USD at most, 0.0133 USD too much); there is room for 113. Lower max_tokens, or ${remedy}.`,
      metadata: {
        provider_name: null,
        limit_source: 'openrouter_key_limit',
        remedy_hint: remedy,
        requested_tokens: 1_000,
        affordable_tokens: 113,
      },
    });
  });

  it.each<[string, Partial<HoldRefusal>, string, string, number]>([
    ["an account's balance", {}, "The account's balance", '0', 0],
    ["a key's limit", { scope: 'key', interval: 'daily' }, "The key's daily limit", '0', 0],
    ['what fits exactly', { limit: BOUND, held: 1n }, "The account's balance", '0.015299999999', 999],
  ])('advises to wait where only running requests prevent %s', (_name, counter, whose, left, room) => {
    const error = errorOf({ held: usd('1'), ...counter });
    expect(error).toMatchObject({
      kind: 'payment-required',
      metadata: { ...BUSY, requested_tokens: 1_000, affordable_tokens: room },
      retryAfterMs: 1_000,
    });
    const held = counter.held === undefined ? '1' : '0.000000000001';
    expect(error.message).toContain(
      `${whose} is reserved for requests that are under way: ${left} USD left, ${held} USD reserved. Up to 1000`,
    );
    expect(error.message).toMatch(room > 0 ? /Lower max_tokens, or retry shortly\.$/ : /\. Retry shortly\.$/);
  });

  it('does not advise to wait where the request would not fit without those either', () => {
    const error = errorOf({ limit: BOUND, used: 1n, held: BOUND });
    expect(error).toMatchObject({ metadata: CREDITS });
    expect(error).not.toHaveProperty('retryAfterMs');
  });

  it('reports the counter that waiting does not help, and the output that fits into all of them', () => {
    const busy = refusal({ held: usd('1') - usd('0.001') });
    const hard = refusal({ scope: 'workspace', interval: 'weekly', limit: usd('0.002') });
    expect(errorOf([busy, hard])).toMatchObject({
      kind: 'forbidden',
      metadata: { limit_source: 'workspace_budget', affordable_tokens: 46 },
    });
    expect(errorOf([busy, { ...hard, limit: usd('1'), held: usd('0.9999') }])).toMatchObject({
      kind: 'payment-required',
      retryAfterMs: 1_000,
    });
  });

  it('names every limit that refuses, each with its remedy, and the largest missing amount', () => {
    const key = refusal({ scope: 'key', interval: 'daily', used: usd('0.998') });
    const budget = refusal({ scope: 'workspace', interval: 'weekly', limit: usd('2'), used: usd('1.999') });
    const [raiseKey, raiseBudget] = [
      "raise the key's limit (PATCH /keys/{hash}), or wait for its reset",
      'raise the budget, or wait for its reset',
    ];
    expect(errorOf([key, budget])).toEqual({
      kind: 'payment-required',
      message:
        "The key's daily limit has no room for this request: 0.002 USD left. The workspace's weekly budget of 2 USD has " +
        'no room for this request: 0.001 USD left. Up to 1000 output tokens were requested (0.0153 USD at most, 0.0143 ' +
        `USD too much); there is room for 46. Lower max_tokens, or ${raiseKey}; and ${raiseBudget}.`,
      metadata: {
        provider_name: null,
        limit_source: 'openrouter_key_limit',
        remedy_hint: raiseKey,
        also_refused_by: [{ interval: 'weekly', limit_source: 'workspace_budget', remedy_hint: raiseBudget }],
        requested_tokens: 1_000,
        affordable_tokens: 46,
      },
    });
  });

  it('names counters that waiting helps after those that it does not, and does not advise to wait', () => {
    const busy = refusal({ held: usd('0.999') });
    const hard = refusal({ scope: 'guardrail', interval: 'monthly', limit: usd('0.002') });
    const error = errorOf([busy, hard]);
    expect(error).toMatchObject({
      kind: 'forbidden',
      metadata: {
        limit_source: 'guardrail_budget',
        interval: 'monthly',
        also_refused_by: [{ ...BUSY_LIMIT, interval: 'lifetime' }],
      },
    });
    expect(error.message).toMatch(
      /^The guardrail's monthly budget of 0\.002 USD has no room.* The account's balance is reserved for requests/,
    );
    expect(error.message).toMatch(/or raise the budget, or wait for its reset\.$/);
    expect(error).not.toHaveProperty('retryAfterMs');
    expect(errorOf([busy, { ...busy, scope: 'key' }])).toMatchObject({
      message: expect.stringMatching(/balance is reserved .* The key's lifetime limit is reserved .* retry shortly\.$/),
      metadata: { also_refused_by: [{ ...BUSY_LIMIT, interval: 'lifetime' }] },
      retryAfterMs: 1_000,
    });
  });

  it('counts calls with own credentials where the limit includes them', () => {
    const limit = { scope: 'key', limit: usd('0.01') } as const;
    expect(errorOf({ ...limit, includesByok: true }, near(own))).toMatchObject({
      message: expect.stringContaining('(0.016065 USD at most, 0.006065 USD too much); there is room for 614.'),
      metadata: { affordable_tokens: 614 },
    });
    expect(errorOf({ scope: 'key', limit: usd('0.0005'), includesByok: false }, near(own))).toMatchObject({
      message: expect.stringContaining('(0.000765 USD at most, 0.000265 USD too much); there is room for 646.'),
    });
  });

  it('states that a free request passes when nothing is overdrawn', () => {
    const free: NearestLeg = {
      ...near(),
      amounts: { credits: 0n, byok: 0n },
      price: () => ({ credits: 0n, byok: 0n }),
    };
    expect(errorOf({ limit: -1n }, free)).toMatchObject({
      message:
        "The account's balance is overdrawn by 0.000000000001 USD. This request is free, and passes as soon as no " +
        'balance is overdrawn. Add credits (POST /credits).',
    });
  });

  it('reports no tokens without a leg', () => {
    const { message, detail } = holdError([refusal({ used: usd('1') })]);
    expect(message).toBe("The account's balance is used up. Add credits (POST /credits).");
    expect(detail).toEqual({ metadata: CREDITS });
  });

  it('states what a request needs with its plugins, and whether waiting helps', () => {
    const key = { scope: 'key', limit: usd('0.8') } as const;
    const needed = { amounts: { credits: usd('0.5'), byok: 0n } };
    const hard = holdError([refusal({ ...key, used: usd('0.4') })], needed);
    expect(hard.message).toBe(
      "The key's lifetime limit has no room for this request: 0.4 USD left. With its plugins this request needs 0.5 USD at " +
        "most, 0.1 USD too much. Raise the key's limit (PATCH /keys/{hash}).",
    );
    expect(hard.detail.retryAfterMs).toBeUndefined();
    const busy = holdError([refusal({ ...key, held: usd('0.4') })], needed);
    expect(busy.message).toBe(
      "The key's lifetime limit is reserved for requests that are under way: 0.4 USD left, 0.4 USD reserved. With its " +
        'plugins this request needs 0.5 USD at most, 0.1 USD too much. Retry shortly.',
    );
    expect(busy.detail).toEqual({ metadata: BUSY, retryAfterMs: 1_000 });
  });

  it.each(['workspace', 'guardrail'] as const)('reports a budget of a %s: 403, by its interval', (scope) => {
    for (const interval of ['daily', 'weekly', 'monthly', 'lifetime'] as const) {
      const wait = interval === 'lifetime' ? '' : ', or wait for its reset';
      const counter = { scope, interval, limit: usd('2.5'), used: usd('2.498') };
      expect(errorOf(counter)).toEqual({
        kind: 'forbidden',
        message:
          `The ${scope}'s ${interval} budget of 2.5 USD has no room for this request: 0.002 USD left. Up to 1000 output ` +
          'tokens were requested (0.0153 USD at most, 0.0133 USD too much); there is room for 113. ' +
          `Lower max_tokens, or raise the budget${wait}.`,
        metadata: {
          interval,
          limit_source: `${scope}_budget`,
          remedy_hint: `raise the budget${wait}`,
          requested_tokens: 1_000,
          affordable_tokens: 113,
        },
      });
      expect(errorOf({ ...counter, used: 0n, held: usd('2.5') })).toMatchObject({
        kind: 'forbidden',
        message: expect.stringContaining('2.5 USD reserved'),
        metadata: { limit_source: `${scope}_budget`, reason: 'in_flight_budget_exhausted' },
        retryAfterMs: 1_000,
      });
    }
  });

  it('reports a counter as used up only where it is', () => {
    const amount = fc.bigInt({ min: 0n, max: usd('0.02') });
    fc.assert(
      fc.property(amount, amount, amount, (limit, used, held) => {
        const { message } = errorOf({ limit, used, held });
        expect(message.includes('used up')).toBe(used > 0n && used === limit);
      }),
    );
  });

  it('states exactly the highest affordable output, whatever counters refuse', () => {
    const amount = fc.bigInt({ min: 0n, max: usd('0.02') });
    const counter = fc.record({ limit: amount, used: amount, held: amount, includesByok: fc.boolean() });
    fc.assert(
      fc.property(fc.array(counter, { minLength: 1, maxLength: 3 }), fc.constantFrom(leg, own), (parts, of) => {
        const counters = parts.map(refusal);
        const nearest = near(of);
        const { affordable_tokens: most } = errorOf(counters, nearest).metadata as { affordable_tokens: number };
        const passes = (maxOutputTokens: number): boolean =>
          counters.every((one) => hasBalance(one, nearest.price({ ...PROMPT, maxOutputTokens })));
        if (most > 0) expect(passes(most)).toBe(true);
        if (most < 1_000) expect(passes(most + 1)).toBe(false);
      }),
    );
  });

  it('contains no secret and no address', () => {
    for (const scope of ['account', 'key', 'workspace', 'guardrail'] as const) {
      const printed = JSON.stringify(errorOf({ scope, scopeId: 'the-hash-of-a-key' }));
      expect(printed).not.toMatch(/https?:|sk-|sql|select|the-hash/i);
    }
  });
});
