// A stream's writer delays status and headers until there are bytes, breaks silence but never for a held reader, and
// closes clients that take nothing. A response that records its calls, and timers moved by hand.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Subject } from 'rxjs';
import { Pace } from './paced-stream.js';
import { StreamWriter } from './stream-writer.js';

const HEARTBEAT_MS = 1_000;
const STALL_MS = 5_000;

/** The parts of a response that a writer uses. */
class RecordingResponse extends EventEmitter {
  readonly req = { httpVersionMajor: 1, httpVersionMinor: 1 };
  /** Bytes that the client has not taken yet. */
  readonly socket = { writableLength: 0, _handle: { writeQueueSize: 0 } };
  writableFinished = false;
  /** In order: the status, the writes, the end, whether it was destroyed. */
  readonly calls: unknown[] = [];
  headers: Record<string, unknown> = {};
  headersSent = false;
  chunkedEncoding = true;
  /** The socket's answer to each write: whether it takes more. */
  takesMore = true;

  writeHead(status: number, headers: Record<string, unknown>): this {
    this.headersSent = true;
    this.headers = headers;
    this.calls.push(status);
    return this;
  }

  write(piece: Uint8Array | string): boolean {
    this.calls.push(unframed(piece));
    return this.takesMore;
  }

  end(): this {
    this.calls.push('end');
    // A client that takes nothing does not take the end either.
    if (this.takesMore) {
      this.writableFinished = true;
      this.emit('finish');
    }
    return this;
  }

  destroy(): this {
    this.calls.push('destroyed');
    this.emit('close');
    return this;
  }
}

/** The payload of one HTTP chunk. */
function unframed(piece: Uint8Array | string): string {
  const text = Buffer.from(piece).toString();
  const [, size = '', payload = ''] = /^([0-9a-f]+)\r\n([^]*)\r\n$/.exec(text) ?? [];
  expect(Buffer.byteLength(payload)).toBe(parseInt(size, 16));
  return payload;
}

const COMMENT = expect.stringMatching(/^: [^\n]+\n\n$/) as string;

describe('StreamWriter', () => {
  let response: RecordingResponse;
  let pace: Pace;
  let writer: StreamWriter;
  let chunks: Subject<Uint8Array | string>;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    response = new RecordingResponse();
    pace = new Pace();
    chunks = new Subject();
    writer = new StreamWriter(response as unknown as ServerResponse, pace, {
      heartbeatMs: HEARTBEAT_MS,
      stallMs: STALL_MS,
    });
  });
  afterEach(() => jest.useRealTimers());

  it('sends nothing before the first bytes, then the status with them', () => {
    void writer.pipe(chunks);
    jest.advanceTimersByTime(HEARTBEAT_MS - 1);
    expect([response.calls, writer.hasBegun]).toEqual([[], false]);
    chunks.next('one');
    expect([response.calls, writer.hasBegun]).toEqual([[200, 'one'], true]);
    expect(response.headers).toMatchObject({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
  });

  it('writes bytes and text alike, each in one write, and ends at their end', async () => {
    const done = writer.pipe(chunks);
    chunks.next('Grüße');
    chunks.next(Buffer.from('👋'));
    chunks.complete();
    await done;
    expect(response.calls).toEqual([200, 'Grüße', '👋', 'end']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('writes nothing for an empty piece, which framed would be the end', () => {
    void writer.pipe(chunks);
    chunks.next('');
    chunks.next(Buffer.alloc(0));
    expect([response.calls, writer.hasBegun]).toEqual([[], false]);
    chunks.next('one');
    expect(response.calls).toEqual([200, 'one']);
  });

  it('counts silence from the last write, to the millisecond', () => {
    void writer.pipe(chunks);
    for (let writes = 0; writes < 3; writes++) {
      jest.advanceTimersByTime(0.7 * HEARTBEAT_MS);
      chunks.next('one');
    }
    jest.advanceTimersByTime(HEARTBEAT_MS - 1);
    expect(response.calls).toEqual([200, 'one', 'one', 'one']);
    jest.advanceTimersByTime(1);
    expect(response.calls).toEqual([200, 'one', 'one', 'one', COMMENT]);
  });

  it('sends the status and a comment at the interval, counted from its creation', () => {
    jest.advanceTimersByTime(HEARTBEAT_MS);
    expect(response.calls).toEqual([200, COMMENT]);
    jest.advanceTimersByTime(2 * HEARTBEAT_MS);
    expect(response.calls).toEqual([200, COMMENT, COMMENT, COMMENT]);
  });

  it('counts silence from the last write', () => {
    void writer.pipe(chunks);
    chunks.next('one');
    jest.advanceTimersByTime(HEARTBEAT_MS - 1);
    chunks.next('two');
    jest.advanceTimersByTime(HEARTBEAT_MS - 1);
    expect(response.calls).toEqual([200, 'one', 'two']);
    jest.advanceTimersByTime(1);
    expect(response.calls).toEqual([200, 'one', 'two', COMMENT]);
  });

  it('holds the pace when the socket is full, and breaks no silence until it has drained', () => {
    void writer.pipe(chunks);
    response.takesMore = false;
    chunks.next('one');
    expect(pace.isPaused).toBe(true);
    jest.advanceTimersByTime(3 * HEARTBEAT_MS);
    expect(response.calls).toEqual([200, 'one']);
    response.takesMore = true;
    response.emit('drain');
    expect(pace.isPaused).toBe(false);
    jest.advanceTimersByTime(HEARTBEAT_MS);
    expect(response.calls).toEqual([200, 'one', COMMENT]);
  });

  it('closes a client that takes nothing for the limit, and no earlier', () => {
    void writer.pipe(chunks);
    response.takesMore = false;
    chunks.next('one');
    jest.advanceTimersByTime(STALL_MS - 1);
    expect(response.calls).toEqual([200, 'one']);
    jest.advanceTimersByTime(STALL_MS / 4);
    expect(response.calls).toEqual([200, 'one', 'destroyed']);
    expect([chunks.observed, jest.getTimerCount()]).toEqual([false, 0]);
  });

  it('keeps a client that takes a byte now and then, of one write that never ends', () => {
    void writer.pipe(chunks);
    response.takesMore = false;
    response.socket._handle.writeQueueSize = 1_000;
    chunks.next('one');
    for (let round = 0; round < 10; round++) {
      response.socket._handle.writeQueueSize--;
      jest.advanceTimersByTime(STALL_MS / 2);
    }
    expect(response.calls).toEqual([200, 'one']);
  });

  it('keeps a client that has taken everything, however long no bytes come', () => {
    void writer.pipe(chunks);
    response.takesMore = false;
    chunks.next('one');
    response.takesMore = true;
    response.emit('drain');
    jest.advanceTimersByTime(10 * STALL_MS);
    expect(response.calls).not.toContain('destroyed');
  });

  it('closes a client that does not take the end', async () => {
    const done = writer.pipe(chunks);
    chunks.next('one');
    response.takesMore = false;
    chunks.complete();
    await done;
    jest.advanceTimersByTime(2 * STALL_MS);
    expect(response.calls).toEqual([200, 'one', 'end', 'destroyed']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects with the failure of the piped source, and still accepts last bytes', async () => {
    const done = writer.pipe(chunks);
    const failure = new Error('broken');
    chunks.next('one');
    chunks.error(failure);
    await expect(done).rejects.toBe(failure);
    writer.end('sorry');
    expect(response.calls).toEqual([200, 'one', 'sorry', 'end']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('releases the piped source when the client leaves', async () => {
    const done = writer.pipe(chunks);
    chunks.next('one');
    response.emit('close');
    await done;
    expect([chunks.observed, jest.getTimerCount()]).toEqual([false, 0]);
  });

  it('does not touch a response that turns out to be no stream', () => {
    writer.stop();
    jest.advanceTimersByTime(10 * HEARTBEAT_MS);
    expect([response.calls, writer.hasBegun]).toEqual([[], false]);
  });
});
