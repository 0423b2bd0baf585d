/** Checks that reading yields to other work, in whatever chunks a server sends. */
import { PassThrough } from 'node:stream';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { readInSlices } from '../../src/shared/http/client/read-in-slices.js';

it('gives a little at a time, others their turn between, and all of it', async () => {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  stream.write(Buffer.alloc(256 * 1024));
  readInSlices(stream as unknown as Socket);
  let [bytes, largest, inOneTurn, most] = [0, 0, 0, 0];
  let isOver = false;
  stream.on('end', () => (isOver = true));
  stream.on('readable', () => {
    for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
      bytes += chunk.length;
      largest = Math.max(largest, chunk.length);
      most = Math.max(most, ++inOneTurn);
      // The work of a hostile piece.
      for (const until = performance.now() + 1; performance.now() < until;);
    }
  });
  stream.end();
  while (!isOver) {
    await setImmediate();
    inOneTurn = 0;
  }
  expect([bytes, largest]).toEqual([256 * 1024, 4 * 1024]);
  expect(most).toBeLessThanOrEqual(3);
});
