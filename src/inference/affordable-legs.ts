import type { PlannedLeg } from '../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type HoldRefusal } from '../ledger/hold.js';
import { isFreeVariant } from '../core/money/bill.js';

/** A leg with the most that a call of it takes of the counters. */
export interface PricedLeg {
  readonly leg: PlannedLeg;
  readonly amounts: HeldAmounts;
}

/** What is held for these legs: one call of any of them, for only one answers, and only that one is charged. */
export function mostExpensive(legs: readonly PricedLeg[]): HeldAmounts {
  let credits = 0n;
  let byok = 0n;
  for (const { amounts } of legs) {
    if (amounts.credits > credits) credits = amounts.credits;
    if (amounts.byok > byok) byok = amounts.byok;
  }
  return { credits, byok };
}

/** Whether a counter has room for a leg alone. */
export function isAffordable(counter: HoldRefusal, { leg, amounts }: PricedLeg): boolean {
  return counter.scope === 'free_requests' ? !isFreeVariant(leg) : hasRoom(counter, amounts);
}

/** The legs that have room, each alone, if nothing but they is under way. */
export const affordableAtRest = (legs: readonly PricedLeg[], counters: readonly HoldRefusal[]): readonly PricedLeg[] =>
  legs.filter((priced) => counters.every((counter) => isAffordable({ ...counter, held: 0n }, priced)));

/**
 * The legs that can be held for together, each in its place: whichever has room beside those before it. Never none
 * where any leg has room alone.
 */
export function affordableTogether(legs: readonly PricedLeg[], counters: readonly HoldRefusal[]): readonly PricedLeg[] {
  const kept: PricedLeg[] = [];
  for (const priced of legs) {
    if (!counters.every((counter) => isAffordable(counter, priced))) continue;
    // Of a caller's own credential and of credits the most of either is held, as if both were called.
    const together = mostExpensive([...kept, priced]);
    if (counters.every((counter) => counter.scope === 'free_requests' || hasRoom(counter, together))) kept.push(priced);
  }
  return kept;
}

/** Whether a counter of money has room: what costs nothing passes as long as nothing is owed. */
export function hasRoom(counter: HoldRefusal, amounts: HeldAmounts): boolean {
  const counted = countedBy(counter, amounts);
  return counted === 0n ? counter.used <= counter.limit : counted <= remainingOf(counter);
}
