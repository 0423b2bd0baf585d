/**
 * Tests with a double of the ledger that has limited balance, and plenty or not: a loop gets balance for the next call,
 * and for two more where the ledger has plenty; a consultation during the first call gets a separate reservation. The
 * cost of a call is that of its last report.
 */
import { setImmediate } from 'node:timers/promises';
import { endpoint, model, perMillion } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { Generation } from '../../core/generation/generation.js';
import { ProviderCall } from '../../core/generation/provider-call.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import { SHARED_CREDENTIAL } from '../../core/routing/credential.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts, Hold } from '../../ledger/hold.js';
import type { BillingDependencies } from './billing-dependencies.js';
import { GenerationBilling } from './generation-billing.js';

const amounts = (credits: bigint): HeldAmounts => ({ credits, byok: 0n });

interface Room {
  readonly room: bigint;
  readonly hasPlenty: boolean;
  /** For the first call. */
  readonly held?: bigint;
  /** The note of what has ended. */
  readonly noting?: Promise<void>;
}

function bench({ room, hasPlenty, held = 0n, noting = Promise.resolve() }: Room) {
  const hold = { bound: amounts(held) } as Hold;
  const first = hold.bound;
  /** The extensions that the ledger received: the missing amount, and the amount ahead. */
  const extensions: [missing: number, ahead: number][] = [];
  const ledger = {
    extend: async ({ bound }: Hold, { credits }: HeldAmounts, ahead: HeldAmounts) => {
      extensions.push([Number(credits), Number(ahead.credits)]);
      if (bound.credits + credits > room) return { refused: [] };
      hold.bound = amounts(bound.credits + credits + (hasPlenty ? ahead.credits : 0n));
      return undefined;
    },
    postSettled: async () => undefined,
    note: () => noting,
  };
  const generation = { calls: [], toolUses: [] } as unknown as Generation;
  const billing = new GenerationBilling(
    { ledger } as unknown as BillingDependencies,
    generation,
    hold,
    {} as MeasuredPrompt,
  );
  const releases: ((() => void) | undefined)[] = [];
  const make = async (credits: bigint): Promise<boolean> => {
    releases.push(await billing.reserveNext(amounts(credits)));
    return releases.at(-1) !== undefined;
  };
  return { extensions, billing, generation, make, releases, releaseFirst: () => billing.release(first), hold };
}

it('reserves the amount of two calls after the next, where the ledger has plenty', async () => {
  const { make, extensions } = bench({ room: 1_000n, hasPlenty: true });
  expect([await make(10n), await make(10n), await make(10n), extensions]).toEqual([true, true, true, [[10, 20]]]);
});

it('extends the hold for each call where the ledger does not have plenty', async () => {
  const { make, extensions } = bench({ room: 25n, hasPlenty: false });
  expect([await make(10n), await make(10n), await make(10n)]).toEqual([true, true, false]);
  // A refused extension is repeated after all settled generations are posted.
  expect(extensions).toEqual([[10, 20], [10, 20], [10, 20], [10, 20]]); // oxfmt-ignore
});

describe('while the first call is under way', () => {
  it('uses nothing of the hold of that call for consultations', async () => {
    const { make, extensions, hold } = bench({ room: 40n, hasPlenty: false, held: 30n });
    expect([await make(10n), await make(1n)]).toEqual([true, false]);
    expect([extensions[0], hold.bound.credits]).toEqual([[10, 20], 40n]);
  });

  it('reserves ahead for the calls after the next, and not for the first call', async () => {
    const { make, extensions } = bench({ room: 1_000n, hasPlenty: true, held: 500n });
    expect([await make(10n), await make(10n), await make(10n), extensions]).toEqual([true, true, true, [[10, 20]]]);
  });
});

it('reuses the whole hold once the first call and those after it have released it', async () => {
  const { make, extensions, releases, releaseFirst } = bench({ room: 30n, hasPlenty: false, held: 30n });
  releaseFirst();
  expect([await make(30n), await make(1n)]).toEqual([true, false]);
  releases[0]!();
  expect([await make(30n), extensions.length]).toEqual([true, 2]);
});

it('begins a call after the note is durable, and a step without cost before that', async () => {
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

it('charges a call by its last report, even if its cost was read before', async () => {
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
