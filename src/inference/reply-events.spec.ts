// Goal: what a watch has not let through never goes out, also where it fails while the next batch comes; what is read
// unseen ends by its last event. Method: a provider, a watch and a reader by hand.
import type { ModelEvent } from '../core/conversation/event.js';
import type { Generation } from '../core/generation/generation.js';
import type { ReplyWatch } from '../core/plugin.js';
import { Cancellation } from '../core/cancellation.js';
import type { Puller } from '../core/stream/pulled.js';
import type { StartedCall } from '../routing/plan-runner.js';
import { ReplyEvents } from './reply-events.js';
import type { ToolLoop } from './tools/tool-loop.js';

type Batch = readonly ModelEvent[];

const FIRST: Batch = [{ type: 'ping' }];
const SECOND: Batch = [{ type: 'ping' }];
const LAST: Batch = [{ type: 'ping' }];
const FAULT = new Error('nobody judged it');

/** A call, and its provider, who gives batches when they are pulled. */
function startedCall({ ends, isUnseen }: { readonly ends: boolean; readonly isUnseen: boolean }) {
  let provider!: Puller<Batch>;
  const observed: Batch[] = [];
  const observe = (batch: Batch): boolean => {
    observed.push(batch);
    return ends || batch === LAST;
  };
  const begun = {
    call: { observe, isUnseen, pausedMs: 0 },
    events: {
      pull: (puller: Puller<Batch>) => void (provider = puller),
      return: () => Promise.resolve({ done: true, value: undefined }),
      hearOut: () => undefined,
    },
    stages: [],
  } as unknown as StartedCall;
  return { begun, observed, gives: (batch: Batch) => provider.take(batch) };
}

function bench(watch: ReplyWatch) {
  const told: unknown[] = [];
  const { begun, observed, gives } = startedCall({ ends: false, isUnseen: false });
  const generation = {
    fail: () => Promise.resolve(),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  const events = new ReplyEvents(generation, begun, new Cancellation().signal, undefined, watch);
  const reader: Puller<Batch> = {
    take: (batch) => told.push(batch),
    end: () => told.push('end'),
    fail: (reason) => told.push(reason),
  };
  return { events, reader, told, observed, gives };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

it('ends a call that was read unseen to its end as completed, whatever its loop knows of it', async () => {
  const ended: unknown[] = [];
  const { begun, gives } = startedCall({ ends: true, isUnseen: true });
  const generation = {
    endCall: (_: unknown, ending: string) => void ended.push(ending),
    end: (ending: string) => Promise.resolve(void ended.push(ending)),
    fail: (reason: unknown) => Promise.resolve(void ended.push(reason)),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  // It was told nothing since its reader left.
  const loop = {
    get goesOn(): boolean {
      throw new TypeError('asked of a reply whose end it was not told');
    },
  } as unknown as ToolLoop;
  const events = new ReplyEvents(generation, begun, new Cancellation().signal, loop);
  const read = events.readUnseen();
  gives([{ type: 'ping' }]);
  await read;
  expect(ended).toEqual(['completed', 'caller-gone']);
});

it('reads a later call unseen to its end, though its reader left what tools had brought', async () => {
  const ended: unknown[] = [];
  const [one, next] = [startedCall({ ends: true, isUnseen: false }), startedCall({ ends: false, isUnseen: true })];
  const generation = {
    endCall: (_: unknown, ending: string) => void ended.push(ending),
    end: (ending: string) => Promise.resolve(void ended.push(ending)),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  const loop = {
    goesOn: true,
    tell: (batch: Batch) => batch,
    runTools: () => Promise.resolve([FIRST]),
    next: () => Promise.resolve(next.begun),
  } as unknown as ToolLoop;
  const events = new ReplyEvents(generation, one.begun, new Cancellation().signal, loop);
  const told: Batch[] = [];
  events.pull({ take: (batch) => told.push(batch), end: () => undefined, fail: () => undefined });
  one.gives(FIRST);
  // Nobody asks for the results.
  await turns();
  expect(told).toHaveLength(1);
  await events.return();
  next.gives(FIRST);
  await turns();
  expect(ended).toEqual(['completed']);
  next.gives(LAST);
  await turns();
  expect(ended).toEqual(['completed', 'completed', 'caller-gone']);
});

describe('a reader that leaves in mid-call', () => {
  function leaving(unseen: Promise<void> | undefined) {
    const done: string[] = [];
    const { begun } = startedCall({ ends: false, isUnseen: false });
    Object.assign(begun.events, { return: async () => void done.push('provider left') });
    const generation = {
      end: async (ending: string) => void done.push(ending),
      unseenConsultations: () => unseen,
    } as unknown as Generation;
    return { done, events: new ReplyEvents(generation, begun, new Cancellation().signal) };
  }

  it('ends the generation, and its provider is left', async () => {
    const { done, events } = leaving(undefined);
    await events.return();
    expect(done).toEqual(['caller-gone', 'provider left']);
  });

  it('ends nothing while a model that was consulted runs on unseen: that does, when it is over', async () => {
    const { done, events } = leaving(new Promise(() => undefined));
    await events.return();
    expect(done).toEqual([]);
  });
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('lets go in their order what came while more was let go', async () => {
  let letGo: (batch: Batch) => void = () => undefined;
  const held: Batch = [{ type: 'ping' }];
  let asked = 0;
  const watch: ReplyWatch = {
    overdueMs: 10,
    tell: (batch) => (asked++ === 0 ? [] : batch),
    release: () => new Promise((resolve) => (letGo = resolve)),
  };
  const { events, reader, told, gives } = bench(watch);
  events.pull(reader);
  gives(FIRST);
  await turns();
  jest.advanceTimersByTime(10);
  gives(SECOND);
  letGo(held);
  await turns();
  events.pull(reader);
  await turns();
  expect(told).toHaveLength(2);
  expect([told[0] === held, told[1] === SECOND]).toEqual([true, true]);
});

describe.each<[string, (fail: Promise<never>) => Promise<never>]>([
  ['later', (fail) => fail],
  [
    'at once',
    () => {
      throw FAULT;
    },
  ],
])('where what was held back fails %s', (_, release) => {
  it('counts what came meanwhile, and lets nothing of it go', async () => {
    let asked = 0;
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise<never>((_resolve, reject) => (fail = reject));
    failing.catch(() => undefined);
    const watch: ReplyWatch = {
      overdueMs: 10,
      tell: (batch) => (asked++ === 0 ? [] : batch),
      release: () => release(failing),
    };
    const { events, reader, told, observed, gives } = bench(watch);
    events.pull(reader);
    gives(FIRST);
    await turns();
    jest.advanceTimersByTime(10);
    gives(SECOND);
    fail(FAULT);
    await turns();
    expect([observed, told]).toEqual([[FIRST, SECOND], [FAULT]]);
  });
});
