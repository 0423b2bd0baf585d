// An external service is called once a minute for a data key; its failures are not cached, and only the first caller
// waits for them. The service counts its calls.
import { inspect } from 'node:util';
import { CachedKeyService } from './cached-key-service.js';
import { KeyService, KeyServiceUnavailable, Undecryptable, type WrappedKey } from './key-service.js';

class CountingService extends KeyService {
  readonly currentKeyId = 'counted';
  calls = 0;
  failure: Error | undefined;
  answer = (key: WrappedKey, context: string): Promise<Buffer> =>
    Promise.resolve(Buffer.from(`canary ${key.wrapped.toString()} ${context}`));

  async wrap(dataKey: Buffer): Promise<WrappedKey> {
    this.calls++;
    if (this.failure) throw this.failure;
    return { keyId: this.currentKeyId, wrapped: dataKey };
  }

  async unwrap(key: WrappedKey, context: string): Promise<Buffer> {
    this.calls++;
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

  it('calls again after a minute, not before', async () => {
    for (const at of [5_000, 64_999]) {
      nowMs = at;
      expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
    }
    expect(service.calls).toBe(1);
    nowMs = 65_001;
    await cached.unwrap(wrapped('a'), 'x');
    expect(service.calls).toBe(2);
  });

  it('distinguishes keys, bytes and contexts', async () => {
    await cached.unwrap(wrapped('a'), 'x');
    for (const [key, context] of [
      [wrapped('b'), 'x'],
      [wrapped('a'), 'y'],
      [wrapped('a', 'other'), 'x'],
    ] as const) {
      const before = service.calls;
      await cached.unwrap(key, context);
      expect(service.calls).toBe(before + 1);
    }
  });

  it('makes one call for concurrent requests', async () => {
    let release = (): void => undefined;
    service.answer = () => new Promise((resolve) => (release = () => resolve(Buffer.from('key'))));
    const all = [1, 2, 3].map(() => cached.unwrap(wrapped('a'), 'x'));
    release();
    expect((await Promise.all(all)).map(String)).toEqual(['key', 'key', 'key']);
    expect(service.calls).toBe(1);
  });

  it('does not call a silent service for a second, but serves what is cached', async () => {
    await cached.unwrap(wrapped('known'), 'x');
    service.failure = new KeyServiceUnavailable('down');
    await expect(cached.unwrap(wrapped('a'), 'x')).rejects.toThrow('down');
    nowMs += 999;
    await expect(cached.unwrap(wrapped('b'), 'x')).rejects.toThrow('down');
    await expect(cached.wrap(Buffer.of(1), 'x')).rejects.toThrow('down');
    expect(service.calls).toBe(2);
    expect((await cached.unwrap(wrapped('known'), 'x')).toString()).toBe('canary known x');
    service.failure = undefined;
    nowMs += 1;
    expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
  });

  it('does not pause for what cannot be decrypted, and does not cache it', async () => {
    service.failure = new Undecryptable('no');
    await expect(cached.unwrap(wrapped('a'), 'x')).rejects.toThrow('no');
    service.failure = undefined;
    expect((await cached.unwrap(wrapped('a'), 'x')).toString()).toBe('canary a x');
  });

  it('caches a bounded number', async () => {
    for (let index = 0; index <= 10_000; index++) await cached.unwrap(wrapped(`${index}`), 'x');
    await cached.unwrap(wrapped('10000'), 'x');
    expect(service.calls).toBe(10_001);
    await cached.unwrap(wrapped('0'), 'x');
    expect(service.calls).toBe(10_002);
  });

  it('shows no data key', async () => {
    await cached.unwrap(wrapped('a'), 'x');
    const trace = Buffer.from('canary').toString('hex').match(/../g)!.join(' ');
    expect(inspect(cached, { depth: 20, showHidden: true }) + JSON.stringify(cached)).not.toContain(trace);
  });
});
