/**
 * Properties over random legs, through credits and through own credentials, and random counters: a leg of a plan is
 * kept if and only if it fits beside those before it.
 */
import fc from 'fast-check';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { HoldRefusal } from '../../ledger/hold.js';
import {
  affordableAtRest,
  affordableTogether,
  hasBalance,
  isAffordable,
  mostExpensive,
  type PricedLeg,
} from './affordable-legs.js';

const amount = fc.bigInt({ min: 0n, max: 20n });
const leg = (id: string, credential: string): PlannedLeg => {
  const at = endpoint('p');
  return { model: model(id, [at]), endpoint: at, tier: 'standard', tag: 'p', credential } as PlannedLeg;
};
const legs: fc.Arbitrary<readonly PricedLeg[]> = fc.array(
  fc.oneof(
    amount.map((credits) => ({ leg: leg('a/paid', 'shared'), amounts: { credits, byok: 0n } })),
    amount.map((byok) => ({ leg: leg('a/own', 'mine'), amounts: { credits: byok / 20n, byok } })),
    fc.constant({ leg: leg('a/gift:free', 'shared'), amounts: { credits: 0n, byok: 0n } }),
  ),
  { maxLength: 6 },
);
const counter: fc.Arbitrary<HoldRefusal> = fc.record({
  scope: fc.constantFrom('account', 'key', 'workspace', 'guardrail', 'free_requests'),
  scopeId: fc.constant('x'),
  interval: fc.constant('daily'),
  includesByok: fc.boolean(),
  limit: amount,
  used: amount,
  held: amount,
});
const counters = fc.array(counter, { minLength: 1, maxLength: 4 });

describe('affordableTogether', () => {
  it('keeps legs that one hold can cover together', () => {
    fc.assert(
      fc.property(legs, counters, (all, refusing) => {
        const kept = affordableTogether(all, refusing);
        const money = refusing.filter(({ scope }) => scope !== 'free_requests');
        if (kept.length > 0) expect(money.every((one) => hasBalance(one, mostExpensive(kept)))).toBe(true);
        expect(kept.every((one) => refusing.every((by) => isAffordable(by, one)))).toBe(true);
      }),
    );
  });

  it('keeps the first leg that is affordable alone, and so some leg wherever one is affordable', () => {
    fc.assert(
      fc.property(legs, counters, (all, refusing) => {
        const first = all.find((one) => refusing.every((by) => isAffordable(by, one)));
        expect(affordableTogether(all, refusing)[0]).toBe(first);
      }),
    );
  });

  it('leaves out no leg that is affordable together with those before it, and keeps the order', () => {
    fc.assert(
      fc.property(legs, counters, (all, refusing) => {
        const kept = affordableTogether(all, refusing);
        expect(kept).toEqual(all.filter((one) => kept.includes(one)));
        all.forEach((one, index) => {
          if (kept.includes(one)) return;
          const before = kept.filter((other) => all.indexOf(other) < index);
          const together = mostExpensive([...before, one]);
          const hasRoomBeside = refusing.every((by) =>
            by.scope === 'free_requests' ? isAffordable(by, one) : isAffordable(by, one) && hasBalance(by, together),
          );
          expect(hasRoomBeside).toBe(false);
        });
      }),
    );
  });

  it('never loses a leg when holds are released', () => {
    fc.assert(
      fc.property(legs, counters, (all, refusing) => {
        const atRest = affordableAtRest(all, refusing);
        expect(affordableTogether(all, refusing).every((one) => atRest.includes(one))).toBe(true);
      }),
    );
  });
});
