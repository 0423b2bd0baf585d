// Tests with a manual provider, watch and reader: a batch that the watch holds back is never sent, also where the watch
// fails while the next batch arrives; a call read without a reader ends with its last event.
import type { ModelEvent } from '../core/conversation/event.js';
import type { Generation } from '../core/generation/generation.js';
import type { ReplyWatch } from '../core/plugin.js';
import { Cancellation } from '../core/cancellation.js';
import type { PullReceiver } from '../core/stream/pull-source.js';
import type { StartedCall } from '../routing/plan-runner.js';
import { ReplyEvents } from './reply-events.js';
import type { ToolLoop } from './tools/tool-loop.js';

type Batch = readonly ModelEvent[];

const FIRST: Batch = [{ type: 'ping' }];
const SECOND: Batch = [{ type: 'ping' }];
const LAST: Batch = [{ type: 'ping' }];
const FAULT = new Error('it was not judged');

/** A call whose provider delivers batches on demand. */
function startedCall({ ends: isOver, isUnseen }: { readonly ends: boolean; readonly isUnseen: boolean }) {
  let provider!: PullReceiver<Batch>;
  const observed: Batch[] = [];
  const observe = (batch: Batch): boolean => {
    observed.push(batch);
    return isOver || batch === LAST;
  };
  const begun = {
    call: { observe, isUnseen, pausedMs: 0 },
    events: {
      pull: (receiver: PullReceiver<Batch>) => void (provider = receiver),
      return: () => Promise.resolve({ done: true, value: undefined }),
      drain: () => undefined,
    },
    stages: [],
  } as unknown as StartedCall;
  return { begun, observed, gives: (batch: Batch) => provider.take(batch), ends: () => provider.end() };
}

function bench(watch: ReplyWatch) {
  const received: unknown[] = [];
  const { begun, observed, gives } = startedCall({ ends: false, isUnseen: false });
  const generation = {
    fail: () => Promise.resolve(),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  const events = new ReplyEvents(generation, begun, new Cancellation().signal, undefined, watch);
  const reader: PullReceiver<Batch> = {
    take: (batch) => received.push(batch),
    end: () => received.push('end'),
    fail: (reason) => received.push(reason),
  };
  return { events, reader, received, observed, gives };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

it('sends the last events after their settlement, also where the connection ends before it', async () => {
  let settle!: () => void;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const { begun, gives, ends } = startedCall({ ends: false, isUnseen: false });
  const generation = { end: () => settled, unseenConsultations: () => undefined } as unknown as Generation;
  const events = new ReplyEvents(generation, begun, new Cancellation().signal);
  const received: unknown[] = [];
  const reader: PullReceiver<Batch> = {
    take: (batch) => {
      received.push(batch);
      events.pull(reader);
    },
    end: () => received.push('end'),
    fail: (reason) => received.push(reason),
  };
  events.pull(reader);
  gives(FIRST);
  gives(LAST);
  ends();
  await turns();
  expect(received).toEqual([FIRST]);
  settle();
  await turns();
  expect(received).toEqual([FIRST, LAST, 'end']);
});

it('ends a call that was read without a reader as completed, without reading the state of its loop', async () => {
  const ended: unknown[] = [];
  const { begun, gives } = startedCall({ ends: true, isUnseen: true });
  const generation = {
    endCall: (_: unknown, ending: string) => void ended.push(ending),
    end: (ending: string) => Promise.resolve(void ended.push(ending)),
    fail: (reason: unknown) => Promise.resolve(void ended.push(reason)),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  // The loop received nothing after its reader had stopped.
  const loop = {
    get hasPendingToolCalls(): boolean {
      throw new TypeError('read of a reply whose end the loop did not receive');
    },
  } as unknown as ToolLoop;
  const events = new ReplyEvents(generation, begun, new Cancellation().signal, loop);
  const read = events.readUnseen();
  gives([{ type: 'ping' }]);
  await read;
  expect(ended).toEqual(['completed', 'caller-gone']);
});

it('reads a later call to its end without a reader that left before it took the results of tools', async () => {
  const ended: unknown[] = [];
  const [one, next] = [startedCall({ ends: true, isUnseen: false }), startedCall({ ends: false, isUnseen: true })];
  const generation = {
    endCall: (_: unknown, ending: string) => void ended.push(ending),
    end: (ending: string) => Promise.resolve(void ended.push(ending)),
    unseenConsultations: () => undefined,
  } as unknown as Generation;
  const loop = {
    hasPendingToolCalls: true,
    pass: (batch: Batch) => batch,
    runTools: () => Promise.resolve([FIRST]),
    next: () => Promise.resolve(next.begun),
  } as unknown as ToolLoop;
  const events = new ReplyEvents(generation, one.begun, new Cancellation().signal, loop);
  const received: Batch[] = [];
  events.pull({ take: (batch) => received.push(batch), end: () => undefined, fail: () => undefined });
  one.gives(FIRST);
  // The results are not pulled.
  await turns();
  expect(received).toHaveLength(1);
  await events.return();
  next.gives(FIRST);
  await turns();
  expect(ended).toEqual(['completed']);
  next.gives(LAST);
  await turns();
  expect(ended).toEqual(['completed', 'completed', 'caller-gone']);
});

describe('a reader that leaves during a call', () => {
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

  it('ends the generation, and the call of its provider', async () => {
    const { done, events } = leaving(undefined);
    await events.return();
    expect(done).toEqual(['caller-gone', 'provider left']);
  });

  it('does not end the generation while a consulted model continues without a reader', async () => {
    const { done, events } = leaving(new Promise(() => undefined));
    await events.return();
    expect(done).toEqual([]);
  });
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('keeps the order of batches that arrive during a release', async () => {
  let release: (batch: Batch) => void = () => undefined;
  const held: Batch = [{ type: 'ping' }];
  let passes = 0;
  const watch: ReplyWatch = {
    overdueMs: 10,
    pass: (batch) => (passes++ === 0 ? [] : batch),
    release: () => new Promise((resolve) => (release = resolve)),
  };
  const { events, reader, received, gives } = bench(watch);
  events.pull(reader);
  gives(FIRST);
  await turns();
  jest.advanceTimersByTime(10);
  gives(SECOND);
  release(held);
  await turns();
  events.pull(reader);
  await turns();
  expect(received).toHaveLength(2);
  expect([received[0] === held, received[1] === SECOND]).toEqual([true, true]);
});

describe.each<[string, (fail: Promise<never>) => Promise<never>]>([
  ['later', (fail) => fail],
  [
    'at once',
    () => {
      throw FAULT;
    },
  ],
])('where the release of held-back events fails %s', (_, release) => {
  it('counts batches that arrive meanwhile, and sends none of them', async () => {
    let passes = 0;
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise<never>((_resolve, reject) => (fail = reject));
    failing.catch(() => undefined);
    const watch: ReplyWatch = {
      overdueMs: 10,
      pass: (batch) => (passes++ === 0 ? [] : batch),
      release: () => release(failing),
    };
    const { events, reader, received, observed, gives } = bench(watch);
    events.pull(reader);
    gives(FIRST);
    await turns();
    jest.advanceTimersByTime(10);
    gives(SECOND);
    fail(FAULT);
    await turns();
    expect([observed, received]).toEqual([[FIRST, SECOND], [FAULT]]);
  });
});
