/**
 * Equal prices have the same name everywhere, different ones never, and each list is written once and not lost by a
 * failure. Checked with lists in other key orders and as other objects, and a store that records its calls or fails.
 */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Pricing } from '../core/routing/catalog.js';
import type { LedgerRepository } from './ledger.repository.js';
import { PriceVersions } from './price-versions.js';

type Versions = Parameters<LedgerRepository['keepPrices']>[0];

function versionsWith(keepPrices: (versions: Versions) => Promise<void>): PriceVersions {
  const ledger: Pick<LedgerRepository, 'keepPrices'> = { keepPrices };
  return new PriceVersions(ledger as LedgerRepository);
}

/** A replica's price versions, and what it has written. */
function replica(): { versions: PriceVersions; written: Versions[number][] } {
  const written: Versions[number][] = [];
  return { versions: versionsWith(async (versions) => void written.push(...versions)), written };
}

const PRICES: Pricing = {
  prompt: 3_000_000n,
  completion: 15_000_000n,
  inputCacheRead: 300_000n,
  request: 1_000n,
  tiers: [
    { minPromptTokens: 200_000, prompt: 6_000_000n, completion: 22_500_000n },
    { minPromptTokens: 400_000, prompt: 7_000_000n, completion: 25_000_000n },
  ],
};

/** The value with the keys of every object in reverse order. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)])
      .reverse(),
  ) as T;
}

beforeEach(() => {
  jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

describe('PriceVersions', () => {
  it('has one name for the same prices, whatever the order of their keys, in every replica and after a reload', async () => {
    const [one, other] = [replica(), replica()];
    const name = one.versions.versionOf(PRICES);
    expect(name).toMatch(/^[0-9a-f]{24}$/);
    expect(other.versions.versionOf(reversed(PRICES))).toBe(name);
    expect(one.versions.versionOf(structuredClone(PRICES))).toBe(name);
    expect(one.versions.versionOf({ ...PRICES, image: undefined } as unknown as Pricing)).toBe(name);
    await Promise.all([one.versions.flush(), other.versions.flush()]);
    expect(one.written).toHaveLength(1);
    expect(other.written).toEqual(one.written);
  });

  it.each<[string, Pricing]>([
    ['a price', { ...PRICES, prompt: 3_000_001n }],
    ['a further price', { ...PRICES, image: 0n }],
    ['a missing one', { prompt: 3_000_000n, completion: 15_000_000n, tiers: PRICES.tiers }],
    ['prices changed over', { ...PRICES, prompt: PRICES.completion, completion: PRICES.prompt }],
    ['a tier', { ...PRICES, tiers: [{ ...PRICES.tiers[0]!, minPromptTokens: 200_001 }, PRICES.tiers[1]!] }],
    ['the order of tiers, which means something', { ...PRICES, tiers: [...PRICES.tiers].reverse() }],
    ['no tiers', { ...PRICES, tiers: [] }],
  ])('has another name for prices that differ in %s', (_, prices) => {
    const { versions } = replica();
    expect(versions.versionOf(prices)).not.toBe(versions.versionOf(PRICES));
  });

  it('names random lists by their contents alone', () => {
    const amount = fc.bigInt({ min: 0n, max: 3n });
    const tier = fc.record({ minPromptTokens: fc.integer({ min: 1, max: 3 }), prompt: amount, completion: amount });
    const pricing = fc.record(
      { prompt: amount, completion: amount, image: amount, request: amount, tiers: fc.array(tier, { maxLength: 2 }) },
      { requiredKeys: ['prompt', 'completion', 'tiers'] },
    ) as fc.Arbitrary<Pricing>;
    const { versions } = replica();
    const canonical = (prices: Pricing): string =>
      JSON.stringify(
        [prices.prompt, prices.completion, prices.image, prices.request, prices.tiers],
        (_, value: unknown) =>
          typeof value === 'bigint'
            ? `${value}n`
            : typeof value === 'object' && value !== null && !Array.isArray(value)
              ? Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1))
              : value,
      );
    fc.assert(
      fc.property(pricing, pricing, (one, two) => {
        expect(versions.versionOf(one) === versions.versionOf(reversed(two))).toBe(canonical(one) === canonical(two));
      }),
    );
  });

  it('writes prices as decimal USD, so that a charge can be explained', async () => {
    const { versions, written } = replica();
    const id = versions.versionOf(PRICES);
    await versions.flush();
    expect(written.map((version) => ({ ...version, pricing: JSON.parse(version.pricing) }))).toEqual([
      {
        id,
        pricing: {
          prompt: '0.000003',
          completion: '0.000015',
          inputCacheRead: '0.0000003',
          request: '0.000000001',
          tiers: [
            { minPromptTokens: 200_000, prompt: '0.000006', completion: '0.0000225' },
            { minPromptTokens: 400_000, prompt: '0.000007', completion: '0.000025' },
          ],
        },
      },
    ]);
  });

  it('writes each list once, and sends nothing to the store while nothing is new', async () => {
    let calls = 0;
    const versions = versionsWith(async () => void calls++);
    await versions.flush();
    expect(calls).toBe(0);
    for (let use = 0; use < 3; use++) {
      versions.versionOf(PRICES);
      versions.versionOf(structuredClone(PRICES));
      await versions.flush();
    }
    expect(calls).toBe(1);
  });

  it('keeps what could not be written, and what was added meanwhile, for the next time', async () => {
    const written: string[] = [];
    let isAway = true;
    let meanwhile: () => void = () => undefined;
    const versions = versionsWith(async (versions) => {
      meanwhile();
      await Promise.resolve();
      if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      written.push(...versions.map(({ id }) => id));
    });
    const first = versions.versionOf(PRICES);
    let second = '';
    meanwhile = () => (second = versions.versionOf({ ...PRICES, prompt: 1n }));
    await versions.flush();
    expect(written).toEqual([]);
    isAway = false;
    await versions.flush();
    expect([...written].sort()).toEqual([first, second].sort());
    await versions.flush();
    expect(written).toHaveLength(2);
  });
});
