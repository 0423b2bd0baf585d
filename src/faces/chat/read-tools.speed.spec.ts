// What it costs to read a choice among tools grows with the number of tools and names, not with their product.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import type { FunctionTool } from '../../core/conversation/tools.js';
import { readToolChoice, withAllowed } from '../common/read-tool-choice.js';

const MANY = 20_000;
const MS_MAX = 50;
const tools = Array.from({ length: MANY }, (_, index): FunctionTool => ({ type: 'function', name: `f${index}`, inputSchema: {} })); // oxfmt-ignore
const listed = tools.toReversed().map(({ name }) => ({ type: 'function' as const, name }));

it('reads a choice among many tools in time', async () => {
  const read = (): void => {
    const { toolChoice } = readToolChoice({ type: 'allowed_tools', mode: 'auto', tools: listed }, tools);
    withAllowed(tools, toolChoice);
  };
  expect(await fastest(() => computedMs(read), MS_MAX)).toBeLessThan(MS_MAX);
});
