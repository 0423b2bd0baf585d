// Draws follow their weights, and sessions keep their position. Counts over many seeds; shares may be off by four
// standard deviations, which is deterministic for fixed seeds. Rules: docs/use/choosing-providers.md.
import { endpoint, healthOf, inputsOf, model, plan, price, tagsOf } from '../../../test/support/route-inputs.js';
import type { Endpoint } from './catalog.js';
import { hash01 } from './draw.js';
import { planRoute } from './plan-route.js';

const DRAWS = 20_000;
const DEVIATIONS_MAX = 4;

/** How often each tag was first. */
function countFirst(
  endpoints: readonly Endpoint[],
  parts: Parameters<typeof plan>[1] = {},
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const inputs = inputsOf([model('a/b', endpoints)], parts);
  for (let draw = 0; draw < DRAWS; draw++) {
    const first = planRoute({ ...inputs, seed: `seed-${draw}` })!.legs[0]!.tag;
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return counts;
}

function expectShare(count: number, share: number, of: number): void {
  const deviation = Math.sqrt(of * share * (1 - share));
  expect(Math.abs(count - of * share)).toBeLessThan(DEVIATIONS_MAX * deviation);
}

describe('the hash of a draw', () => {
  it('is even: each of 64 cells gets its share', () => {
    const cells = new Array<number>(64).fill(0);
    for (let draw = 0; draw < DRAWS; draw++) cells[Math.floor(hash01('seed', 'a/b', `p${draw}`) * 64)]!++;
    const expected = DRAWS / 64;
    const chiSquare = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 63 degrees of freedom: 99.9 % of even draws are below.
    expect(chiSquare).toBeLessThan(103.4);
  });

  it('is strictly between 0 and 1 and distinguishes its parts', () => {
    const values = [hash01('', '', ''), hash01('ab', 'c', 'd'), hash01('a', 'bc', 'd'), hash01('a', 'b', 'cd')];
    for (const value of values) expect(value > 0 && value < 1).toBe(true);
    expect(new Set(values).size).toBe(values.length);
  });

  it('gives unrelated numbers for neighbours', () => {
    let above = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      if (hash01(`s${draw}`, 'a/b', 'p1') > hash01(`s${draw}`, 'a/b', 'p2')) above++;
    }
    expectShare(above, 0.5, DRAWS);
  });
});

describe('the draw', () => {
  it('follows the documented example: A is nine times likelier than C, and B, which is out, comes last', () => {
    const endpoints = [endpoint('a', { usd: 1 }), endpoint('b', { usd: 2 }), endpoint('c', { usd: 3 })];
    const health = healthOf({ b: { isOut: true } });
    const counts = countFirst(endpoints, { health });
    expectShare(counts.get('a')!, 0.9, DRAWS);
    expect(counts.get('b')).toBeUndefined();
    const made = plan([model('a/b', endpoints)], { health });
    expect(made.legs.at(-1)).toMatchObject({ tag: 'b', setBack: 'outage' });
    expect(made.legs.map(({ weight }) => weight)).toEqual([1, 1 / 9, 1 / 4]);
  });

  it('uses prompt + completion of each', () => {
    const weights: Readonly<Record<string, number>> = { p1: 1, p2: 1 / 4, p3: 1 / 16, p4: 1 / 2.25 };
    const endpoints = [
      endpoint('p1', { usd: 1 }),
      endpoint('p2', { pricing: { prompt: 500_000n, completion: 1_500_000n, tiers: [] } }),
      endpoint('p3', { usd: 4 }),
      endpoint('p4', { usd: 1.5 }),
    ];
    const counts = countFirst(endpoints);
    const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    for (const [tag, weight] of Object.entries(weights)) expectShare(counts.get(tag) ?? 0, weight / total, DRAWS);
  });

  it('is drawn without replacement: the second position follows the remaining weights', () => {
    const models = [model('a/b', [endpoint('a', { usd: 1 }), endpoint('b', { usd: 2 }), endpoint('c', { usd: 4 })])];
    let afterA = 0;
    let bAfterA = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const [first, second] = tagsOf(plan(models, { seed: `${draw}` }));
      if (first !== 'a') continue;
      afterA++;
      if (second === 'b') bAfterA++;
    }
    expectShare(bAfterA, 1 / 4 / (1 / 4 + 1 / 16), afterA);
  });

  it('puts free endpoints first, and is even among them', () => {
    const free = price(0);
    const endpoints = [
      endpoint('cheap', { usd: 0.000_001 }),
      endpoint('f1', { pricing: null }),
      endpoint('f2', { pricing: free }),
    ];
    const counts = countFirst(endpoints);
    expect(counts.get('cheap')).toBeUndefined();
    expectShare(counts.get('f1')!, 0.5, DRAWS);
  });
});

describe('sessions', () => {
  const endpoints = ['p1', 'p2', 'p3', 'p4', 'p5'].map((tag, index) => endpoint(tag, { usd: 1 + index / 4 }));
  const SESSIONS = 5_000;
  const homes = (left: readonly Endpoint[]): readonly string[] =>
    Array.from({ length: SESSIONS }, (_, index) => {
      const session = { key: `session-${index}`, pinOf: () => undefined };
      return plan([model('a/b', left)], { session, seed: `other-${index % 7}` }).legs[0]!.tag;
    });
  const before = homes(endpoints);

  it('stay for any seed, and move only when their endpoint leaves', () => {
    const after = homes(endpoints.filter(({ tag }) => tag !== 'p2'));
    let moved = 0;
    before.forEach((home, index) => {
      if (home === 'p2') moved++;
      else expect(after[index]).toBe(home);
    });
    expect(moved).toBeGreaterThan(0);
  });

  it('move only to an endpoint that joins', () => {
    const after = homes([...endpoints, endpoint('p6', { usd: 1 })]);
    const moved = after.filter((home, index) => home !== before[index]);
    expect(moved.length).toBeGreaterThan(0);
    expect(new Set(moved)).toEqual(new Set(['p6']));
  });

  it('spread by weight', () => {
    const weights = endpoints.map((_, index) => 1 / (1 + index / 4) ** 2);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    endpoints.forEach(({ tag }, index) => {
      expectShare(before.filter((home) => home === tag).length, weights[index]! / total, SESSIONS);
    });
  });
});
