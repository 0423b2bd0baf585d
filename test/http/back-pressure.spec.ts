/**
 * Goal: a slow reader slows the upstream, in flat memory and without loss, and one that takes nothing is let go.
 * Method: bare sockets that stop reading while the upstream streams a hundred thousand events, half as many to the
 * second face; an idle limit shorter than the halt, so that it would show if the halt were counted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import type { RecordedRequest } from '../support/recorded-request.js';
import { endless, frame, sse, type Piece } from '../support/upstream-answers.js';
import { ask, askStream, delta, END, gate, MessagesBench, OPEN } from './messages-bench.js';
import { STREAM_FACES } from './stream-faces.js';

// Tens of megabytes take their time on a machine that has other things to do.
jest.setTimeout(60_000);

const MIB = 1024 * 1024;
const EVENTS = 100_000;
/** Makes an event some 400 bytes, and the whole more than any buffer on the way can hold. */
const PADDING = 'x'.repeat(300);
const EVENTS_PER_WRITE = 20;

/** Longer than a busy machine keeps the upstream, which is in this very process, from its turn. */
const IDLE_MS = 1_000;
/** Longer than the limit that must not count it. */
const HALT_MS = 1.3 * IDLE_MS;
const STALL_MS = 300;

const chatChunk = (choice: object): string =>
  frame('', { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] });

/** The numbered events of a long reply, in writes of several. */
function* numbered(events: number, start: string, event: (text: string) => string, end: string): Generator<Piece> {
  yield start;
  for (let first = 0; first < events; first += EVENTS_PER_WRITE) {
    let piece = '';
    for (let index = first; index < first + EVENTS_PER_WRITE; index++) piece += event(`${index}|${PADDING}`);
    yield piece;
  }
  yield end;
}

/** Resolves once the upstream has got rid of nothing for as long as a halt must last. */
async function untilHalted(record: RecordedRequest): Promise<void> {
  for (let before = -1; record.bodyBytesWritten !== before;) {
    before = record.bodyBytesWritten;
    await delay(HALT_MS);
  }
}

describeOnEmbedded('a reader that halts', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `idle=${IDLE_MS}ms` } });
  }, 60_000);
  afterAll(() => bench?.close());

  const [MESSAGES, CHAT] = STREAM_FACES as [(typeof STREAM_FACES)[0], (typeof STREAM_FACES)[0]];
  const native = (events: number) => numbered(events, OPEN, delta, END);
  const translated = (events: number) =>
    numbered(
      events,
      chatChunk({ delta: { role: 'assistant' } }),
      (content) => chatChunk({ delta: { content } }),
      chatChunk({ delta: {}, finish_reason: 'stop' }) + frame('', '[DONE]'),
    );

  it.each([
    { face: MESSAGES, model: 'test/native', body: native, events: EVENTS },
    { face: MESSAGES, model: 'test/translated', body: translated, events: EVENTS },
    { face: CHAT, model: 'test/translated', body: translated, events: EVENTS / 2 },
  ])(
    '$face.route: halts the upstream of $model in flat memory, and later gets every event in order',
    async ({ face, model, body, events }) => {
      const upstream = model === 'test/native' ? bench.anthropic : bench.openai;
      upstream.script(sse(body(events)));
      const arrival = upstream.request();
      const client = await bench.open(askStream(model), [], `/api/v1${face.route}`);
      const record = await arrival;
      await client.until('"0|');
      const rssBefore = process.memoryUsage().rss;
      client.pause();
      await untilHalted(record);
      // Of twenty MB or more: what the system's socket buffers on both sides hold, and a window of the gateway's own.
      expect(record.bodyBytesWritten).toBeLessThan(12 * MIB);
      expect(process.memoryUsage().rss - rssBefore).toBeLessThan(48 * MIB);

      client.resume();
      const { text, isFinished } = face.read((await client.response()).body);
      const texts = text.split(`|${PADDING}`);
      expect([isFinished, texts.length - 1]).toEqual([true, events]);
      expect(texts.findIndex((number, index) => number !== (index < events ? String(index) : ''))).toBe(-1);
      await record.closed;
      expect(record.aborted).toBe(false);
    },
  );

  it('takes the upstream along when it goes without having read on', async () => {
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
  }, 60_000);
  afterAll(() => bench?.close());

  it.each(STREAM_FACES)('$route: is let go after the limit, and the upstream with it', async ({ route }) => {
    bench.anthropic.script(endlessReply());
    const lines = bench.requestLines.length;
    const arrival = bench.anthropic.request();
    const client = await bench.open(askStream('test/native'), [], `/api/v1${route}`);
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
  });

  it('is let go of a whole reply too', async () => {
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

  it('is let go at the end of a stream too', async () => {
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

  it('is not one whose upstream has nothing to give', async () => {
    const going = gate();
    bench.anthropic.script(sse([OPEN + delta('one'), going.opened, delta('two') + END]));
    const client = await bench.open(askStream('test/native'));
    await client.until('"one"');
    await delay(3 * STALL_MS);
    going.open();
    expect((await client.response()).body.toString()).toContain('"two"');
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
