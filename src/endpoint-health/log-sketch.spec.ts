// A percentile is within the promised relative error of the exact one, and sketches can be added: random values
// compared with a sort.
import fc from 'fast-check';
import type { Percentiles } from '../core/routing/health.js';
import { LogScale, LogSketch, RELATIVE_ERROR } from './log-sketch.js';

const RANGE = { min: 0.001, max: 1_000 };
const SCALE = new LogScale(RANGE.min, RANGE.max);
const SHARES = { p50: 0.5, p75: 0.75, p90: 0.9, p99: 0.99 } as const;
const NAMES = Object.keys(SHARES) as (keyof Percentiles)[];

/** Exponents are uniform, so that every order of magnitude is covered. */
const value = fc.double({ min: Math.log(RANGE.min), max: Math.log(RANGE.max), noNaN: true }).map(Math.exp);
const values = fc.array(value, { minLength: 1, maxLength: 300 });

function sketchOf(all: readonly number[]): LogSketch {
  const sketch = new LogSketch(SCALE);
  for (const one of all) sketch.add(one);
  return sketch;
}

function exact(all: readonly number[], share: number): number {
  return all.toSorted((a, b) => a - b)[Math.ceil(share * all.length) - 1]!;
}

describe('LogSketch', () => {
  it('reports every percentile within its error', () => {
    fc.assert(
      fc.property(values, (all) => {
        const estimate = sketchOf(all).percentiles()!;
        for (const name of NAMES) {
          const truth = exact(all, SHARES[name]);
          expect(Math.abs(estimate[name] - truth) / truth).toBeLessThanOrEqual(RELATIVE_ERROR + 1e-9);
        }
      }),
    );
  });

  it('reports the lower bound of each share of the values', () => {
    const sketch = sketchOf(Array.from({ length: 100 }, (_, index) => index + 1));
    const { p50, p75, p90, p99 } = sketch.floors()!;
    for (const [estimate, truth] of [
      [p50, 50],
      [p75, 25],
      [p90, 10],
      [p99, 1],
    ] as const) {
      expect(Math.abs(estimate - truth) / truth).toBeLessThanOrEqual(RELATIVE_ERROR + 1e-9);
    }
    expect(sketchOf([]).floors()).toBeUndefined();
  });

  it('adds up to the sketch of all values', () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const sum = sketchOf(some);
        sum.merge(sketchOf(others));
        expect(sum).toEqual(sketchOf([...some, ...others]));
      }),
    );
  });

  it.each([
    ['zero', 0, RANGE.min],
    ['below the range', 0.0004, RANGE.min],
    ['at its beginning', RANGE.min, RANGE.min],
    ['at its end', RANGE.max, RANGE.max],
    ['past it', 1e9, RANGE.max],
  ])('counts a value %s as the nearest one in range', (_, one, nearest) => {
    const { p50 } = sketchOf([one]).percentiles()!;
    expect(Math.abs(p50 - nearest) / nearest).toBeLessThan(2 * RELATIVE_ERROR);
  });

  it('reports nothing without values', () => expect(sketchOf([]).percentiles()).toBeUndefined());
});
