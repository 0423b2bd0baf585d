/**
 * Checks that a slow reader slows the upstream, in flat memory and without loss, and that a reader that takes nothing
 * is disconnected. Bare sockets stop reading while the upstream streams a hundred thousand events (fewer to
 * the other faces), and more until it is halted; the idle limit is shorter than the halt, so a halt counted as idle
 * time would show. The system's socket buffers are not the gateway's: what the gateway holds is the difference
 * between what it has read on one side and written on the other.
 */
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Delivery } from '../../src/faces/common/delivery.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import type { RawClient } from '../support/raw-client.js';
import type { RecordedRequest } from '../support/recorded-request.js';
import { endless, frame, sse, type Piece } from '../support/upstream-answers.js';
import { ask, askStream, delta, END, gate, MessagesBench, OPEN } from './messages-bench.js';
import { STREAM_FACES, type StreamFace } from './stream-faces.js';

const MIB = 1024 * 1024;
const EVENTS = 100_000;
/** More than all buffers on the way can hold: this many are sent only where nothing halts the upstream. */
const EVENTS_MAX = 4 * EVENTS;
/** Makes an event some 400 bytes. */
const PADDING = 'x'.repeat(300);
const EVENTS_PER_WRITE = 20;
/** Follows the number of an event. */
const MARK = '|'.charCodeAt(0);

/**
 * The most that the gateway itself holds of a stream: its window, the chunks on both sides of it, and Node's buffers.
 */
const HELD_BYTES_MAX = MIB / 2;

/** Longer than a busy machine can delay the upstream, which runs in this process. */
const IDLE_MS = 1_000;
/** Longer than the limit, which must not count it. */
const HALT_MS = 1.3 * IDLE_MS;
const STALL_MS = 300;

const chatChunk = (choice: object): string =>
  frame('', { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] });

/** A reply of numbered events that continues until the upstream is halted. */
class LongReply {
  events = 0;
  isHalted = false;

  constructor(private readonly eventsMin: number) {}

  /** In writes of several events. */
  *pieces(start: string, event: (text: string) => string, end: string): Generator<Piece> {
    yield start;
    while (this.events < this.eventsMin || (!this.isHalted && this.events < EVENTS_MAX)) {
      let piece = '';
      for (let count = 0; count < EVENTS_PER_WRITE; count++) piece += event(`${this.events++}|${PADDING}`);
      yield piece;
    }
    yield end;
  }
}

/** The gateway's own sockets, which are in this very process, in the order in which they were opened. */
class GatewaySockets {
  private readonly outgoing: Socket[] = [];
  private readonly incoming: Socket[] = [];
  private readonly onOutgoing = (message: unknown): void =>
    void this.outgoing.push((message as { socket: Socket }).socket);
  private readonly onIncoming = (message: unknown): void =>
    void this.incoming.push((message as { socket: Socket }).socket);

  constructor() {
    diagnostics.subscribe('net.client.socket', this.onOutgoing);
    diagnostics.subscribe('net.server.socket', this.onIncoming);
  }

  close(): void {
    diagnostics.unsubscribe('net.client.socket', this.onOutgoing);
    diagnostics.unsubscribe('net.server.socket', this.onIncoming);
  }

  /** Bytes that it has read from an upstream. */
  readFrom(port: number): number {
    return this.outgoing.reduce((sum, socket) => sum + (socket.remotePort === port ? socket.bytesRead : 0), 0);
  }

  /** The connection that it accepted last. */
  lastAt(port: number): Socket {
    return this.incoming.findLast(({ localPort }) => localPort === port)!;
  }
}

/** Bytes accepted by the system. */
const handedOver = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

/** Events of a `LongReply` in the first bytes that a client received. */
const eventsIn = ({ segments }: RawClient, length: number): number =>
  Buffer.concat(segments.map(({ bytes }) => bytes), length).reduce((sum, byte) => sum + (byte === MARK ? 1 : 0), 0); // oxfmt-ignore

/** Resolves once the system accepts no more bytes for a reader that reads nothing, or the connection has ended. */
async function untilBackedUp(socket: Socket): Promise<void> {
  for (let before = -1; !socket.destroyed && (socket.writableLength === 0 || handedOver(socket) !== before);) {
    before = handedOver(socket);
    await delay(STALL_MS);
  }
}

/** Resolves once the upstream has written nothing for as long as a halt must last. */
async function untilHalted(record: RecordedRequest): Promise<void> {
  for (let before = -1; record.bodyBytesWritten !== before;) {
    before = record.bodyBytesWritten;
    await delay(HALT_MS);
  }
}

describeOnEmbedded('a reader that halts', (database) => {
  let bench: MessagesBench;
  let sockets: GatewaySockets;
  beforeAll(async () => {
    sockets = new GatewaySockets();
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `idle=${IDLE_MS}ms` } });
  }, 240_000);
  afterAll(async () => {
    sockets.close();
    await bench?.close();
  });

  const [MESSAGES, CHAT, RESPONSES] = STREAM_FACES as [StreamFace, StreamFace, StreamFace];
  const native = (reply: LongReply) => reply.pieces(OPEN, delta, END);
  const translated = (reply: LongReply) =>
    reply.pieces(
      chatChunk({ delta: { role: 'assistant' } }),
      (content) => chatChunk({ delta: { content } }),
      chatChunk({ delta: {}, finish_reason: 'stop' }) + frame('', '[DONE]'),
    );

  it.each([
    { face: MESSAGES, model: 'test/native', body: native, events: EVENTS },
    { face: MESSAGES, model: 'test/translated', body: translated, events: EVENTS },
    { face: CHAT, model: 'test/translated', body: translated, events: EVENTS / 2 },
    // The last events of this face repeat the whole text.
    { face: RESPONSES, model: 'test/native', body: native, events: EVENTS / 4 },
  ])(
    '$face.route: halts the upstream of $model in flat memory, and later gets every event in order',
    async ({ face, model, body, events }) => {
      const upstream = model === 'test/native' ? bench.anthropic : bench.openai;
      const reply = new LongReply(events);
      upstream.script(sse(body(reply)));
      const arrival = upstream.request();
      const readBefore = sockets.readFrom(upstream.port);
      const client = await bench.open(face.form(askStream(model)), [], `/api/v1${face.route}`);
      const record = await arrival;
      const toClient = sockets.lastAt(bench.gateway.port);
      await client.until('"0|');
      client.pause();
      await untilHalted(record);
      const [read, written] = [sockets.readFrom(upstream.port) - readBefore, handedOver(toClient)];
      expect(reply.events).toBeLessThan(EVENTS_MAX);

      reply.isHalted = true;
      client.resume();
      const { text, isFinished } = face.read((await client.response()).body);
      const texts = text.split(`|${PADDING}`);
      expect([isFinished, texts.length - 1]).toEqual([true, reply.events]);
      expect(texts.findIndex((number, index) => number !== (index < reply.events ? String(index) : ''))).toBe(-1);
      // Events differ in length between the formats, but those that were written can be counted.
      const readInAll = sockets.readFrom(upstream.port) - readBefore;
      const held = read - (eventsIn(client, written) / reply.events) * readInAll;
      expect(held).toBeLessThan(HELD_BYTES_MAX);
      await record.closed;
      expect(record.aborted).toBe(false);
    },
  );

  it('ends the upstream when it leaves without having read on', async () => {
    bench.anthropic.script(endlessReply());
    const arrival = bench.anthropic.request();
    const client = await bench.open(askStream('test/native'));
    const record = await arrival;
    await client.until('endless');
    client.pause();
    await untilHalted(record);
    const leftAt = Date.now();
    client.reset();
    await record.closed;
    expect(record.closedAt! - leftAt).toBeLessThan(1_000);
  });
});

describeOnEmbedded('a reader that takes nothing', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `stall=${STALL_MS}ms` } });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(STREAM_FACES)(
    '$route: is disconnected after the limit, and the upstream with it',
    async ({ route, form }) => {
      bench.anthropic.script(endlessReply());
      const lines = bench.requestLines.length;
      const arrival = bench.anthropic.request();
      const client = await bench.open(form(askStream('test/native')), [], `/api/v1${route}`);
      const record = await arrival;
      await client.until('endless');
      client.pause();
      await record.closed;
      expect(record.aborted).toBe(true);
      expect(await bench.requestLine(lines)).toMatchObject({ outcome: 'caller-gone' });
      client.resume();
      await client.closed;
      await expect(client.response()).rejects.toThrow('cut off');
      expect(await bench.metrics()).toMatch(/^fairlead_open_streams 0$/m);
    },
  );

  it('is disconnected from a whole reply too', async () => {
    bench.anthropic.script(anthropicText('x'.repeat(24 * MIB)));
    const lines = bench.requestLines.length;
    const arrival = bench.anthropic.request();
    const client = await bench.open(ask('test/native'));
    client.pause();
    await arrival;
    expect(await bench.requestLine(lines)).toMatchObject({ status: 200 });
    client.resume();
    await client.closed;
    await expect(client.response()).rejects.toThrow('cut off');
  });

  it('is disconnected at the end of a stream too', async () => {
    bench.anthropic.script(sse([OPEN + delta('x'.repeat(12 * MIB)) + END]));
    const lines = bench.requestLines.length;
    const arrival = bench.anthropic.request();
    const client = await bench.open(askStream('test/native'));
    client.pause();
    await arrival;
    await bench.requestLine(lines);
    client.resume();
    await client.closed;
    await expect(client.response()).rejects.toThrow('cut off');
  });

  it('is not one whose upstream sends nothing', async () => {
    const going = gate();
    bench.anthropic.script(sse([OPEN + delta('one'), going.opened, delta('two') + END]));
    const client = await bench.open(askStream('test/native'));
    await client.until('"one"');
    await delay(3 * STALL_MS);
    going.open();
    expect((await client.response()).body.toString()).toContain('"two"');
  });
});

describeOnEmbedded('a reader that takes its time', (database) => {
  /** A busy machine needs seconds to receive 24 MiB from the provider. */
  const TOTAL_MS = 15_000;
  let bench: MessagesBench;
  let sockets: GatewaySockets;
  beforeAll(async () => {
    sockets = new GatewaySockets();
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `total=${TOTAL_MS}ms` } });
  }, 240_000);
  afterAll(async () => {
    sockets.close();
    await bench?.close();
  });

  const LARGE = 24 * MIB;
  const replies = {
    'a whole reply': { body: ask('test/native'), answer: () => anthropicText('x'.repeat(LARGE)) },
    'the end of a stream': {
      body: askStream('test/native'),
      answer: () => sse([OPEN + delta('x'.repeat(LARGE / 2)) + END]),
    },
    'the middle of a stream': { body: askStream('test/native'), answer: () => endlessReply() },
  };
  const ends = {
    'the whole time': { outcome: 'timed-out', end: () => undefined },
    'the end of the process': {
      outcome: 'service-unavailable',
      end: () => bench.gateway.gateway.app.get(Delivery, { strict: false }).abortAll(),
    },
  };
  const cases = Object.entries(replies).flatMap(([part, reply]) =>
    Object.entries(ends).map(([cause, end]) => ({ part, ...reply, cause, ...end })),
  );

  it.each(cases)('is disconnected from $part at $cause', async ({ body, answer, outcome, end }) => {
    bench.anthropic.script(answer());
    const lines = bench.requestLines.length;
    const client = await bench.open(body);
    expect((await client.head()).status).toBe(200);
    client.pause();
    // Otherwise the system buffers the last bytes, and the reply ends.
    await untilBackedUp(sockets.lastAt(bench.gateway.port));
    end();
    expect(await bench.requestLine(lines)).toMatchObject({ status: 200, outcome });
    client.resume();
    await client.closed;
    await expect(client.response()).rejects.toThrow('cut off');
  });
});

const endlessReply = () => {
  const { body } = endless(delta('endless').repeat(EVENTS_PER_WRITE * 20));
  return sse(
    (async function* () {
      yield OPEN;
      yield* body as Iterable<string>;
    })(),
  );
};
