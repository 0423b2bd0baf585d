/**
 * Goal: a loop is given room for what comes, and for two calls more where the ledger has plenty; whoever is consulted
 * while the first call is under way has room beside it, and none of its own. Method: the billing of a generation before
 * a double of the ledger that has so much room, and plenty or not.
 */
import type { Generation } from '../core/generation/generation.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { HeldAmounts, Hold } from '../ledger/hold.js';
import type { BillingService } from './billing.service.js';
import { GenerationBilling } from './generation-billing.js';

const amounts = (credits: bigint): HeldAmounts => ({ credits, byok: 0n });

/** @param held for the first call */
function bench({ room, hasPlenty, held = 0n }: { room: bigint; hasPlenty: boolean; held?: bigint }) {
  const hold = { bound: amounts(held) } as Hold;
  const first = hold.bound;
  /** What the ledger was asked for, and what of it ahead, one after the other. */
  const asked: [missing: number, ahead: number][] = [];
  const ledger = {
    extend: async ({ bound }: Hold, { credits }: HeldAmounts, ahead: HeldAmounts) => {
      asked.push([Number(credits), Number(ahead.credits)]);
      if (bound.credits + credits > room) return { refused: [] };
      hold.bound = amounts(bound.credits + credits + (hasPlenty ? ahead.credits : 0n));
      return undefined;
    },
    postSettled: async () => undefined,
    note: async () => undefined,
  };
  const generation = { calls: [], toolUses: [] } as unknown as Generation;
  const billing = new GenerationBilling(
    { ledger } as unknown as BillingService,
    generation,
    hold,
    {} as MeasuredPrompt,
  );
  const releases: ((() => void) | undefined)[] = [];
  const make = async (credits: bigint): Promise<boolean> => {
    releases.push(await billing.makeRoom(amounts(credits)));
    return releases.at(-1) !== undefined;
  };
  return { asked, make, releases, releaseFirst: () => billing.release(first), hold };
}

it('has room for two calls more than the next, where the ledger has plenty', async () => {
  const { make, asked } = bench({ room: 1_000n, hasPlenty: true });
  expect([await make(10n), await make(10n), await make(10n), asked]).toEqual([true, true, true, [[10, 20]]]);
});

it('asks for what comes where it has not, and each time whether it has', async () => {
  const { make, asked } = bench({ room: 25n, hasPlenty: false });
  expect([await make(10n), await make(10n), await make(10n)]).toEqual([true, true, false]);
  // What is refused is asked for again when all that is settled is counted.
  expect(asked).toEqual([[10, 20], [10, 20], [10, 20], [10, 20]]); // prettier-ignore
});

describe('while the first call is under way', () => {
  it('has no room for anybody in what is held for it', async () => {
    const { make, asked, hold } = bench({ room: 40n, hasPlenty: false, held: 30n });
    expect([await make(10n), await make(1n)]).toEqual([true, false]);
    expect([asked[0], hold.bound.credits]).toEqual([[10, 20], 40n]);
  });

  it('has as much again for whoever is next after that, and not for the first call', async () => {
    const { make, asked } = bench({ room: 1_000n, hasPlenty: true, held: 500n });
    expect([await make(10n), await make(10n), await make(10n), asked]).toEqual([true, true, true, [[10, 20]]]);
  });
});

it('has all that is held once the first call and those that follow have let go of it', async () => {
  const { make, asked, releases, releaseFirst } = bench({ room: 30n, hasPlenty: false, held: 30n });
  releaseFirst();
  expect([await make(30n), await make(1n)]).toEqual([true, false]);
  releases[0]!();
  expect([await make(30n), asked.length]).toEqual([true, 2]);
});
