// One generation over the real local counts, on a clock that is moved by hand: what is reserved for a call is taken
// once, by that call, whatever others take meanwhile, and what is not used is returned.
import type { RateLimits } from '../../core/caller.js';
import { Clock } from '../../core/time.js';
import type { Generation } from '../../core/generation/generation.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import type { Model } from '../../core/routing/catalog.js';
import { KeyGate, type LimitedCaller } from '../../rate-limits/key-gate.js';
import { LocalLimitCounts } from '../../rate-limits/local-limit-counts.js';
import { OccupiedSlots } from '../../rate-limits/occupied-slots.js';
import { KeyRate } from './key-rate.js';

const LIMIT = 1_000;
const MINUTE_MS = 60_000;
const OUTPUT = 10;
const LEGS = [{ model: { contextLength: 100_000 } as Model }];
const LIMITED = { kind: 'rate-limited' };

class MovedClock extends Clock {
  at = 1_795_000_020_000;
  override now(): number {
    return this.at;
  }
}

/** A prompt whose call needs so many tokens. */
const promptOf = (tokens: number): MeasuredPrompt => ({
  textTokens: tokens - OUTPUT,
  images: 0,
  documents: 0,
  fillsContext: false,
  webSearches: 0,
  maxOutputTokens: OUTPUT,
});
const callOf = (prompt: MeasuredPrompt, tokens: number): ProviderCall =>
  ({
    isCallers: true,
    isPlausible: true,
    run: { prompt },
    charged: { inputTokens: tokens },
  }) as unknown as ProviderCall;

async function bench(first = 100, limits: RateLimits = { tokensPerMinute: LIMIT }) {
  const clock = new MovedClock();
  const gate = new KeyGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)));
  const caller = { accountId: 'a', keyHash: 'k', rateLimits: limits } as unknown as LimitedCaller;
  const generation = { id: 'gen', phase: 'held', calls: [] } as unknown as Generation;
  const admitted = { plan: { legs: LEGS }, prompt: promptOf(first) };
  const rate = new KeyRate(gate, generation, caller, await gate.enter(caller, 'gen', first));
  /** The remaining tokens of the key. */
  const left = async (): Promise<number> => {
    let least = 0;
    let most = LIMIT;
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      const slot = await gate.enterFurther(caller, 'probe', middle).catch(() => undefined);
      slot?.release(0);
      if (slot) least = middle;
      else most = middle - 1;
    }
    return least;
  };
  const end = (...calls: ProviderCall[]): void => {
    rate.ended({ ...generation, calls } as unknown as Generation);
  };
  return { clock, rate, admitted, left, end };
}

it('gives a call what was reserved for it, and takes only what is missing', async () => {
  const { rate, left } = await bench();
  const reservation = await rate.reserve(400);
  expect(await left()).toBe(500);
  await rate.takeTokens(LEGS, promptOf(400), reservation);
  expect([await left(), reservation.tokens]).toEqual([500, 0]);
  const other = await rate.reserve(100);
  await rate.takeTokens(LEGS, promptOf(250), other);
  expect(await left()).toBe(250);
});

it('keeps the reservation of a call that needs more than is left', async () => {
  const { rate, left } = await bench();
  const reservation = await rate.reserve(400);
  await expect(rate.takeTokens(LEGS, promptOf(901), reservation)).rejects.toMatchObject(LIMITED);
  expect([reservation.tokens, await left()]).toEqual([400, 500]);
  await rate.takeTokens(LEGS, promptOf(900), reservation);
  expect(await left()).toBe(0);
});

it('keeps an open reservation from the other calls, and gives them a released one', async () => {
  const { rate } = await bench();
  const [kept, released] = [await rate.reserve(400), await rate.reserve(400)];
  await expect(rate.takeTokens(LEGS, promptOf(101))).rejects.toMatchObject(LIMITED);
  released.release();
  await rate.takeTokens(LEGS, promptOf(500));
  await rate.takeTokens(LEGS, promptOf(400), kept);
  await expect(rate.takeTokens(LEGS, promptOf(1))).rejects.toMatchObject(LIMITED);
});

it('gives concurrent calls no token twice', async () => {
  const { rate } = await bench();
  (await rate.reserve(300)).release();
  const claims = await Promise.allSettled([400, 400, 400].map((tokens) => rate.takeTokens(LEGS, promptOf(tokens))));
  expect(claims.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

it('takes the growth of the admitted call once', async () => {
  const { rate, admitted, left } = await bench();
  const reservation = await rate.reserveAddedTokens(LEGS, promptOf(300), admitted);
  expect(await left()).toBe(700);
  await rate.takeAddedTokens(LEGS, promptOf(350), admitted, reservation);
  expect(await left()).toBe(650);
});

it('takes nothing for the growth of a call that has all of the minute', async () => {
  const { rate, admitted } = await bench(2 * LIMIT);
  await rate.takeAddedTokens(LEGS, promptOf(3 * LIMIT), admitted);
  await expect(rate.takeTokens(LEGS, promptOf(1))).rejects.toMatchObject(LIMITED);
});

it('returns whole claims that are not used, before the end, and the rest at the end', async () => {
  const { rate, left, end } = await bench();
  const [unused, part] = [await rate.reserve(200), await rate.reserve(300)];
  const prompt = promptOf(100);
  await rate.takeTokens(LEGS, prompt, part);
  unused.release();
  rate.giveBack();
  expect(await left()).toBe(600);
  end(callOf(prompt, 20), callOf(promptOf(100), 30));
  expect(await left()).toBe(LIMIT - 50);
});

it('counts a call in the minute in which its tokens were reserved, or taken', async () => {
  const { clock, rate, left, end } = await bench();
  const [early, later] = [promptOf(400), promptOf(450)];
  const [one, other] = [await rate.reserve(400), await rate.reserve(400)];
  clock.at += MINUTE_MS;
  await rate.takeTokens(LEGS, early, one);
  expect(await left()).toBe(LIMIT);
  await rate.takeTokens(LEGS, later, other);
  expect(await left()).toBe(LIMIT - 50);
  end(callOf(early, 300), callOf(later, 320));
  expect(await left()).toBe(LIMIT - 320);
});

it('takes nothing where only requests are limited', async () => {
  const { rate, end } = await bench(100, { requestsPerMinute: 9 });
  const reservation = await rate.reserve(1e9);
  await rate.takeTokens(LEGS, promptOf(1e9), reservation);
  end();
});
