// Made-up tools under the runner: uses are limited to eight at a time, by the limit of each tool, and in time, and
// every outcome is a result.
import { Logger } from '@nestjs/common';
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { readArguments } from '../../core/conversation/assistant-turn.js';
import { Cancellation, type CancelSignal } from '../../core/cancellation.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import type { GatewayRunTool, ServiceTool, ToolResult } from '../../core/tool.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';
import { ToolUses } from './tool-uses.js';

const result = (text: string): ToolResult => ({ text, content: text, sources: [], isError: false });

const charged = (text: string, cost: bigint): GatewayRunTool['run'] => async (_, { context }) => {
  context.charge(cost);
  return result(text);
}; // oxfmt-ignore

function offered(run: GatewayRunTool['run'], fields: Partial<GatewayRunTool> = {}): OfferedTool {
  const asFunction = {
    name: 'f',
    description: '',
    inputSchema: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  };
  const tool: GatewayRunTool = {
    runsAt: 'gateway',
    asFunction,
    price: 5n,
    usesMax: 100,
    run,
    fail: (failure) => ({ ...result(failure), isError: true }),
    ...fields,
  };
  return { type: 'made-up:f', name: 'f', service: {} as ServiceTool, tool };
}

const callOf = (tool: OfferedTool, input = '{"x":1}'): ServiceCall => ({
  id: 'i',
  offered: tool,
  input: readArguments(input),
});

function bench(keep = (_bytes: number) => true, usesMax = Infinity) {
  const abort = new Cancellation();
  const uses: ToolUseRecord[] = [];
  const runner = new ToolUses(
    { toolUses: uses } as Partial<Generation> as Generation,
    (_, signal, use) => extensionContext({ signal, keep, charge: (cost) => use.charge(cost) }),
    abort.signal,
    usesMax,
  );
  const run = async (...calls: ServiceCall[]) =>
    (await runner.run(calls, runner.admit(calls), modelRequest())).map(({ result: { text } }) => text);
  return { abort, uses, run, runner };
} // oxfmt-ignore

it('runs eight at a time, and returns results in order', async () => {
  let now = 0;
  let most = 0;
  const tool = offered(async ({ x }) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5 + (x as number)));
    now--;
    return result(JSON.stringify(x));
  });
  const calls = Array.from({ length: 20 }, (_, x) => callOf(tool, JSON.stringify({ x: 20 - x })));
  expect(await bench().run(...calls)).toEqual(calls.map((_, x) => String(20 - x)));
  expect(most).toBe(8);
});

it('records the cost of each use, never above its price', async () => {
  const { run, uses } = bench();
  await run(callOf(offered(charged('a', 3n))), callOf(offered(charged('b', 9n))));
  expect(uses.map(({ cost }) => cost)).toEqual([3n, 5n]);
}); // oxfmt-ignore

it.each([
  ['no JSON', '{"x":'],
  ['no object', '[1]'],
  ['against the schema', '{"x":"1"}'],
  ['without what is required', ''],
  ['more than any tool reads', `{"x":1,"y":"${'a'.repeat(1024 * 1024)}"}`],
])('runs nothing for arguments that are %s', async (_, input) => {
  const { run, uses } = bench();
  const tool = offered(() => Promise.reject(new Error('was run')));
  expect(await run(callOf(tool, input))).toEqual(['invalid_tool_input']);
  expect(uses).toMatchObject([{ refusal: 'invalid_tool_input', cost: 0n }]);
});

it('keeps results that the process has memory for, and fails the rest as too many, at their cost', async () => {
  const { run, uses } = bench((bytes) => bytes < 1_000);
  const tool = offered(({ x }, use) => charged('a'.repeat(x as number), 4n)({}, use));
  expect(await run(callOf(tool, '{"x":10}'), callOf(tool, '{"x":1000}'))).toEqual(['a'.repeat(10), 'too_many_requests']);
  expect(uses).toMatchObject([{ isError: false, cost: 4n }, { isError: true, cost: 4n }]);
}); // oxfmt-ignore

it('runs a tool up to its limit, over all steps', async () => {
  const { run, uses } = bench();
  const tool = offered((_, { number }) => Promise.resolve(result(`use ${number}`)), { usesMax: 2 });
  expect(await run(callOf(tool))).toEqual(['use 1']);
  expect(await run(callOf(tool), callOf(tool))).toEqual(['use 2', 'max_uses_exceeded']);
  // A refused use is recorded sooner.
  expect(uses.map(({ refusal }) => refusal).sort()).toEqual(['max_uses_exceeded', undefined, undefined]);
});

it('counts uses by vendors for the limit of a tool, but not for the limit of all tools together', async () => {
  const { run, runner } = bench(undefined, 2);
  const search = { ...offered(() => Promise.resolve(result('found')), { usesMax: 3 }), type: 'openrouter:web_search' };
  const other = offered(() => Promise.resolve(result('ran')));
  runner.countVendors({ webSearchRequests: 2 });
  expect(await run(callOf(search), callOf(search), callOf(other))).toEqual(['found', 'max_uses_exceeded', 'ran']);
  expect([runner.usedOf('openrouter:web_search', search), runner.usedOf('web_search_20250305', undefined)]).toEqual([3, 2]);
}); // oxfmt-ignore

describe('an error of a tool', () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  beforeEach(() => logged.mockClear());
  afterAll(() => logged.mockRestore());
  const throwing = (error: Error) => callOf(offered(() => Promise.reject(error)));

  it('is a failure, logged with its position in the code and without its message', async () => {
    const { run, uses } = bench();
    expect(await run(throwing(new TypeError('of sk-secret')))).toEqual(['unavailable']);
    expect(uses).toMatchObject([{ isError: true, cost: 0n }]);
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/^A use of made-up:f failed: TypeError\n +at /)]]);
    expect(JSON.stringify(logged.mock.calls)).not.toContain('secret');
  });

  it.each([
    ['an engine', new ExtensionFault('unavailable', 'no answer')],
    ['the gateway', new GatewayError('rate-limited', 'too many')],
  ])('is not logged where it comes from %s', async (_, error) => {
    expect(await bench().run(throwing(error))).toEqual(['unavailable']);
    expect(logged).not.toHaveBeenCalled();
  });
});

it('abandons a tool that never answers after its time limit, and aborts its work', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
  try {
    let signal: CancelSignal | undefined;
    const running = bench().run(
      callOf(
        offered((_, { context }) => {
          signal = context.signal;
          return new Promise(() => undefined);
        }),
      ),
    );
    await jest.advanceTimersByTimeAsync(299_999);
    expect(signal!.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await running).toEqual(['unavailable']);
    expect(signal!.reason).toMatchObject({ ending: 'deadline' });
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

it('counts the content for the caller beside the text for the model', async () => {
  const kept: number[] = [];
  const { run } = bench((bytes) => kept.push(bytes) > 0);
  await run(callOf(offered(() => Promise.resolve({ ...result('short'), content: 'c'.repeat(5_000) }))));
  expect(kept).toEqual([expect.any(Number)]);
  expect(kept[0]).toBeGreaterThanOrEqual('short'.length + 5_000);
});

it('leaves no listener and no timer behind, however a use ended', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
  try {
    const { run, abort } = bench();
    let listeners = 0;
    const [add, remove] = [abort.addEventListener.bind(abort), abort.removeEventListener.bind(abort)];
    abort.addEventListener = (...one) => (listeners++, add(...one));
    abort.removeEventListener = (...one) => (listeners--, remove(...one));
    const during: number[] = [];
    const ends = offered(() => Promise.resolve(result(String(during.push(listeners)))));
    const fails = offered(() => Promise.reject(new ExtensionFault('unavailable', 'no answer')));
    await run(...Array.from({ length: 10 }, (_, index) => callOf(index % 2 ? fails : ends)));
    expect(Math.min(...during)).toBeGreaterThan(0);
    expect([listeners, jest.getTimerCount()]).toEqual([0, 0]);
  } finally {
    jest.useRealTimers();
  }
});

it('ends with its generation, even if a tool does not', async () => {
  const { run, abort } = bench();
  const running = run(callOf(offered(() => new Promise(() => undefined))));
  abort.abort(new CallerGone());
  await expect(running).rejects.toThrow(CallerGone);
});
