// A body is the same for any parts, and holds no more memory than its received bytes. Bodies cut at random, small
// pieces between large ones.
import fc from 'fast-check';
import { BodyParts } from './body-parts.js';

const KIB = 1024;

/** Bytes of which no two neighbouring stretches are equal. */
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff));

describe('BodyParts', () => {
  it('joins its parts in order, for any parts', async () => {
    const body = bytes(400 * KIB);
    const sizes = fc.array(
      fc.oneof(fc.nat(20), fc.nat(2 * KIB), fc.nat(70 * KIB), fc.constantFrom(16 * KIB - 1, 16 * KIB, 64 * KIB)),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        const parts = new BodyParts();
        let at = 0;
        for (const size of cuts) {
          // A copy, because the whole must not depend on its source.
          parts.add(Buffer.from(body.subarray(at, at + size)));
          at = Math.min(body.length, at + size);
        }
        expect((await parts.join()).equals(body.subarray(0, at))).toBe(true);
      }),
    );
  });

  it('does not copy a single piece', async () => {
    const piece = Buffer.from('{}');
    const parts = new BodyParts();
    parts.add(piece);
    expect(await parts.join()).toBe(piece);
  });

  it('is empty without any', async () => {
    expect(await new BodyParts().join()).toHaveLength(0);
  });

  it('takes 64 KiB for thousands of single bytes, not a page for each', async () => {
    const parts = new BodyParts();
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 60_000; count++) parts.add(Buffer.from([count & 0xff]));
    // The pieces themselves belong to the pool, and are freed with it.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * KIB);
    expect(await parts.join()).toHaveLength(60_000);
  });

  it('yields while it joins a large body', async () => {
    const parts = new BodyParts();
    for (let count = 0; count < 20; count++) parts.add(Buffer.alloc(1024 * KIB));
    let turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    expect(await parts.join()).toHaveLength(20 * 1024 * KIB);
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(4);
  });
});
