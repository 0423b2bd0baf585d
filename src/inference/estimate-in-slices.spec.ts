/** Counts turns of the event loop: estimating a prompt of any size yields to other work, and the number is the same. */
import { modelRequest } from '../../test/support/model-request.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { estimateInputTokens } from '../core/money/estimate.js';
import { estimateInSlices } from './estimate-in-slices.js';

const MIB = 1024 * 1024;

const request = (sizes: readonly number[]): ModelRequest =>
  modelRequest({
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: sizes.map((size) => ({ role: 'user', content: [{ type: 'text', text: 'x'.repeat(size) }] })),
    tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
  });

async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

it.each([
  ['nothing', [], 0],
  ['a small one', [1_000, 1_000], 0],
  ['just under one slice', [MIB - 1_000], 0],
  ['eight slices', Array.from({ length: 8 }, () => MIB), 8],
  ['eight slices of many pieces', Array.from({ length: 8 * 64 }, () => MIB / 64), 8],
])('%s', async (_, sizes, turnsMin) => {
  const prompt = request(sizes);
  const estimating = estimateInSlices(prompt);
  const turns = await turnsOf(estimating);
  expect(await estimating).toBe(estimateInputTokens(prompt));
  expect(turns).toBeGreaterThanOrEqual(turnsMin);
  // Two for each slice, and none where none is needed.
  expect(turns).toBeLessThanOrEqual(2 * turnsMin);
});
