/**
 * Goal: a loop is given room for what comes, and for two calls more where the ledger has plenty; whoever is consulted
 * while the first call is under way has room beside it, and none of its own. What a call comes to is what it told last.
 * Method: the billing of a generation before a double of the ledger that has so much room, and plenty or not.
 */
import { setImmediate } from 'node:timers/promises';
import { endpoint, model, perMillion } from '../../test/support/route-inputs.js';
import { modelRequest } from '../../test/support/model-request.js';
import type { Generation } from '../core/generation/generation.js';
import { ProviderCall } from '../core/generation/provider-call.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Plan, PlannedLeg } from '../core/routing/plan.js';
import type { HeldAmounts, Hold } from '../ledger/hold.js';
import type { BillingService } from './billing.service.js';
import { GenerationBilling } from './generation-billing.js';

const amounts = (credits: bigint): HeldAmounts => ({ credits, byok: 0n });

interface Room {
  readonly room: bigint;
  readonly hasPlenty: boolean;
  /** For the first call. */
  readonly held?: bigint;
  /** When what has ended is written down. */
  readonly noting?: Promise<void>;
}

function bench({ room, hasPlenty, held = 0n, noting = Promise.resolve() }: Room) {
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
    note: () => noting,
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
  return { asked, billing, generation, make, releases, releaseFirst: () => billing.release(first), hold };
}

it('has room for two calls more than the next, where the ledger has plenty', async () => {
  const { make, asked } = bench({ room: 1_000n, hasPlenty: true });
  expect([await make(10n), await make(10n), await make(10n), asked]).toEqual([true, true, true, [[10, 20]]]);
});

it('asks for what comes where it has not, and each time whether it has', async () => {
  const { make, asked } = bench({ room: 25n, hasPlenty: false });
  expect([await make(10n), await make(10n), await make(10n)]).toEqual([true, true, false]);
  // What is refused is asked for again when all that is settled is counted.
  expect(asked).toEqual([[10, 20], [10, 20], [10, 20], [10, 20]]); // oxfmt-ignore
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

it('lets a call begin when what has ended is written down, and what costs nothing before that', async () => {
  let written = (): void => undefined;
  const noting = new Promise<void>((resolve) => (written = resolve));
  const { make } = bench({ room: 1_000n, hasPlenty: true, noting });
  expect(await make(0n)).toBe(true);
  let hasBegun = false;
  const making = make(10n).then((isMade) => (hasBegun = isMade));
  await setImmediate();
  expect(hasBegun).toBe(false);
  written();
  expect(await making).toBe(true);
});

it('charges a call what it told last, whoever asked what it had come to before', async () => {
  const { billing, generation, make } = bench({ room: 1_000n, hasPlenty: true });
  const at = endpoint('p', { pricing: { prompt: perMillion(3), completion: perMillion(15), tiers: [] } });
  const prompt = {
    textTokens: 200,
    images: 0,
    documents: 0,
    fillsContext: false,
    webSearches: 0,
    maxOutputTokens: 100,
  };
  const call = new ProviderCall(0, { plan: {} as Plan, request: modelRequest(), prompt, purpose: 'answer' }, {
    model: model('a/b', [at]),
    endpoint: at,
    tier: 'standard',
    tag: 'p',
    credential: SHARED_CREDENTIAL,
  } as PlannedLeg);
  call.answers = true;
  generation.calls.push(call);
  call.observe([{ type: 'usage', usage: { inputTokens: 60, outputTokens: 1 }, isInterim: true }]);
  expect(billing.spent).toBe(60n * at.pricing!.prompt + at.pricing!.completion);
  expect(await make(10n)).toBe(true);
  call.observe([
    { type: 'usage', usage: { inputTokens: 60, outputTokens: 50 } },
    { type: 'reply-end', stop: { unified: 'end-turn', raw: null, vendor: 'anthropic' } },
  ]);
  call.ending = 'completed';
  expect(billing.spent).toBe(60n * at.pricing!.prompt + 50n * at.pricing!.completion);
});
