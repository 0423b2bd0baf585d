// The tool is offered as requested, and every outcome of the threads and the store becomes a result in the vendor's
// format, charged when a command ran. Threads and store are scripted.
import { extensionContext, openSeal, runCharged, type ChargedResult } from '../../../test/support/extension-context.js';
import { catalogOf } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ContainerStore, type ExtensionContext } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import type { CallerRunTool, GatewayRunTool } from '../../core/tool.js';
import { bash, bashTool } from './bash.js';
import type { BashCommand, BashOutcome } from './run-bash.js';

const BASH = { price: 5n, memoryBytes: 1_000, timeMs: 20 };
function offered(parameters: JsonObject, tool = bash, configured = true): GatewayRunTool | CallerRunTool {
  const catalog = { ...catalogOf(), tools: configured ? { bash: BASH } : {} };
  const modelOf = (): never => {
    throw new Error('needs no model');
  };
  return tool.offer({ type: 'openrouter:bash', parameters, path: 'tools.3' }, { catalog, modelOf });
}
const served = (parameters: JsonObject = {}, configured?: boolean): GatewayRunTool =>
  offered({ engine: 'openrouter', ...parameters }, bash, configured) as GatewayRunTool;

const DONE: BashOutcome = { stdout: 'out\n', stderr: '', exitCode: 0, state: Buffer.from('after') };

/** A context with scripted threads and store; it records their calls. */
class Bench {
  readonly tasks: BashCommand[] = [];
  readonly saved: [id: string, state: string, seconds: number][] = [];
  outcome: () => Promise<BashOutcome> = () => Promise.resolve(DONE);
  stored: () => Promise<Uint8Array | undefined> = () => Promise.resolve(undefined);
  save: ContainerStore['save'] = (id, state, seconds) => {
    this.saved.push([id, Buffer.from(state).toString(), seconds]);
    return Promise.resolve();
  };
  readonly cancellation = new Cancellation();

  readonly context: ExtensionContext = extensionContext({
    signal: this.cancellation.signal,
    workers: {
      run: (job, makeInput) => {
        expect(job).toBe('bash');
        this.tasks.push(makeInput() as BashCommand);
        return this.outcome();
      },
    },
    containers: { load: () => this.stored(), save: (...save) => this.save(...save) },
  });

  run(tool: GatewayRunTool, input: JsonObject = { command: 'true' }): Promise<ChargedResult> {
    return runCharged(tool, input, this.context);
  }
}

describe('an offer', () => {
  it.each([{}, { engine: 'auto' }, { engine: 'native', sleep_after_seconds: 0 }])(
    '%j is the caller’s to run',
    (options) => {
      const { runsAt, asFunction } = offered(options);
      expect([runsAt, asFunction.name]).toEqual(['caller', 'bash']);
      expect(Object.keys(asFunction.inputSchema['properties'] as object)).toEqual(['command', 'restart']);
    },
  );

  it('is served at the price of the catalog, or free of charge', () => {
    expect(served()).toMatchObject({ runsAt: 'gateway', price: 5n, usesMax: 100, asFunction: { name: 'bash' } });
    expect(served({}, false)).toMatchObject({ price: 0n });
  });

  it('has the limits of the catalog, or the default ones', async () => {
    const bench = new Bench();
    await bench.run(served());
    await bench.run(served({}, false));
    expect(bench.tasks).toEqual([
      { command: 'true', memoryBytes: 1_000, timeMs: 20 },
      { command: 'true', memoryBytes: 64 * 1024 * 1024, timeMs: 30_000 },
    ]);
  });

  it('is refused by name where the interpreter is not installed, unless the caller runs it', () => {
    const without = bashTool(false);
    const refused = () => offered({ engine: 'openrouter' }, without);
    expect(refused).toThrow(GatewayError);
    expect(refused).toThrow(/^tools\.3\.parameters\.engine: .*just-bash/);
    expect(offered({}, without).runsAt).toBe('caller');
  });

  it.each([0, -1, 2_592_001, '900'])('is refused to keep a container for %j seconds', (sleep_after_seconds) => {
    expect(() => served({ sleep_after_seconds })).toThrow(/^tools\.3\.parameters\.sleep_after_seconds: must be from 1/);
  });

  it.each([
    [{}, 900],
    [{ sleep_after_seconds: 1 }, 1],
    [{ sleep_after_seconds: 2_592_000 }, 2_592_000],
  ])('keeps its container as long as %j requests', async (options, seconds) => {
    const bench = new Bench();
    await bench.run(served(options));
    expect(bench.saved).toEqual([[expect.stringMatching(/^[\w-]{20}$/), 'after', seconds]]);
  });
});

describe('a use', () => {
  it('continues on the state of the previous one, and saves each time', async () => {
    const bench = new Bench();
    const tool = served();
    await bench.run(tool);
    bench.outcome = () => Promise.resolve({ ...DONE, state: Buffer.from('later') });
    await bench.run(tool);
    await bench.run(tool, { restart: true });
    expect(bench.tasks.map(({ command, state }) => [command, state && Buffer.from(state).toString()])).toEqual([
      ['true', undefined],
      ['true', 'after'],
      [':', undefined],
    ]);
    expect(bench.saved.map(([, state]) => state)).toEqual(['after', 'later', 'later']);
    expect(new Set(bench.saved.map(([id]) => id)).size).toBe(1);
  });

  it('reports no container where the first command left nothing to keep', async () => {
    const bench = new Bench();
    const { state: _state, ...nothing } = DONE;
    bench.outcome = () => Promise.resolve({ ...nothing, exitCode: 1 });
    expect((await bench.run(served())).content).not.toHaveProperty('container_id');
    expect(bench.saved).toEqual([]);
  });

  it('saves the same array again where a command changed nothing, which the store need not write', async () => {
    const bench = new Bench();
    const states: Uint8Array[] = [];
    bench.save = (_id, state) => {
      states.push(state);
      return Promise.resolve();
    };
    const tool = served();
    for (const state of ['after', 'after', 'later', 'after']) {
      bench.outcome = () => Promise.resolve({ ...DONE, state: Buffer.from(state) });
      await bench.run(tool);
    }
    expect(states.map((state) => states.indexOf(state))).toEqual([0, 0, 2, 3]);
  });

  it('gives a thread a copy, so that the state survives the thread', async () => {
    const bench = new Bench();
    const tool = served();
    await bench.run(tool);
    bench.outcome = () => {
      bench.tasks.at(-1)!.state!.fill(0);
      return Promise.reject(new ExtensionFault('unavailable', 'was too much to work on'));
    };
    await bench.run(tool);
    bench.outcome = () => Promise.resolve(DONE);
    await bench.run(tool);
    expect(Buffer.from(bench.tasks.at(-1)!.state!).toString()).toBe('after');
  });

  it('keeps no session beyond the limit of the process: its state is unchanged, and further uses may run', async () => {
    const bench = new Bench();
    const room: number[] = [];
    const keep = (bytes: number): boolean => room.push(bytes) !== 2;
    const context = { ...bench.context, keep };
    const tool = served();
    const run = () => tool.run({ command: 'true' }, { context, number: 1 });
    await run();
    bench.outcome = () => Promise.resolve({ ...DONE, state: Buffer.alloc(105) });
    expect((await run()).content).toMatchObject({ error_code: 'too_many_requests' });
    bench.outcome = () => Promise.resolve(DONE);
    expect((await run()).isError).toBe(false);
    expect(bench.tasks.map(({ state }) => state && Buffer.from(state).toString())).toEqual([undefined, 'after', 'after']);
    // The growth, and no more.
    expect(room).toEqual([5, 100]);
  }); // oxfmt-ignore

  it('loads a container to resume once, and saves it under its id', async () => {
    const bench = new Bench();
    let loads = 0;
    bench.stored = () => Promise.resolve(loads++ ? undefined : Buffer.from('stored'));
    const tool = served({ environment: { type: 'container_reference', container_id: 'mine' } });
    await bench.run(tool);
    await bench.run(tool);
    expect(bench.tasks.map(({ state }) => Buffer.from(state!).toString())).toEqual(['stored', 'after']);
    expect(bench.saved.map(([id]) => id)).toEqual(['mine', 'mine']);
  });

  it.each<[string, () => Promise<BashOutcome>, string, bigint]>([
    ['finds no thread', () => Promise.reject(new ExtensionFault('busy', 'full')), 'too_many_requests', 0n],
    ['takes too long', () => Promise.reject(new ExtensionFault('timed-out', 'long')), 'execution_time_exceeded', 5n],
    ['dies', () => Promise.reject(new ExtensionFault('unavailable', 'died')), 'unavailable', 5n],
    [
      'is of another release',
      () => Promise.reject(new ExtensionFault('unsupported', 'other')),
      'container_not_found',
      0n,
    ],
  ])('that %s is a result, and nothing is saved', async (_name, outcome, error_code, cost) => {
    const bench = new Bench();
    bench.outcome = outcome;
    const result = await bench.run(served());
    const type = 'bash_code_execution_tool_result_error';
    expect(result).toMatchObject({ isError: true, cost, content: { type, error_code, message: expect.any(String) } });
    expect(result.text).toContain(error_code);
    expect(bench.saved).toEqual([]);
  });

  it('with a store that is down returns a result: not loaded, or not kept', async () => {
    const bench = new Bench();
    bench.stored = () => Promise.reject(new ExtensionFault('unavailable', 'The store is down.'));
    const tool = served({ environment: { type: 'container_reference', container_id: 'mine' } });
    expect(await bench.run(tool)).toMatchObject({ isError: true, cost: 0n, content: { error_code: 'unavailable' } });
    expect(bench.tasks).toEqual([]);
    bench.stored = () => Promise.resolve(Buffer.from('stored'));
    bench.save = () => Promise.reject(new ExtensionFault('unavailable', 'The store is down.'));
    const { isError, content } = await bench.run(tool);
    expect(isError).toBe(false);
    expect(content).toMatchObject({ stdout: 'out\n', stderr: expect.stringContaining('The store is down.') });
    expect(content).not.toHaveProperty('container_id');
  });

  it('with a missing container fails each time, and runs nothing', async () => {
    const bench = new Bench();
    const tool = served({ environment: { type: 'container_reference', container_id: 'theirs' } });
    for (let use = 1; use <= 2; use++)
      expect(await bench.run(tool)).toMatchObject({
        isError: true,
        cost: 0n,
        content: { error_code: 'container_not_found' },
      });
    expect(bench.tasks).toEqual([]);
  });

  it('ends with its generation, at every stage', async () => {
    for (const stage of ['stored', 'outcome', 'save'] as const) {
      const bench = new Bench();
      const tool = served({ environment: { type: 'container_reference', container_id: 'mine' } });
      bench.stored = () => Promise.resolve(Buffer.from('stored'));
      const end = (): Promise<never> => {
        bench.cancellation.abort(new CallerGone());
        return Promise.reject(bench.cancellation.signal.reason);
      };
      Object.assign(bench, { [stage]: end });
      const ends = await Promise.allSettled([bench.run(tool), bench.run(tool)]);
      expect(ends).toEqual(Array(2).fill({ status: 'rejected', reason: expect.any(CallerGone) }));
    }
  });

  it('beyond the limit of a generation returns a result', () => {
    expect(served().fail('max_uses_exceeded', {})).toMatchObject({
      isError: true,
      content: { error_code: 'max_uses_exceeded' },
    });
    expect(served().fail('query_too_long', {})).toMatchObject({ content: { error_code: 'query_too_long' } });
  });
});

it('is read again in a later turn as the model first read it', async () => {
  const bench = new Bench();
  bench.outcome = () => Promise.resolve({ ...DONE, stderr: 'err', exitCode: 2 });
  const { content, text } = await bench.run(served());
  expect(bash.recall(content, openSeal)).toBe(text);
  expect(text).toBe('<stdout>\nout\n</stdout>\n<stderr>\nerr\n</stderr>\nexit code 2');
  for (const other of [
    null,
    'text',
    [],
    {},
    { stdout: 1, return_code: 'x' },
    { type: 'bash_code_execution_tool_result_error' },
  ])
    expect(bash.recall(other, openSeal)).toEqual(expect.any(String));
});
