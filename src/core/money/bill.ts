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

/** @param percent plain decimal, in the form of `FAIRLEAD_BYOK_FEE_PERCENT` @throws RangeError for anything else */
export function readFeeShare(percent: string): FeeShare {
  const share = parseUsd(percent);
  if (share === undefined || share < 0n) throw new RangeError('A fee is a plain decimal percentage.');
  return share;
}

/** The price of one reply. */
export interface Bill {
  /** Whether calls used the caller's own credential. */
  readonly isByok: boolean;
  /** Paid from credits: the list price, or the fee on it. */
  readonly cost: PicoUsd;
  /** The list price where the caller's own account at the provider pays it, else 0. */
  readonly byokCost: PicoUsd;
  /** The parts of the list price, as far as it is charged. */
  readonly list: Cost;
  /** The prices used; undefined where no model was called. */
  readonly rate: Rate | undefined;
  /** The provider's charge above the planned prices. No caller pays it. */
  readonly beyondPlan: PicoUsd;
}

/** The end of a reply, as far as it affects the price. */
export interface ReplyEnding {
  /** Absent when the reply was not complete. */
  readonly stop: StopReason | undefined;
  /** The provider failed mid-stream: the caller does not pay for it. */
  readonly inFault: boolean;
  /** The call was abandoned: the provider is not the reason for the missing answer. */
  readonly isAbandoned?: boolean;
}

/**
 * The price of a reply of this usage (docs/operate/byok.md#what-it-costs,
 * docs/contribute/ledger.md#what-each-ending-costs): the tokens of an empty reply are free, and a reply whose
 * provider failed is free altogether.
 * @param images of the request, as `measurePrompt` counts them
 */
export function billOf(usage: Usage, leg: Leg, ended: ReplyEnding, images: number, fee: FeeShare): Bill {
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

/** The highest bill of one call of a leg. */
export function billBound(prompt: MeasuredPrompt, leg: Leg, fee: FeeShare): Pick<Bill, 'cost' | 'byokCost'> {
  const total = boundOf(prompt, leg);
  return leg.credential === SHARED_CREDENTIAL
    ? { cost: total, byokCost: 0n }
    : { cost: feeOn(total, fee), byokCost: total };
}

/** The suffix of catalog variants that cost nothing and are limited by number instead. */
const FREE_VARIANT = ':free';

/** With the caller's own credential nothing is free, nor counted as free (docs/use/limits.md#free-variants). */
export const isFreeVariant = ({ model, credential }: Pick<Leg, 'model' | 'credential'>): boolean =>
  credential === SHARED_CREDENTIAL && model.id.endsWith(FREE_VARIANT);

/**
 * The cost without tokens: tools have run whatever the reply contains, but a provider that failed costs the caller
 * nothing.
 */
function withoutTokens({ tools }: Cost, inFault: boolean): Cost {
  const due = inFault ? 0n : tools;
  return { prompt: 0n, completion: 0n, tools: due, total: due };
}

/** Rounded up to the next 10⁻¹² USD. */
const feeOn = (total: PicoUsd, fee: FeeShare): PicoUsd => (total * fee + SHARE_OF_ONE - 1n) / SHARE_OF_ONE;

/**
 * A bill of one call, cut to its bound in all of its parts: a report above it is impossible, and the caller did not
 * agree to pay more.
 * @returns the same object where it is within the bound
 */
export function cappedBill(bill: Bill, { cost, byokCost }: Pick<Bill, 'cost' | 'byokCost'>): Bill {
  const most = bill.isByok ? byokCost : cost;
  return bill.list.total > most ? { ...bill, cost, byokCost, list: cutCost(bill.list, most) } : bill;
}

/**
 * The part of a bill that is charged where credits pay no more than `cost`, with its parts cut to that.
 * @returns the same object where they pay all of it
 */
export function paidBill(bill: Bill, cost: PicoUsd): Bill {
  return cost < bill.cost ? { ...bill, cost, list: cutCost(bill.list, bill.byokCost + cost) } : bill;
}

/** Each part by its share; the parts add up exactly. */
function cutCost(list: Cost, most: PicoUsd): Cost {
  if (list.total <= most) return list;
  const prompt = (list.prompt * most) / list.total;
  const tools = (list.tools * most) / list.total;
  return { prompt, completion: most - prompt - tools, tools, total: most };
}

/** The sum of two bills; the rate is that of the later one. */
export const addBill = (earlier: Bill, later: Bill): Bill => ({
  isByok: earlier.isByok || later.isByok,
  cost: earlier.cost + later.cost,
  byokCost: earlier.byokCost + later.byokCost,
  list: {
    prompt: earlier.list.prompt + later.list.prompt,
    completion: earlier.list.completion + later.list.completion,
    tools: earlier.list.tools + later.list.tools,
    total: earlier.list.total + later.list.total,
  },
  rate: later.rate ?? earlier.rate,
  beyondPlan: earlier.beyondPlan + later.beyondPlan,
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
 * Adds the cost of this gateway's tools and plugins, which credits pay with any credential of the model's call, and
 * also without such a call.
 */
export const withTools = (cost: PicoUsd, bill: Bill = NO_BILL): Bill => ({
  ...bill,
  cost: bill.cost + cost,
  list: { ...bill.list, tools: bill.list.tools + cost, total: bill.list.total + cost },
});
