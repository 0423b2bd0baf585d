// Percentiles cover the last five minutes and require enough values.
import fc from 'fast-check';
import { LogScale } from './log-sketch.js';
import { RollingSketch, SAMPLES_MIN, SKETCH_SLICE_MS, SKETCH_SLICES } from './rolling-sketch.js';

const SCALE = new LogScale(0.001, 1_000);
const WINDOW_MS = SKETCH_SLICE_MS * SKETCH_SLICES;
/** The start of a slice. */
const START = 1_700_000_010_000;

function fill(sketch: RollingSketch, value: number, at: number, times = SAMPLES_MIN): void {
  for (let time = 0; time < times; time++) sketch.add(value, at);
}

describe('RollingSketch', () => {
  it('covers five minutes', () => expect(WINDOW_MS).toBe(300_000));

  it.each([
    [SAMPLES_MIN - 1, undefined],
    [SAMPLES_MIN, expect.objectContaining({ p50: expect.closeTo(2, 0) })],
  ])('reports for %i values: %p', (times, expected) => {
    const sketch = new RollingSketch(SCALE);
    fill(sketch, 2, START, times);
    expect(sketch.percentiles(START)).toEqual(expected);
  });

  it('drops older values, slice by slice', () => {
    const sketch = new RollingSketch(SCALE);
    fill(sketch, 1, START, 3 * SAMPLES_MIN);
    fill(sketch, 100, START + SKETCH_SLICE_MS);
    expect(sketch.percentiles(START + WINDOW_MS - 1)!.p50).toBeLessThan(2);
    expect(sketch.percentiles(START + WINDOW_MS)!.p50).toBeGreaterThan(90);
    expect(sketch.percentiles(START + WINDOW_MS + SKETCH_SLICE_MS)).toBeUndefined();
  });

  it('reuses a slice for another time', () => {
    const sketch = new RollingSketch(SCALE);
    fill(sketch, 1, START);
    fill(sketch, 100, START + WINDOW_MS);
    expect(sketch.percentiles(START + WINDOW_MS)!.p50).toBeGreaterThan(90);
  });

  it('ignores future values after the clock was set back', () => {
    const sketch = new RollingSketch(SCALE);
    fill(sketch, 1, START + WINDOW_MS);
    expect(sketch.percentiles(START)).toBeUndefined();
    expect(sketch.percentiles(START + WINDOW_MS)).toBeDefined();
  });

  it('keeps counting beyond two bytes', () => {
    const sketch = new RollingSketch(SCALE);
    fill(sketch, 1, START, 70_000);
    fill(sketch, 100, START, 69_000);
    // With counts that stopped or wrapped at 65,535 the median would differ.
    expect(sketch.percentiles(START)!.p50).toBeLessThan(2);
    expect(sketch.percentiles(START)!.p75).toBeGreaterThan(90);
  });

  it('has a fixed small size', () => {
    const sketch = new RollingSketch(SCALE);
    for (let slice = 0; slice < 2 * SKETCH_SLICES; slice++) {
      fill(sketch, 10 ** (slice % 3), START + slice * SKETCH_SLICE_MS);
    }
    expect(sketch.bytes).toBeLessThanOrEqual(2_800);
  });

  it('reports the values of the window, wherever in it they lie', () => {
    const moment = fc.integer({ min: 0, max: 2 * WINDOW_MS });
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 100 }), (moments) => {
        const sketch = new RollingSketch(SCALE);
        const sorted = moments.toSorted((a, b) => a - b);
        for (const at of sorted) sketch.add(1, START + at);
        const last = sorted.at(-1)!;
        const begin = Math.floor(last / SKETCH_SLICE_MS - SKETCH_SLICES + 1) * SKETCH_SLICE_MS;
        const kept = sorted.filter((at) => at >= begin).length;
        expect(sketch.percentiles(START + last) !== undefined).toBe(kept >= SAMPLES_MIN);
      }),
    );
  });
});
