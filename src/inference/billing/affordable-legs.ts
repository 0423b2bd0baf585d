import type { PlannedLeg } from '../../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type HoldRefusal } from '../../ledger/hold.js';
import { isFreeVariant } from '../../core/money/bill.js';

/** A leg with the highest amounts that a call of it takes from the counters. */
export interface PricedLeg {
  readonly leg: PlannedLeg;
  readonly amounts: HeldAmounts;
}

/** The hold for these legs: one call of any of them, because only one answers and only that one is charged. */
export function mostExpensive(legs: readonly PricedLeg[]): HeldAmounts {
  let credits = 0n;
  let byok = 0n;
  for (const { amounts } of legs) {
    if (amounts.credits > credits) credits = amounts.credits;
    if (amounts.byok > byok) byok = amounts.byok;
  }
  return { credits, byok };
}

/** Whether a counter has the balance for a leg alone. */
export function isAffordable(counter: HoldRefusal, { leg, amounts }: PricedLeg): boolean {
  return counter.scope === 'free_requests' ? !isFreeVariant(leg) : hasBalance(counter, amounts);
}

/** The legs that the balance would cover alone if no other call were running. */
export const affordableAtRest = (legs: readonly PricedLeg[], counters: readonly HoldRefusal[]): readonly PricedLeg[] =>
  legs.filter((priced) => counters.every((counter) => isAffordable({ ...counter, held: 0n }, priced)));

/**
 * The legs that one hold can cover together, in their order: each that fits beside those before it. Never empty
 * where any leg fits alone.
 */
export function affordableTogether(legs: readonly PricedLeg[], counters: readonly HoldRefusal[]): readonly PricedLeg[] {
  const kept: PricedLeg[] = [];
  for (const priced of legs) {
    if (!counters.every((counter) => isAffordable(counter, priced))) continue;
    // Own credentials and credits each hold their highest amount, as if both were called.
    const together = mostExpensive([...kept, priced]);
    if (counters.every((counter) => counter.scope === 'free_requests' || hasBalance(counter, together)))
      kept.push(priced);
  }
  return kept;
}

/** Whether a counter of money has a balance: a free call passes unless the counter is overdrawn. */
export function hasBalance(counter: HoldRefusal, amounts: HeldAmounts): boolean {
  const counted = countedBy(counter, amounts);
  return counted === 0n ? counter.used <= counter.limit : counted <= remainingOf(counter);
}
