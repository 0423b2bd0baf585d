/**
 * Goal: a loop is given room for what comes and for two calls more, and near a cap for what comes alone, without asking
 * for more each time. Method: the billing of a generation before a double of the ledger that has so much room.
 */
import type { Generation } from '../core/generation/generation.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { HeldAmounts, Hold } from '../ledger/hold.js';
import type { BillingService } from './billing.service.js';
import { GenerationBilling } from './generation-billing.js';

/** @returns what the ledger is asked for, one after the other, as calls of 10 are begun beside each other */
async function askedFor(room: bigint, calls: number): Promise<{ asked: number[]; made: boolean[] }> {
  const hold = { bound: { credits: 0n, byok: 0n } } as Hold;
  const asked: number[] = [];
  const ledger = {
    extend: async ({ bound }: Hold, { credits }: HeldAmounts) => {
      asked.push(Number(credits));
      if (bound.credits + credits > room) return { refused: [] };
      hold.bound = { credits: bound.credits + credits, byok: 0n };
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
  const made: boolean[] = [];
  for (let call = 0; call < calls; call++)
    made.push((await billing.makeRoom({ credits: 10n, byok: 0n })) !== undefined);
  return { asked, made };
}

it('has room for two calls more than the next', async () => {
  expect(await askedFor(1_000n, 3)).toEqual({ asked: [30], made: [true, true, true] });
});

it('asks for what comes alone once there was no room for more, and for no more than that again', async () => {
  expect(await askedFor(25n, 3)).toEqual({
    // Each that is refused is asked for again when all that is settled is counted.
    asked: [30, 30, 10, 10, 10, 10],
    made: [true, true, false],
  });
});
