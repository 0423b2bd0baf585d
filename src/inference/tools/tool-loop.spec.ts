// Tests with manual steps: each use is sealed for later turns so that it fits and keeps its position; a loop without
// capacity for more pauses where it has emitted no text, and ends as an answer where it has.
import { modelRequest } from '../../../test/support/model-request.js';
import { Cancellation } from '../../core/cancellation.js';
import type { BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import type { Generation } from '../../core/generation/generation.js';
import type { JsonObject } from '../../core/json/json.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop, type LoopDependencies } from './tool-loop.js';

type Batch = readonly ModelEvent[];

const LEG = {} as PlannedLeg;
const WORDS = 'found '.repeat(100);

/** @param blocks of a reply, each with its text */
function reply(...blocks: readonly (readonly [BlockStart, string?])[]): Batch {
  return [
    { type: 'reply-start', id: 'one', model: 'a/b' },
    ...blocks.flatMap(([block, text], index): ModelEvent[] => [
      { type: 'block-start', index, block },
      ...(text !== undefined && (block.type === 'text' || block.type === 'thinking')
        ? [{ type: 'block-delta', index, delta: { type: block.type, text } } as const]
        : []),
      { type: 'block-end', index },
    ]),
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } },
    { type: 'reply-end', stop: { unified: 'tool-use', raw: null, vendor: 'anthropic' } },
  ];
}
const thinks = [{ type: 'thinking' }, 'Hm.'] as const;
const speaks = [{ type: 'text' }, 'So.'] as const;
const ours = [{ type: 'tool-use', id: 'a', name: 'lookup' }] as const;
const callers = [{ type: 'tool-use', id: 'b', name: 'look' }] as const;

function bench({ sealed = (use: JsonObject) => JSON.stringify(use), wasRefused = false, callsMax = 9 } = {}) {
  let calls = 0;
  const offered = { type: 'made-up:lookup', name: 'lookup', service: { resultType: 'r' }, tool: { price: 0n } };
  const result = { text: WORDS, content: null, sources: [], isError: false, cost: 0n };
  const use = { type: 'made-up:lookup', milliseconds: 0, isError: false, cost: 0n, consulted: [] };
  const dependencies = {
    uses: {
      records: [],
      areUsedUp: false,
      admit: (calls: readonly ServiceCall[]) => calls.map(() => 1),
      countVendors: () => undefined,
      usedOf: () => 0,
      run: async (calls: readonly ServiceCall[]) => calls.map((call) => ({ call, input: {}, result, use })),
    },
    inspect: (request: unknown) => ({ request, stages: [] }),
    refusalOf: async () => undefined,
    wasRefused: () => wasRefused,
    call: async (request: unknown) => (calls++ < callsMax ? { request, begun: { call: {}, events: {} } } : undefined),
    spent: () => 0n,
    spentOn: () => 0n,
    seal: sealed,
    release: () => undefined,
  } as unknown as LoopDependencies;
  const generation = { pipeline: [], toolUses: [] } as unknown as Generation;
  const tools = new Map([['lookup', offered as unknown as OfferedTool]]);
  const loop = new ToolLoop(generation, modelRequest(), tools, new Cancellation().signal, dependencies);
  /** @returns the seals of the step's uses, each with at most so many characters */
  const step = async (batch: Batch, lengthMax = 10_000): Promise<(string | undefined)[]> => {
    loop.pass(batch);
    return (await loop.runTools(LEG)).flat().flatMap((event) => {
      if (event.type !== 'block-start' || event.block.type !== 'service-tool-result') return [];
      return [event.block.result.seal(lengthMax)];
    });
  };
  return { loop, step };
}

it('seals the number of reasoning blocks up to each step, also with a call of the caller’s tool in the last one', async () => {
  const { loop, step } = bench();
  const seals = [...(await step(reply(thinks, ours)))];
  await loop.next(LEG);
  seals.push(...(await step(reply(thinks, thinks, speaks, ours, callers))));
  expect(seals.map((seal) => JSON.parse(seal!))).toMatchObject([
    { step: 1, thoughts: 1, isShared: false, said: '' },
    { step: 2, thoughts: 3, isShared: true, said: 'So.' },
  ]);
});

describe('a result that is sealed', () => {
  /** A third longer than its content. */
  const sealed = (use: JsonObject): string => Buffer.from(JSON.stringify(use)).toString('base64');
  const sealInto = async (lengthMax: number): Promise<string> =>
    (await bench({ sealed }).step(reply(ours), lengthMax))[0]!;
  const TOO_LARGE = expect.stringContaining('was too large') as string;
  const whole = sealInto(Infinity);

  it.each([
    ['that fits is sealed whole', 0, WORDS],
    ['that is a character too long is sealed as a notice', -1, TOO_LARGE],
  ])('%s', async (_, more, text) => {
    const lengthMax = (await whole).length + more;
    expect(lengthMax).toBeGreaterThan(WORDS.length);
    const seal = await sealInto(lengthMax);
    expect(JSON.parse(Buffer.from(seal, 'base64').toString())).toMatchObject({ text });
    expect(seal.length).toBeLessThanOrEqual(lengthMax);
  });
});

it('seals nothing where the notice does not fit either', async () => {
  expect(await bench().step(reply(ours), 100)).toEqual([undefined]);
});

const endOf = (unified: StopReason['unified']) => [{ type: 'usage' }, { type: 'reply-end', stop: { unified } }];

describe.each([
  ['a model that a tool called', { wasRefused: true }],
  ['the next call', { callsMax: 0 }],
])('a loop whose limit does not allow %s', (_, room) => {
  it.each([
    ['pauses without any text', [ours], 'pause'],
    ['is an answer with text', [speaks, ours], 'end-turn'],
    ['pauses with white space alone', [[{ type: 'text' }, '\n'], ours], 'pause'],
  ] as const)('%s', async (__, blocks, unified) => {
    const { loop, step } = bench(room);
    await step(reply(...blocks));
    expect(await loop.next(LEG)).toMatchObject(endOf(unified));
  });

  it('lets the caller continue, whose tools were called in it', async () => {
    const { loop, step } = bench(room);
    await step(reply(ours, callers));
    expect(await loop.next(LEG)).toMatchObject(endOf('tool-use'));
  });
});

it('is an answer where an earlier step emitted text', async () => {
  const { loop, step } = bench({ callsMax: 1 });
  await step(reply(speaks, ours));
  await loop.next(LEG);
  await step(reply(ours));
  expect(await loop.next(LEG)).toMatchObject(endOf('end-turn'));
});
