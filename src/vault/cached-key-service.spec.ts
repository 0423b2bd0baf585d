// Goal: a service outside is asked once a minute for a data key, and its failures are neither kept nor waited for by
// everybody. Method: a service that counts, and time moved by hand.
import { inspect } from 'node:util';
import { CachedKeyService } from './cached-key-service.js';
import { KeyService, KeyServiceUnavailable, Undecryptable, type WrappedKey } from './key-service.js';

class CountingService extends KeyService {
  readonly currentKeyId = 'counted';
  asked = 0;
  failure: Error | undefined;
  answer = (key: WrappedKey, context: string): Promise<Buffer> =>
    Promise.resolve(Buffer.from(`canary ${key.wrapped.toString()} ${context}`));

  async wrap(dataKey: Buffer): Promise<WrappedKey> {
    this.asked++;
    if (this.failure) throw this.failure;
    return { keyId: this.currentKeyId, wrapped: dataKey };
  }

  async unwrap(key: WrappedKey, context: string): Promise<Buffer> {
    this.asked++;
    if (this.failure) throw this.failure;
    return this.answer(key, context);
  }
}

describe('CachedKeyService', () => {
  let nowMs = 0;
  let service: CountingService;
  let cached: CachedKeyService;
  const wrapped = (text: string, keyId = 'counted'): WrappedKey => ({ keyId, wrapped: Buffer.from(text) });

  beforeEach(() => {
    nowMs = 5_000;
    service = new CountingService();
    cached = new CachedKeyService(service, () => nowMs);
  });

  it('asks again after a minute, not before', async () => {
    for (const at of [5_000, 64_999]) {
      nowMs = at;
      expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
    }
    expect(service.asked).toBe(1);
    nowMs = 65_001;
    await cached.unwrap(wrapped('a'), 'x');
    expect(service.asked).toBe(2);
  });

  it('tells apart keys, bytes and contexts', async () => {
    await cached.unwrap(wrapped('a'), 'x');
    for (const [key, context] of [
      [wrapped('b'), 'x'],
      [wrapped('a'), 'y'],
      [wrapped('a', 'other'), 'x'],
    ] as const) {
      const before = service.asked;
      await cached.unwrap(key, context);
      expect(service.asked).toBe(before + 1);
    }
  });

  it('asks once for however many ask at a time', async () => {
    let release = (): void => undefined;
    service.answer = () => new Promise((resolve) => (release = () => resolve(Buffer.from('key'))));
    const all = [1, 2, 3].map(() => cached.unwrap(wrapped('a'), 'x'));
    release();
    expect((await Promise.all(all)).map(String)).toEqual(['key', 'key', 'key']);
    expect(service.asked).toBe(1);
  });

  it('leaves a service that does not answer alone for a second, but not what is at hand', async () => {
    await cached.unwrap(wrapped('known'), 'x');
    service.failure = new KeyServiceUnavailable('down');
    await expect(cached.unwrap(wrapped('a'), 'x')).rejects.toThrow('down');
    nowMs += 999;
    await expect(cached.unwrap(wrapped('b'), 'x')).rejects.toThrow('down');
    await expect(cached.wrap(Buffer.of(1), 'x')).rejects.toThrow('down');
    expect(service.asked).toBe(2);
    expect((await cached.unwrap(wrapped('known'), 'x')).toString()).toBe('canary known x');
    service.failure = undefined;
    nowMs += 1;
    expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
  });

  it('does not rest for what cannot be decrypted, and does not keep it', async () => {
    service.failure = new Undecryptable('no');
    await expect(cached.unwrap(wrapped('a'), 'x')).rejects.toThrow('no');
    service.failure = undefined;
    expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
  });

  it('holds a bounded number', async () => {
    for (let index = 0; index <= 10_000; index++) await cached.unwrap(wrapped(`${index}`), 'x');
    await cached.unwrap(wrapped('10000'), 'x');
    expect(service.asked).toBe(10_001);
    await cached.unwrap(wrapped('0'), 'x');
    expect(service.asked).toBe(10_002);
  });

  it('shows no data key', async () => {
    await cached.unwrap(wrapped('a'), 'x');
    const trace = Buffer.from('canary').toString('hex').match(/../g)!.join(' ');
    expect(inspect(cached, { depth: 20, showHidden: true }) + JSON.stringify(cached)).not.toContain(trace);
  });
});
