/**
 * Bodies are read completely for any chunks, hold no more than their received bytes, end when they make no progress,
 * and return all bytes. Streams instead of requests, seconds moved by hand.
 */
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import fc from 'fast-check';
import type { Caller } from '../../../core/caller.js';
import { GatewayError } from '../../../core/errors.js';
import { yieldToEventLoop } from '../../../core/yield-to-event-loop.js';
import { BytesInFlight } from '../../queues/bytes-in-flight.js';
import type { Environment } from '../../environment.js';
import { bodyMsMax, BodyReader, type BodyTerms } from './body-reader.js';
import { CallerValidity } from '../caller-validity.js';
import type { AuthenticatedRequest } from '../route.decorators.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Lets received bytes be read: they wait for their turn behind everything that waits already. */
async function turn(): Promise<void> {
  await setImmediate();
  await yieldToEventLoop();
}

class FakeRequest extends Readable {
  readonly caller: Caller;
  complete = false;
  pieces = 0;

  constructor(
    readonly headers: Record<string, string>,
    keyHash = 'key',
  ) {
    super();
    this.caller = { accountId: 'a', workspaceId: 'w', keyHash, kind: 'inference', userId: null };
  }

  override _read(): void {}

  finish(): void {
    this.complete = true;
    this.push(null);
  }
}

class FakeResponse extends EventEmitter {
  continues = 0;

  writeContinue(): void {
    this.continues++;
  }
}

class Standing extends CallerValidity {
  readonly revoked = new Set<string>();

  override refusalOf({ keyHash }: Caller): GatewayError | undefined {
    return this.revoked.has(keyHash) ? new GatewayError('unauthenticated', 'Invalid API key') : undefined;
  }
}

const TERMS: BodyTerms = { bytesMax: 4 * MIB, takesCapacity: true };

function makeReader(bytesInFlight = 16 * MIB) {
  const all = new BytesInFlight({ bodiesInFlightBytesMax: bytesInFlight } as Environment);
  const standing = new Standing();
  const abandoned: string[] = [];
  const reader = new BodyReader(all, standing, { bodyAbandoned: ({ keyHash }) => abandoned.push(keyHash) });
  const open = (headers: Record<string, string>, { terms = TERMS, key = 'key' } = {}) => {
    const request = new FakeRequest(headers, key);
    const response = new FakeResponse();
    const read = (): Promise<Buffer> => {
      const reading = reader.read(request as unknown as AuthenticatedRequest, response as unknown as Response, terms);
      reading.catch(() => undefined);
      return reading;
    };
    return { reader, request, response, read };
  };
  return { all, standing, abandoned, open };
}

const kind = async (reading: Promise<unknown>): Promise<string> => {
  const error = await reading.then(
    () => new Error('read'),
    (thrown: Error) => thrown,
  );
  return error instanceof GatewayError ? error.kind : `${error.name}: ${error.message}`;
};

/** Advances only the sweep's clock; streams continue. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    jest.advanceTimersByTime(1_000);
    await turn();
  }
}

describe('BodyReader', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('reads a body in any chunks, with or without a declared length', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), fc.nat(), async (lengths, promised, early) => {
        const { all, open } = makeReader();
        const chunks = lengths.map((length, index) => Buffer.alloc(length, 32 + index));
        const whole = Buffer.concat(chunks);
        const { request, response, read } = open(promised ? { 'content-length': `${whole.length}` } : {});
        const before = early % (chunks.length + 1);
        for (const chunk of chunks.slice(0, before)) request.push(chunk);
        if (before === chunks.length) request.finish();
        const reading = read();
        for (const chunk of chunks.slice(before)) {
          request.push(chunk);
          await turn();
        }
        if (before < chunks.length) request.finish();
        expect((await reading).equals(whole)).toBe(true);
        expect(all.held).toBe(whole.length);
        response.emit('close');
        expect(all.held).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('does not copy a single piece', async () => {
    const { open } = makeReader();
    const { request, read } = open({ 'content-length': '5' });
    const piece = Buffer.from('hello');
    request.push(piece);
    request.finish();
    expect((await read()).buffer).toBe(piece.buffer);
  });

  it('takes a small body that arrived with the head at once, and no other', () => {
    const { all, open } = makeReader(MIB);
    const take = (bytes: number, change: (request: FakeRequest) => void = () => undefined) => {
      const { reader, request, response } = open({});
      request.push(Buffer.alloc(bytes));
      request.finish();
      change(request);
      const taken = reader.takeArrived(
        request as unknown as AuthenticatedRequest,
        response as unknown as Response,
        TERMS,
      );
      return { taken, response };
    };
    const { taken, response } = take(1_000);
    expect([taken?.length, all.held]).toEqual([1_000, 1_000]);
    response.emit('close');
    expect(all.held).toBe(0);

    all.open('key').take(512 * KIB);
    expect([take(1_000).taken?.length, all.held]).toEqual([1_000, 512 * KIB]);

    expect(take(64 * KIB).taken).toBeUndefined();
    expect(take(1_000, (request) => (request.complete = false)).taken).toBeUndefined();
    expect(take(1_000, (request) => (request.pieces = 10_001)).taken).toBeUndefined();
    expect(take(1_000, (request) => (request.headers['expect'] = '100-continue')).taken).toBeUndefined();
  });

  it('takes no memory and no space for announced bytes', async () => {
    const { all, open } = makeReader();
    const before = process.memoryUsage().arrayBuffers;
    const bodies = Array.from({ length: 500 }, () => open({ 'content-length': `${4 * MIB}` }));
    const readings = bodies.map(({ read }) => read());
    for (const { request } of bodies) request.push(Buffer.alloc(1));
    await turn();
    for (const { request } of bodies) request.push(Buffer.alloc(1));
    await turn();
    expect(all.held).toBe(1_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(500 * 96 * KIB);
    for (const { request } of bodies) request.destroy();
    await Promise.allSettled(readings);
    expect(all.held).toBe(0);
  });

  it('refuses a body announced too long before it requests it, and one that grows too long as it arrives', async () => {
    const { open } = makeReader();
    const promised = open({ 'content-length': `${4 * MIB + 1}`, expect: '100-continue' });
    expect([await kind(promised.read()), promised.response.continues]).toEqual(['too-large', 0]);
    const most = open({ 'content-length': `${4 * MIB}`, expect: '100-continue' });
    const reading = most.read();
    expect(most.response.continues).toBe(1);
    most.request.push(Buffer.alloc(4 * MIB));
    most.request.finish();
    expect((await reading).length).toBe(4 * MIB);
    const chunked = open({ 'transfer-encoding': 'chunked' });
    chunked.request.push(Buffer.alloc(4 * MIB));
    const growing = chunked.read();
    chunked.request.push(Buffer.alloc(1));
    expect(await kind(growing)).toBe('too-large');
  });

  it('refuses a piece without space for it, and returns the others at once', async () => {
    const { all, open } = makeReader(1 * MIB);
    const { request, read } = open({ 'content-length': `${MIB}` });
    request.push(Buffer.alloc(512 * KIB));
    const reading = read();
    await turn();
    expect(all.held).toBe(512 * KIB);
    request.push(Buffer.alloc(1));
    expect([await kind(reading), all.held]).toEqual(['service-unavailable', 0]);
  });

  it('refuses a body of tens of thousands of tiny pieces, and accepts one of as many larger ones', async () => {
    const { all, open } = makeReader();
    const small = open({});
    const reading = small.read();
    small.request.push(Buffer.alloc(640));
    small.request.pieces = 10_010;
    await turn();
    small.request.push(Buffer.alloc(1));
    small.request.pieces++;
    expect(await kind(reading)).toBe('invalid-request');
    expect(all.held).toBe(0);

    const large = open({});
    const whole = large.read();
    large.request.push(Buffer.alloc(64 * KIB));
    large.request.pieces = 11_024;
    await turn();
    large.request.finish();
    expect(await whole).toHaveLength(64 * KIB);
  });

  it.each([
    ['a small body', TERMS, 64 * KIB - 1, 'Error: read'],
    ['one of 64 KiB', TERMS, 64 * KIB, 'service-unavailable'],
    ['management', { ...TERMS, takesCapacity: false }, 256 * KIB, 'Error: read'],
  ])('checks for %s whether there is space: %#', async (_, terms, bytes, result) => {
    const { all, open } = makeReader(1 * MIB);
    const full = all.open('key');
    full.take(512 * KIB);
    const { request, read } = open({ 'content-length': `${bytes}` }, { terms });
    request.push(Buffer.alloc(bytes));
    request.finish();
    expect(await kind(read())).toBe(result);
    // Beyond the share of its key no more is counted.
    expect(all.held).toBe(512 * KIB);
  });

  it('counts all of a body that has become large, including bytes that arrived while it was small and there was no space', async () => {
    const { all, open } = makeReader(1 * MIB);
    const full = all.open('key');
    full.take(512 * KIB);
    const { request, read } = open({});
    request.push(Buffer.alloc(63 * KIB));
    const reading = read();
    await turn();
    expect(all.held).toBe(512 * KIB);
    full.release();
    request.push(Buffer.alloc(KIB));
    request.finish();
    expect([(await reading).length, all.held]).toEqual([64 * KIB, 64 * KIB]);
  });

  it('ends one that arrives fast and then stops', async () => {
    const { open } = makeReader();
    const { request, read } = open({ 'content-length': `${4 * MIB}` });
    request.push(Buffer.alloc(3 * MIB));
    const reading = read();
    let over = false;
    reading.catch(() => (over = true));
    await seconds(20);
    expect(over).toBe(false);
    await seconds(2);
    expect([over, await kind(reading)]).toEqual([true, 'request-timed-out']);
  });

  it('reports incomplete bodies: abandoned, or too slow, and no others', async () => {
    const { abandoned, open } = makeReader();
    const left = open({ 'content-length': `${MIB}` }, { key: 'left' });
    const slow = open({ 'content-length': `${MIB}` }, { key: 'slow' });
    const large = open({}, { key: 'large' });
    const whole = open({ 'content-length': '3' }, { key: 'whole' });
    const readings = [left, slow, large, whole].map(({ read }) => read());
    left.request.push(Buffer.alloc(KIB));
    large.request.push(Buffer.alloc(5 * MIB));
    whole.request.push(Buffer.alloc(3));
    whole.request.finish();
    await turn();
    left.request.destroy();
    await seconds(22);
    expect(await Promise.all(readings.slice(0, 3).map(kind))).toEqual([
      expect.stringMatching(/^CallerGone/),
      'request-timed-out',
      'too-large',
    ]);
    expect(await readings[3]).toHaveLength(3);
    expect(abandoned).toEqual(['left', 'slow']);
  });

  it('ends a body without a byte for 20 s, announced or not, and only then', async () => {
    for (const headers of [{ 'content-length': '2000' }, { 'transfer-encoding': 'chunked' }]) {
      const { all, open } = makeReader();
      const { request, read } = open(headers);
      request.push(Buffer.alloc(1_000));
      const reading = read();
      await seconds(19);
      request.push(Buffer.alloc(1));
      await seconds(1);
      let over = false;
      reading.catch(() => (over = true));
      // The average rate does not matter yet.
      await seconds(1);
      expect(over).toBe(false);
      await seconds(20);
      expect([await kind(reading), all.held]).toEqual(['request-timed-out', 0]);
    }
  });

  it('ends one that trickles, soon after 20 s', async () => {
    const { open } = makeReader();
    const { request, read } = open({ 'content-length': `${4 * MIB}` });
    const reading = read();
    let over = false;
    reading.catch(() => (over = true));
    let passed = 0;
    for (; passed < 100 && !over; passed++) {
      if (passed % 19 === 0) request.push(Buffer.alloc(1));
      await seconds(1);
    }
    expect(await kind(reading)).toBe('request-timed-out');
    expect(passed).toBeGreaterThanOrEqual(20);
    expect(passed * 1_000).toBeLessThanOrEqual(bodyMsMax(8 * KIB));
  });

  it('takes 32 MiB at 1 Mbit/s, and at the slowest pace', async () => {
    const terms = { ...TERMS, bytesMax: 32 * MIB };
    for (const perSecond of [125_000, 8 * KIB]) {
      const { open } = makeReader(128 * MIB);
      const { request, read } = open({ 'content-length': `${32 * MIB}` }, { terms });
      const reading = read();
      for (let left = 32 * MIB; left > 0; left -= perSecond) {
        request.push(Buffer.alloc(Math.min(left, perSecond)));
        await seconds(1);
      }
      request.finish();
      expect((await reading).length).toBe(32 * MIB);
    }
  }, 240_000);

  it('ends bodies of a key that is no longer valid, within two checks', async () => {
    const { all, standing, open } = makeReader();
    const [bad, good] = ['bad', 'good'].map((key) => open({ 'content-length': '2000' }, { key }));
    const readings = [bad!.read(), good!.read()];
    bad!.request.push(Buffer.alloc(1_000));
    await seconds(3);
    standing.revoked.add('bad');
    await seconds(1);
    expect([await kind(readings[0]!), all.held]).toEqual(['unauthenticated', 0]);
    good!.request.push(Buffer.alloc(2_000));
    good!.request.finish();
    expect((await readings[1]!).length).toBe(2_000);
  });

  it('checks nothing while nothing arrives', async () => {
    const { open } = makeReader();
    const { request, read } = open({ 'content-length': '2' });
    const reading = read();
    await seconds(2);
    request.push(Buffer.alloc(2));
    request.finish();
    await reading;
    expect(jest.getTimerCount()).toBe(1);
    await seconds(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has returned all bytes, however bodies have ended', async () => {
    const end = fc.constantFrom('whole', 'left', 'late', 'revoked', 'longer');
    const body = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      sizes: fc.array(fc.integer({ min: 1, max: 300 * KIB }), { maxLength: 5 }),
      promised: fc.boolean(),
      end,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 8 }), async (bodies) => {
        const { all, standing, open } = makeReader(2 * MIB);
        const opened = bodies.map(({ key, promised, sizes, end }) => {
          const total = sizes.reduce((sum, size) => sum + size, 0) + (end === 'whole' ? 0 : 1);
          const one = open(promised ? { 'content-length': `${total}` } : {}, {
            key: end === 'revoked' ? 'revoked' : key,
          });
          return { ...one, reading: one.read() };
        });
        for (const [index, { sizes }] of bodies.entries()) {
          for (const size of sizes) opened[index]!.request.push(Buffer.alloc(size));
          await turn();
        }
        expect(all.held).toBeLessThanOrEqual(2 * MIB);
        for (const [index, { end }] of bodies.entries()) {
          const { request } = opened[index]!;
          if (end === 'whole') request.finish();
          if (end === 'left') request.destroy();
          if (end === 'revoked') standing.revoked.add('revoked');
          if (end === 'longer') request.push(Buffer.alloc(TERMS.bytesMax));
        }
        await seconds(22);
        await Promise.allSettled(opened.map(({ reading }) => reading));
        for (const { response } of opened) response.emit('close');
        expect(all.held).toBe(0);
      }),
      { numRuns: 40 },
    );
  }, 240_000);
});
