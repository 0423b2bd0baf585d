// Each endpoint is judged separately under each credential, in bounded memory: the registry of one process with a test
// clock.
import type { HealthKey } from '../core/routing/health.js';
import { Clock } from '../core/time.js';
import type { Environment } from '../shared/environment.js';
import { NoReplicas } from '../shared/redis/replicated-map-link.js';
import { OTHER_CALLERS } from './endpoint-record.js';
import { HealthRegistry } from './health-registry.js';

class ManualClock extends Clock {
  time = 1_700_000_010_000;
  override now(): number {
    return this.time;
  }
}

const KEYS_MAX = 10_000;
const environment = {
  cooldown: { baseMs: 5_000, maxMs: 60_000 },
  timeouts: { totalMs: 900_000 },
} as Environment;
const key: HealthKey = { model: 'acme/large', tag: 'acme', credential: 'shared' };

describe('HealthRegistry', () => {
  let clock: ManualClock;
  let registry: HealthRegistry;
  beforeEach(() => {
    clock = new ManualClock();
    registry = new HealthRegistry(environment, clock, new NoReplicas());
  });
  const find = (of = key): ReturnType<ReturnType<HealthRegistry['snapshot']>['find']> =>
    registry.snapshot(OTHER_CALLERS).find(of);

  it('has no state of an endpoint without calls, and admits it', () => {
    expect([find(), registry.admit(key), registry.admit(key)]).toEqual([undefined, true, true]);
    registry.released(key);
    expect(find()).toBeUndefined();
  });

  it('returns what was reported to it', () => {
    for (let call = 0; call < 5; call++) registry.succeeded(key, { secondsToFirstToken: 1, tokensPerSecond: 100 });
    const around = (value: number): object => {
      const close = expect.closeTo(value, value < 10 ? 0 : -1);
      return { p50: close, p75: close, p90: close, p99: close };
    };
    expect(find()).toEqual({ isOut: false, faultShare: 0, latency: around(1), throughput: around(100) });
  });

  it('returns the calls of each endpoint and credential separately, and nothing for one without calls', () => {
    registry.succeeded(key);
    registry.failed(key, { by: 'fault' });
    registry.failed({ ...key, credential: '0190b3c4' }, { by: 'fault' });
    clock.time += 3_600_000;
    const none = { calls: 0, faults: 0 };
    expect(registry.uptime(key)).toEqual({ last5m: none, last30m: none, last1d: { calls: 2, faults: 1 } });
    expect(registry.uptime({ ...key, tag: 'other' })).toBeUndefined();
  });

  it.each<[string, Partial<HealthKey>]>([
    ['model', { model: 'acme/small' }],
    ['tag', { tag: 'acme/priority' }],
    ['credential', { credential: '0190b3c4' }],
  ])('judges another %s separately', (_, other) => {
    registry.failed(key, { by: 'rate-limit' });
    expect([registry.admit(key), registry.admit({ ...key, ...other })]).toEqual([false, true]);
    expect([find()?.cooling?.by, find({ ...key, ...other })]).toEqual(['rate-limit', undefined]);
  });

  it('reports what is paused or in outage with the credential of the operator, for all or for some', () => {
    expect(registry.troubles()).toEqual([]);
    registry.succeeded({ ...key, model: 'acme/sound' });
    registry.failed(key, { by: 'rate-limit', retryAfterMs: 5_000 });
    registry.failed({ ...key, tag: 'acme/eu/priority' }, { by: 'rate-limit' });
    registry.failed({ ...key, credential: '0190b3c4' }, { by: 'rate-limit', retryAfterMs: 5_000 });
    registry.failed({ ...key, tag: 'other' }, { by: 'rate-limit', retryAfterMs: 5_000 });
    expect(registry.troubles()).toEqual(
      expect.arrayContaining([
        { provider: 'acme', trouble: 'paused' },
        { provider: 'acme', trouble: 'paused_for_some' },
        { provider: 'other', trouble: 'paused' },
      ]),
    );
    expect(registry.troubles()).toHaveLength(3);
    clock.time += 120_000;
    expect(registry.troubles()).toEqual([]);
  });

  it('counts a trial as successful when it begins to answer, however long its reply takes', () => {
    registry.failed(key, { by: 'rate-limit' });
    expect(registry.isTrial(key)).toBe(true);
    registry.began(key);
    expect(registry.admit(key)).toBe(false);
    clock.time += 5_000;
    expect([registry.admit(key), registry.admit(key)]).toEqual([true, false]);
    registry.began(key);
    expect([registry.admit(key), registry.isTrial(key), find()?.cooling]).toEqual([true, false, undefined]);
  });

  it('shows a pause in an earlier snapshot too: a snapshot is read on demand', () => {
    registry.succeeded(key);
    const snapshot = registry.snapshot(OTHER_CALLERS);
    registry.failed(key, { by: 'rate-limit' });
    expect(snapshot.find(key)?.cooling).toBeDefined();
  });

  // docs/use/routing.md#health: of ten concurrent requests one calls, and all others wait for
  // the nearest end.
  it('lets one of many requests try an endpoint after its pause, and all once it has answered', () => {
    registry.failed(key, { by: 'rate-limit', retryAfterMs: 5_000 });
    clock.time += 5_000;
    expect(find()?.cooling).toBeUndefined();
    const admitted = Array.from({ length: 10 }, () => registry.admit(key));
    expect(admitted.filter(Boolean)).toHaveLength(1);
    expect(find()?.cooling).toBeDefined();
    registry.succeeded(key);
    expect(Array.from({ length: 10 }, () => registry.admit(key))).not.toContain(false);
  });

  // docs/use/routing.md#health: one request a second for a minute to an endpoint that always
  // fails.
  it('calls an endpoint that always fails a handful of times a minute', () => {
    let calls = 0;
    for (let second = 0; second < 60; second++) {
      if (registry.admit(key)) {
        calls++;
        registry.failed(key, { by: 'fault' });
      }
      clock.time += 1_000;
    }
    expect(calls).toBe(3 + 3);
  });

  // docs/use/routing.md#health: each answer's own hint counts.
  it('never calls before the last hint is over', () => {
    for (const seconds of [1, 5, 30]) {
      expect(registry.admit(key)).toBe(true);
      registry.failed(key, { by: 'rate-limit', retryAfterMs: seconds * 1_000 });
      clock.time += seconds * 1_000 - 1;
      expect(registry.admit(key)).toBe(false);
      clock.time += 60_000;
    }
  });

  it('frees the slot of a trial whose caller left', () => {
    registry.failed(key, { by: 'rate-limit' });
    clock.time += 5_000;
    expect(registry.admit(key)).toBe(true);
    registry.released(key);
    expect(registry.admit(key)).toBe(true);
  });

  it('drops the least recently used endpoints, but no pause', () => {
    const other = (index: number): HealthKey => ({ ...key, model: `acme/${index}` });
    registry.succeeded(key);
    registry.failed(other(0), { by: 'rate-limit', retryAfterMs: 600_000 });
    for (let index = 1; index <= KEYS_MAX; index++) registry.succeeded(other(index));
    expect(find()).toBeUndefined();
    expect(registry.admit(other(0))).toBe(false);
    expect(find(other(0))?.cooling).toBeDefined();
    expect(find(other(KEYS_MAX))).toBeDefined();
  });

  it('does not keep an endpoint longer because its condition was read', () => {
    const other = (index: number): HealthKey => ({ ...key, model: `acme/${index}` });
    registry.succeeded(key);
    for (let index = 1; index < KEYS_MAX; index++) registry.succeeded(other(index));
    expect(registry.condition(key)).toBe('operational');
    registry.succeeded(other(KEYS_MAX));
    expect(registry.condition(key)).toBe('unknown');
  });

  describe('a provider', () => {
    const at = (tag: string, model = 'acme/large'): HealthKey => ({ ...key, tag, model });
    const REFUSED = { by: 'doubtful-fault', fault: { kind: 'refused-credential', status: 401 } } as const;
    const LIMITED = { by: 'rate-limit', fault: { kind: 'rate-limited', status: 429 } } as const;

    it('without calls is unknown', () => expect(registry.provider('acme')).toEqual({}));

    it('has the calls of all its endpoints, in every tier, and of no other', () => {
      const tags = ['acme', 'acme/eu', 'acme/priority', 'acme/eu/priority', 'acme'];
      for (const tag of tags)
        registry.succeeded(at(tag, `acme/${tag}`), { secondsToFirstToken: 1, tokensPerSecond: 9 });
      registry.failed(at('acme/eu'), { by: 'fault' });
      registry.succeeded(at('acme-two'));
      registry.failed(at('acm'), { by: 'fault' });
      const { latency, throughput, last30m } = registry.provider('acme');
      expect(last30m).toEqual({ calls: 6, faults: 1 });
      expect([latency!.p50, throughput!.p50]).toEqual([expect.closeTo(1, 0), expect.closeTo(9, 0)]);
      expect(registry.provider('acme-two').last30m).toEqual({ calls: 1, faults: 0 });
    });

    it('has the fault of a refusal for too many calls, but no figures of it', () => {
      registry.failed(key, LIMITED);
      const lastFault = { at: clock.time, kind: 'rate-limited', status: 429, model: 'acme/large' };
      expect(registry.provider('acme')).toMatchObject({
        lastFault,
        last30m: { calls: 0, faults: 0 },
        failuresInARow: 1,
      });
    });

    it("is not affected by calls with a caller's own credential", () => {
      registry.failed({ ...key, credential: '0190b3c4' }, REFUSED);
      registry.succeeded({ ...key, credential: '0190b3c4' }, { secondsToFirstToken: 1 });
      expect(registry.provider('acme')).toEqual({});
    });

    it('has the latest fault, for a day', () => {
      registry.failed(key, REFUSED);
      registry.failed(at('acme/eu', 'acme/small'), { by: 'fault', fault: { kind: 'unreachable' } });
      const last = { at: clock.time, kind: 'unreachable', model: 'acme/small' };
      expect(registry.provider('acme').lastFault).toEqual(last);
      registry.succeeded(key);
      clock.time += 86_400_000 - 1;
      expect(registry.provider('acme').lastFault).toEqual(last);
      clock.time += 1;
      expect(registry.provider('acme')).not.toHaveProperty('lastFault');
    });

    it('publishes a repeated fault at most once a second', () => {
      const first = clock.time;
      for (const ms of [0, 999, 1]) {
        clock.time += ms;
        registry.failed(key, REFUSED);
      }
      expect(registry.provider('acme').lastFault!.at).toBe(first + 1_000);
      clock.time += 1;
      registry.failed(key, LIMITED);
      expect(registry.provider('acme').lastFault).toMatchObject({ at: clock.time, kind: 'rate-limited' });
    });

    it('is one of a bounded number', () => {
      for (let index = 0; index <= 1_000; index++) registry.succeeded(at(`provider-${index}`));
      expect([registry.provider('provider-0'), registry.provider('provider-1').last30m]).toEqual([
        {},
        { calls: 1, faults: 0 },
      ]);
    });
  });
});
