/** Exact bills of one leg, by how the reply ended and whose credential it used. */
import type { StopReason } from '../conversation/event.js';
import { SHARED_CREDENTIAL } from '../routing/credential.js';
import type { Leg } from '../routing/plan.js';
import { billBound, billOf, cappedBill, paidBill, readFeeShare } from './bill.js';
import type { MeasuredPrompt } from './measure-prompt.js';

const LEG = {
  model: { contextLength: 1_000 },
  endpoint: {
    provider: { dialect: 'openai-chat' },
    contextLength: 1_000,
    maxCompletionTokens: 100,
    // 3 and 15 USD per million tokens, a cent a search.
    pricing: { prompt: 3_000_000n, completion: 15_000_000n, webSearch: 10_000_000_000n, tiers: [] },
  },
  tier: 'standard',
  credential: SHARED_CREDENTIAL,
} as unknown as Leg;
const OWN: Leg = { ...LEG, credential: 'credential-1' };
const END: StopReason = { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic' };
const BLANK: StopReason = { unified: 'other', raw: null, vendor: 'openai' };
const USAGE = { inputTokens: 10, outputTokens: 2, webSearchRequests: 1 };
const TOKENS = 60_000_000n;
const SEARCH = 10_000_000_000n;
const NO_FEE = readFeeShare('0');

const bill = (leg: Leg, stop: StopReason | undefined, usage: object = USAGE, inFault = false, fee = NO_FEE) =>
  billOf(usage, leg, { stop, inFault }, 0, fee);

describe('billOf', () => {
  it('charges the list price to credits', () => {
    expect(bill(LEG, END)).toMatchObject({ isByok: false, cost: TOKENS + SEARCH, byokCost: 0n });
  });

  it('charges what came before the caller left', () => {
    expect(bill(LEG, undefined).cost).toBe(TOKENS + SEARCH);
  });

  it.each([
    ['nothing came, without a stop reason', BLANK, { inputTokens: 10, outputTokens: 0 }, 0n],
    ['nothing came, and it never ended', undefined, { inputTokens: 10 }, 0n],
    ['nothing came but a search', BLANK, { inputTokens: 10, outputTokens: 0, webSearchRequests: 1 }, SEARCH],
    ['nothing came, and the model reported its end', END, { inputTokens: 10, outputTokens: 0 }, 30_000_000n],
  ])('where %s', (_, stop, usage, cost) => {
    expect(bill(LEG, stop, usage).cost).toBe(cost);
  });

  it('charges the prompt where the caller left before any content, without a fault of the provider', () => {
    const ended = { stop: undefined, inFault: false, isAbandoned: true };
    expect(billOf({ inputTokens: 10 }, LEG, ended, 0, NO_FEE).cost).toBe(30_000_000n);
    expect(billOf({ inputTokens: 10 }, LEG, { ...ended, inFault: true }, 0, NO_FEE).cost).toBe(0n);
  });

  it('charges nothing, not even searches, where the provider failed', () => {
    expect(bill(LEG, undefined, USAGE, true)).toMatchObject({ cost: 0n, byokCost: 0n });
  });

  it.each([
    ['0', 0n],
    ['5', (TOKENS + SEARCH) / 20n],
    ['0.000001', 101n],
    ['100', TOKENS + SEARCH],
  ])('takes a fee of %s %% on the caller’s own credential, rounded up', (percent, cost) => {
    const byokCost = TOKENS + SEARCH;
    expect(bill(OWN, END, USAGE, false, readFeeShare(percent))).toMatchObject({ isByok: true, cost, byokCost });
  });

  it.each(['-1', '1e3', '', 'NaN', '0.0000000000001'])('refuses a fee of %s', (percent) => {
    expect(() => readFeeShare(percent)).toThrow(RangeError);
  });
});

describe('billBound', () => {
  const PROMPT: MeasuredPrompt = {
    textTokens: 10,
    images: 0,
    documents: 0,
    fillsContext: false,
    webSearches: 0,
    maxOutputTokens: 4,
  };

  it('bounds the whole list price of credits, or the fee and the list price separately', () => {
    expect(billBound(PROMPT, LEG, NO_FEE)).toEqual({ cost: 90_000_000n, byokCost: 0n });
    expect(billBound(PROMPT, OWN, readFeeShare('10'))).toEqual({ cost: 9_000_000n, byokCost: 90_000_000n });
  });
});

describe('cappedBill', () => {
  const FEE = readFeeShare('10');
  const uncapped = bill(LEG, END);

  it('charges the bound where more was reported, in parts that add up to it', () => {
    const list = { prompt: 178_926n, completion: 178_927n, tools: 59_642_147n, total: TOKENS };
    expect(cappedBill(uncapped, { cost: TOKENS, byokCost: 0n })).toEqual({ ...uncapped, cost: TOKENS, list });
  });

  it('caps an own credential at the bound, and its fee', () => {
    const own = bill(OWN, END, USAGE, false, FEE);
    const bound = { cost: TOKENS / 10n, byokCost: TOKENS };
    expect(cappedBill(own, bound)).toMatchObject({ ...bound, list: { total: TOKENS } });
    expect(cappedBill(bill(OWN, END), { cost: 0n, byokCost: TOKENS })).toMatchObject({ cost: 0n, byokCost: TOKENS });
  });

  it('returns a bill within the bound unchanged', () => {
    expect(cappedBill(uncapped, { cost: uncapped.cost, byokCost: 0n })).toBe(uncapped);
  });
});

describe('paidBill', () => {
  it('has parts that add up to what credits paid', () => {
    const paid = paidBill(bill(LEG, END), TOKENS);
    expect(paid.cost).toBe(TOKENS);
    expect(paid.list.prompt + paid.list.completion + paid.list.tools).toBe(TOKENS);
    expect(paidBill(bill(LEG, END), 0n).list).toEqual({ prompt: 0n, completion: 0n, tools: 0n, total: 0n });
  });

  it('keeps what an own account paid where no counter could take the fee', () => {
    const own = bill(OWN, END, USAGE, false, readFeeShare('10'));
    expect(paidBill(own, 0n)).toEqual({ ...own, cost: 0n });
  });

  it('returns a paid bill unchanged', () => {
    const full = bill(LEG, END);
    expect(paidBill(full, full.cost)).toBe(full);
  });
});
