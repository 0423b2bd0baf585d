import type { StopReason } from '../conversation/event.js';
import type { Usage } from '../conversation/usage.js';
import { SHARED_CREDENTIAL } from '../routing/credential.js';
import type { Leg } from '../routing/plan.js';
import { boundOf } from './bound.js';
import { parseUsd, PICO_PER_USD, type PicoUsd } from './credits.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import { ratedCost, type Rate } from './charged-rate.js';
import { isCharged, type Cost } from './pricing.js';

/** A share of a list price, in 10⁻¹⁴ of it: a decimal percentage is kept exactly. */
export type FeeShare = bigint;

const SHARE_OF_ONE = 100n * PICO_PER_USD;

/** @param percent plain decimal, as `FAIRLEAD_BYOK_FEE_PERCENT` has it @throws RangeError for anything else */
export function readFeeShare(percent: string): FeeShare {
  const share = parseUsd(percent);
  if (share === undefined || share < 0n) throw new RangeError('A fee is a plain decimal percentage.');
  return share;
}

/** What one reply comes to. */
export interface Bill {
  /** It went through the caller's own credential. */
  readonly isByok: boolean;
  /** What credits pay: the list price, or the fee on it. */
  readonly cost: PicoUsd;
  /** The list price where the caller's own account at the provider pays it, else 0. */
  readonly byokCost: PicoUsd;
  /** The list price in its parts, as far as it is charged. */
  readonly list: Cost;
  /** By which prices; undefined where no model was called. */
  readonly rate: Rate | undefined;
  /** What the provider asks beyond the prices that were planned: nobody is charged for it. */
  readonly beyondPlan: PicoUsd;
}

/** How a reply ended, as far as its price depends on it. */
export interface Ended {
  /** Absent when it never came to its end. */
  readonly stop: StopReason | undefined;
  /** The provider failed in mid-reply: what it cost is not the caller's. */
  readonly inFault: boolean;
  /** Its provider was left: that nothing came of it is not his doing. */
  readonly isAbandoned?: boolean;
}

/**
 * What a reply of this usage costs (docs/byok.md#what-it-costs, docs/reasons/money.md#what-a-reply-costs): nothing for
 * its tokens where it came to nothing, and nothing at all where its provider failed.
 * @param images in the request, as `measurePrompt` counts them
 */
export function billOf(usage: Usage, leg: Leg, ended: Ended, images: number, fee: FeeShare): Bill {
  const { cost: full, rate, beyondPlan } = ratedCost(usage, leg, images);
  const isFree = ended.inFault || !(ended.isAbandoned === true || isCharged(ended.stop, usage));
  const list = isFree ? withoutTokens(full, ended.inFault) : full;
  const isByok = leg.credential !== SHARED_CREDENTIAL;
  return {
    isByok,
    cost: isByok ? feeOn(list.total, fee) : list.total,
    byokCost: isByok ? list.total : 0n,
    list,
    rate,
    beyondPlan: isFree ? 0n : beyondPlan,
  };
}

/** The most that one call of a leg can be billed. */
export function billBound(prompt: MeasuredPrompt, leg: Leg, fee: FeeShare): Pick<Bill, 'cost' | 'byokCost'> {
  const total = boundOf(prompt, leg);
  return leg.credential === SHARED_CREDENTIAL
    ? { cost: total, byokCost: 0n }
    : { cost: feeOn(total, fee), byokCost: total };
}

/** Catalogue variants that cost nothing and are limited by number instead. */
const FREE_VARIANT = ':free';

/** Through the caller's own credential nothing is free, nor counted as such (docs/wire/limits.md#free-variants). */
export const isFreeVariant = ({ model, credential }: Pick<Leg, 'model' | 'credential'>): boolean =>
  credential === SHARED_CREDENTIAL && model.id.endsWith(FREE_VARIANT);

/** Tools have been run whatever became of the reply; a provider that failed is owed nothing by the caller. */
function withoutTokens({ tools }: Cost, inFault: boolean): Cost {
  const due = inFault ? 0n : tools;
  return { prompt: 0n, completion: 0n, tools: due, total: due };
}

/** Up to the next 10⁻¹² USD. */
const feeOn = (total: PicoUsd, fee: FeeShare): PicoUsd => (total * fee + SHARE_OF_ONE - 1n) / SHARE_OF_ONE;

/**
 * A bill of one call that comes to no more than its bound, in all of its parts: what was told above it cannot be, and
 * the caller did not agree to it, whoever asks him for it.
 * @returns the same object where it is no dearer
 */
export function cappedBill(bill: Bill, { cost, byokCost }: Pick<Bill, 'cost' | 'byokCost'>): Bill {
  const most = bill.isByok ? byokCost : cost;
  return bill.list.total > most ? { ...bill, cost, byokCost, list: cutCost(bill.list, most) } : bill;
}

/**
 * What of a bill is charged where credits pay no more than this: its parts come to what is paid for them.
 * @returns the same object where they pay all of it
 */
export function paidBill(bill: Bill, cost: PicoUsd): Bill {
  return cost < bill.cost ? { ...bill, cost, list: cutCost(bill.list, bill.byokCost + cost) } : bill;
}

/** Each part by its share, exactly together. */
function cutCost(list: Cost, most: PicoUsd): Cost {
  if (list.total <= most) return list;
  const prompt = (list.prompt * most) / list.total;
  const tools = (list.tools * most) / list.total;
  return { prompt, completion: most - prompt - tools, tools, total: most };
}

/** Two bills as one; the rate is that of the later one. */
export const addBill = (one: Bill, other: Bill): Bill => ({
  isByok: one.isByok || other.isByok,
  cost: one.cost + other.cost,
  byokCost: one.byokCost + other.byokCost,
  list: {
    prompt: one.list.prompt + other.list.prompt,
    completion: one.list.completion + other.list.completion,
    tools: one.list.tools + other.list.tools,
    total: one.list.total + other.list.total,
  },
  rate: other.rate ?? one.rate,
  beyondPlan: one.beyondPlan + other.beyondPlan,
});

const NO_BILL: Bill = {
  isByok: false,
  cost: 0n,
  byokCost: 0n,
  list: { prompt: 0n, completion: 0n, tools: 0n, total: 0n },
  rate: undefined,
  beyondPlan: 0n,
};

/**
 * With what tools and plugins of this gateway cost: credits pay that, whoever's credential the model was called with,
 * and where none was called.
 */
export const withTools = (cost: PicoUsd, bill: Bill = NO_BILL): Bill => ({
  ...bill,
  cost: bill.cost + cost,
  list: { ...bill.list, tools: bill.list.tools + cost, total: bill.list.total + cost },
});
