// A reply that fills the cache reaches its own reader whole, and others that share it at their own pace.
import { setImmediate as settled } from 'node:timers/promises';
import type { ModelEvent } from '../../core/conversation/event.js';
import { left, PullSource, type PullReceiver } from '../../core/stream/pull-source.js';
import { KEPT_BYTES_MAX, ReplyLog } from '../../kept-replies/reply-log.js';
import { RecordedEvents } from './cached-events.js';
import { parseBatch } from './event-lines.js';

type Batch = readonly ModelEvent[];

const batchOf = (text: string): Batch => [{ type: 'text-delta', index: 0, text }] as unknown as Batch;

class Source extends PullSource<Batch> {
  pulled = 0;
  hasLeft = false;

  constructor(
    private readonly batches: readonly Batch[],
    private readonly failure?: Error,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<Batch>): void {
    const batch = this.batches[this.pulled++];
    setImmediate(() => {
      if (batch) receiver.take(batch);
      else if (this.failure) receiver.fail(this.failure);
      else receiver.end();
    });
  }

  override return(): Promise<IteratorResult<Batch, undefined>> {
    this.hasLeft = true;
    return left();
  }
}

const TEXTS = ['a', 'b', 'c', 'd'];

function record({
  hasOtherReaders,
  texts = TEXTS,
  failure,
}: {
  hasOtherReaders: boolean;
  texts?: string[];
  failure?: Error;
}) {
  const source = new Source(texts.map(batchOf), failure);
  const log = new ReplyLog({ isKept: true });
  const ends: unknown[] = [];
  const onEnd = async (reason?: unknown): Promise<void> => {
    ends.push(reason);
    log.finish(reason === undefined ? { kind: 'complete' } : { kind: 'failed', error: reason });
  };
  return { source, log, ends, events: new RecordedEvents(source, { log, hasOtherReaders, onEnd }) };
}

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await settled();
};

const logged = (log: ReplyLog): string =>
  Buffer.concat(log.partsFrom(0)).toString().split('\n').filter(Boolean).flatMap(parseBatch)
    .map((event) => (event as unknown as { text: string }).text).join(''); // oxfmt-ignore

describe('RecordedEvents', () => {
  it.each([false, true])('gives its reader and the log all of it, in order: shared %s', async (hasOtherReaders) => {
    const { events, log, ends } = record({ hasOtherReaders });
    const read: Batch[] = [];
    for await (const batch of events) {
      read.push(batch);
      await turns(3);
    }
    expect(read).toEqual(TEXTS.map(batchOf));
    expect(logged(log)).toBe('abcd');
    expect(ends).toEqual([undefined]);
  });

  it('does not wait for its own reader while it is shared, and gives that reader the rest later', async () => {
    const { events, log, source } = record({ hasOtherReaders: true });
    await events.next();
    await turns();
    expect(log.end).toEqual({ kind: 'complete' });
    expect(source.pulled).toBe(TEXTS.length + 1);
    const rest: Batch[] = [];
    for await (const batch of events) rest.push(batch);
    expect(rest).toEqual(TEXTS.slice(1).map(batchOf));
  });

  it('goes at the pace of its reader where it is not shared, or is too large to be kept', async () => {
    const alone = record({ hasOtherReaders: false });
    await alone.events.next();
    await turns();
    expect(alone.source.pulled).toBe(1);
    const large = record({ hasOtherReaders: true, texts: ['a', 'x'.repeat(KEPT_BYTES_MAX), 'b', 'c', 'd'] });
    await large.events.next();
    await turns();
    expect(large.source.pulled).toBe(2);
    const rest: Batch[] = [];
    for await (const batch of large.events) rest.push(batch);
    expect(rest).toHaveLength(4);
  });

  it('ends its own reader with the failure, behind what came before', async () => {
    const failure = new Error('broken');
    const { events, ends } = record({ hasOtherReaders: true, failure });
    await events.next();
    await turns();
    const read: Batch[] = [];
    await expect((async () => { for await (const batch of events) read.push(batch); })()).rejects.toBe(failure); // oxfmt-ignore
    expect(read).toEqual(TEXTS.slice(1).map(batchOf));
    expect(ends).toEqual([failure]);
  });

  it('continues for others when its own reader leaves, and ends the source without them', async () => {
    const read = record({ hasOtherReaders: true });
    await read.events.next();
    read.log.reader();
    await read.events.return();
    await turns();
    expect([logged(read.log), read.ends, read.source.hasLeft]).toEqual(['abcd', [undefined], false]);
    const unread = record({ hasOtherReaders: false });
    await unread.events.next();
    await unread.events.return();
    expect([unread.ends, unread.source.hasLeft]).toEqual([[expect.any(Error)], true]);
  });

  it('keeps a reply that has ended when its own slow reader leaves', async () => {
    const { events, ends, source } = record({ hasOtherReaders: true });
    await events.next();
    await turns();
    await events.return();
    expect([ends, source.hasLeft]).toEqual([[undefined], false]);
  });
});
