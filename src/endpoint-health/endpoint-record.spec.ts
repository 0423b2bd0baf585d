// What counts as a call, a fault and an outage, and what begins a pause, in short event sequences at given times.
import {
  OTHER_CALLERS,
  DAY_SLICE_MS,
  EndpointRecord,
  HALF_HOUR_SLICE_MS,
  HALF_HOUR_SLICES,
  OUTAGE_MS,
  VIEW_MS,
} from './endpoint-record.js';
import { WIDENING_HALF_LIFE_MS } from './observed-widening.js';
import { SAMPLES_MIN } from './rolling-sketch.js';

/** The start of a slice of every length. */
const START = 1_700_000_010_000;
const TIMES = { baseMs: 5_000, maxMs: 60_000, trialMs: 900_000 };
const FAULT = { by: 'fault' } as const;
const LIMIT = { by: 'rate-limit' } as const;

describe('EndpointRecord', () => {
  let record: EndpointRecord;
  beforeEach(() => (record = new EndpointRecord(TIMES)));

  /** `F` a fault, `S` a success, `L` a refusal for too many calls, all at the same time. */
  function play(story: string, at = START): void {
    for (const letter of story) {
      if (letter === 'S') record.succeeded({}, at);
      else record.failed(letter === 'F' ? FAULT : LIMIT, at);
    }
  }

  it.each([
    ['FF', false],
    ['FFF', true],
    ['SSFFF', true],
    ['SSSFFF', true],
    ['SSSSFFF', false],
    ['SSSFFFS', false],
    ['SSSSFFFF', true],
    ['LLLLFFF', true],
    ['LLLL', false],
    ['FFLL', false],
  ])('after %s is out: %p', (story, isOut) => {
    play(story);
    expect(record.health(START, OTHER_CALLERS).isOut).toBe(isOut);
  });

  it('is in outage for as long as the faults are within 30 seconds', () => {
    play('FFF');
    expect(record.health(START + OUTAGE_MS - VIEW_MS, OTHER_CALLERS).isOut).toBe(true);
    expect(record.health(START + OUTAGE_MS, OTHER_CALLERS).isOut).toBe(false);
  });

  it.each([
    ['S', 0],
    ['SSSF', 0.25],
    ['F', 1],
    ['L', undefined],
    ['SFLL', 0.5],
  ])('reports for %s the fault share %p', (story, faultShare) => {
    play(story);
    expect(record.health(START, OTHER_CALLERS).faultShare).toBe(faultShare);
  });

  it('reports the fault share over five minutes', () => {
    play('FS');
    expect(record.health(START + 300_000 - VIEW_MS, OTHER_CALLERS).faultShare).toBe(0.5);
    expect(record.health(START + 300_000, OTHER_CALLERS).faultShare).toBeUndefined();
  });

  it.each([
    ['five minutes', 'last5m', 5 * 60_000, 30_000],
    ['half an hour', 'last30m', 30 * 60_000, HALF_HOUR_SLICE_MS],
    ['a day', 'last1d', 24 * 60 * 60_000, DAY_SLICE_MS],
  ] as const)('counts calls and faults over the last %s, slice by slice', (_, name, lengthMs, sliceMs) => {
    // The start of a slice of every length.
    const begin = START - (START % DAY_SLICE_MS);
    play('FSLS', begin);
    play('F', begin + sliceMs);
    expect(record.uptime(begin + lengthMs - 1)[name]).toEqual({ calls: 4, faults: 2 });
    expect(record.uptime(begin + lengthMs)[name]).toEqual({ calls: 1, faults: 1 });
    expect(record.uptime(begin + lengthMs + sliceMs)[name]).toEqual({ calls: 0, faults: 0 });
    // A reused slice starts empty.
    play('S', begin + lengthMs);
    expect(record.uptime(begin + lengthMs)[name]).toEqual({ calls: 2, faults: 1 });
  });

  it('reports for a day what it no longer reports for five minutes', () => {
    play('FSSS');
    expect(record.uptime(START + 10 * 60_000)).toEqual({
      last5m: { calls: 0, faults: 0 },
      last30m: { calls: 4, faults: 1 },
      last1d: { calls: 4, faults: 1 },
    });
  });

  it('keeps no more of a day than its slices', () => {
    for (let minute = 0; minute < 3 * 24 * 60; minute++) play('S', START + minute * 60_000);
    const { last30m, last1d } = record.uptime(START + 3 * 24 * 60 * 60_000 - 1);
    expect([last30m.calls, last1d.calls].map((calls, index) => calls <= [30, 1_440][index]!)).toEqual([true, true]);
    expect([last30m.calls > 27, last1d.calls > 1_379]).toEqual([true, true]);
  });

  it.each([
    ['F', undefined],
    ['FF', undefined],
    ['FSF', undefined],
    ['FSSFF', 'faults'],
    ['FSSSSFF', undefined],
    ['FFF', 'faults'],
    ['FLF', 'rate-limit'],
    ['SFFF', 'faults'],
    ['L', 'rate-limit'],
    ['SL', 'rate-limit'],
  ])('after %s is paused by %p', (story, by) => {
    play(story);
    expect(record.health(START, OTHER_CALLERS).cooling?.by).toBe(by);
    expect(record.admit(START)).toBe(by === undefined);
  });

  it('is paused by a single fault of its trial', () => {
    play('FFF');
    expect(record.admit(START + 5_000)).toBe(true);
    expect(record.failed(FAULT, START + 5_100)?.pause).toEqual({ until: START + 15_100, by: 'faults', streak: 1 });
  });

  it('starts over after a successful trial', () => {
    play('FFF');
    record.admit(START + 5_000);
    expect(record.succeeded({}, START + 5_100)).toEqual([OTHER_CALLERS]);
    expect(record.succeeded({}, START + 5_200)).toEqual([]);
    play('FF', START + 5_300);
    expect(record.health(START + 5_300, OTHER_CALLERS).cooling).toBeUndefined();
  });

  it.each([undefined, -1, NaN, Infinity])('ignores the hint %p', (retryAfterMs) => {
    const pause = record.failed({ ...LIMIT, ...(retryAfterMs !== undefined && { retryAfterMs }) }, START);
    expect(pause!.pause).toEqual({ until: START + TIMES.baseMs, by: 'rate-limit', streak: 0 });
  });

  it('reports each figure once there are enough calls', () => {
    for (let call = 1; call <= SAMPLES_MIN; call++) {
      record.succeeded({ secondsToFirstToken: 2, ...(call > 1 && { tokensPerSecond: 50 }) }, START);
    }
    const { latency, throughput } = record.health(START, OTHER_CALLERS);
    expect(Math.abs(latency!.p50 / 2 - 1)).toBeLessThanOrEqual(0.05);
    expect(throughput).toBeUndefined();
    record.succeeded({ tokensPerSecond: 50 }, START);
    expect(Math.abs(record.health(START + VIEW_MS, OTHER_CALLERS).throughput!.p99 / 50 - 1)).toBeLessThanOrEqual(0.05);
  });

  it.each([NaN, Infinity, -1])('does not count %p as a figure', (bad) => {
    for (let call = 0; call < SAMPLES_MIN; call++) {
      record.succeeded({ secondsToFirstToken: bad, tokensPerSecond: bad }, START);
    }
    expect(record.health(START, OTHER_CALLERS)).toEqual({ isOut: false, faultShare: 0 });
  });

  describe('the view', () => {
    it('is the same for a second, though calls succeed', () => {
      play('S');
      const view = record.health(START, OTHER_CALLERS);
      play('S');
      expect(record.health(START + VIEW_MS - 1, OTHER_CALLERS)).toBe(view);
      expect(record.health(START + VIEW_MS, OTHER_CALLERS)).not.toBe(view);
    });

    it('is renewed when the clock was set back', () => {
      const view = record.health(START, OTHER_CALLERS);
      expect(record.health(START - 10, OTHER_CALLERS)).not.toBe(view);
    });

    it('shows pause, trial and their ends immediately', () => {
      const isPaused = (at: number): boolean => record.health(at, OTHER_CALLERS).cooling !== undefined;
      expect(isPaused(START)).toBe(false);
      play('L');
      expect([isPaused(START), isPaused(START + 4_999), isPaused(START + 5_000)]).toEqual([true, true, false]);
      record.admit(START + 5_000);
      expect(isPaused(START + 5_000)).toBe(true);
      record.released();
      expect(isPaused(START + 5_000)).toBe(false);
      record.admit(START + 5_001);
      expect(isPaused(START + 5_001)).toBe(true);
      record.succeeded({}, START + 5_001);
      expect(isPaused(START + 5_001)).toBe(false);
    });
  });

  describe('informed by other replicas', () => {
    it('is paused, and then admits one trial', () => {
      record.adoptPause({ until: START + 7_000, by: 'rate-limit', streak: 2 }, START);
      expect(record.health(START, OTHER_CALLERS).cooling).toEqual({ until: START + 7_000, by: 'rate-limit' });
      expect([record.admit(START + 7_000), record.admit(START + 7_000)]).toEqual([true, false]);
    });

    it('is free when another replica had an answer, and forgets its own earlier faults', () => {
      play('FFF');
      record.adoptPause(undefined, START, OTHER_CALLERS);
      expect([record.admit(START + 1), record.admit(START + 1)]).toEqual([true, true]);
      expect(record.failed(FAULT, START + 2)).toBeUndefined();
    });

    it('is in outage until then, or until that is withdrawn', () => {
      record.adoptOutage(START + 20_000, START);
      expect([record.health(START, OTHER_CALLERS).isOut, record.health(START + 20_000, OTHER_CALLERS).isOut]).toEqual([
        true,
        false,
      ]);
      record.adoptOutage(START + 40_000, START + 20_000);
      expect(record.health(START + 20_000, OTHER_CALLERS).isOut).toBe(true);
      record.adoptOutage(undefined, START + 20_000);
      expect(record.health(START + 20_000, OTHER_CALLERS).isOut).toBe(false);
    });

    it('accepts no outage longer than one lasts', () => {
      record.adoptOutage(START + 10 * OUTAGE_MS, START);
      expect(record.health(START + OUTAGE_MS, OTHER_CALLERS).isOut).toBe(false);
    });
  });

  describe('the publication of an outage', () => {
    it('occurs once, repeatedly while the outage continues, and when it is over', () => {
      for (const caller of ['one', 'two']) record.failed(FAULT, START, { caller });
      expect(record.outageChange(START)).toBeUndefined();
      record.failed(FAULT, START, { caller: 'one' });
      expect([record.outageChange(START), record.outageChange(START)]).toEqual(['out', undefined]);
      play('FFF', START + 20_000);
      expect([record.outageChange(START + 19_999), record.outageChange(START + 20_000)]).toEqual([undefined, 'out']);
      play('SSSSSSS', START + 20_001);
      expect([record.outageChange(START + 20_001), record.outageChange(START + 20_001)]).toEqual(['over', undefined]);
    });

    it('never withdraws what another replica published', () => {
      record.adoptOutage(START + 20_000, START);
      play('SSS');
      expect(record.outageChange(START)).toBeUndefined();
      expect(record.health(START, OTHER_CALLERS).isOut).toBe(true);
    });
  });

  describe('that works again for all but one caller whose calls always fail', () => {
    const CALLERS = ['one', 'two'] as const;
    const OTHER_EVERY_MS = 7_000;
    /** Has faults of two callers until it has the longest pause. @returns when that ends */
    function pausedLong(): number {
      let now = START;
      for (let fault = 0; fault < 4; fault++) record.failed(FAULT, now, { caller: CALLERS[fault % 2] });
      for (let trial = 0; trial < 5; trial++) {
        now = record.health(now).cooling!.until;
        for (const caller of CALLERS) if (record.admit(now, caller)) record.failed(FAULT, now, { caller });
      }
      const { until } = record.health(now).cooling!;
      expect(until - now).toBe(TIMES.maxMs);
      return until;
    }

    it.each([
      ['fault', 'calls when it is the trial', false],
      ['doubtful-fault', 'calls when it is the trial', false],
      ['rate-limit', 'calls when it is the trial', false],
      ['fault', 'has no other endpoint, and calls within pauses too', true],
      ['doubtful-fault', 'has no other endpoint, and calls within pauses too', true],
    ] as const)('is available to the others when the pause is over: by %s of one that %s', (by, _, callsWithin) => {
      const until = pausedLong();
      const answered: number[] = [];
      for (let now = until - TIMES.maxMs + 1_000; now < until + 20 * TIMES.maxMs; now += 1_000) {
        // First at every moment, and seven times as often as the other.
        if (record.admit(now, 'bad') || (callsWithin && record.admitLast(now)))
          record.failed({ by }, now, { caller: 'bad' });
        if ((now - START) % OTHER_EVERY_MS === 0 && record.admit(now, 'one')) {
          record.succeeded({}, now, { caller: 'one' });
          answered.push(now);
        }
      }
      // After at most one more pause.
      expect(answered[0]).toBeLessThanOrEqual(until + TIMES.maxMs + OTHER_EVERY_MS);
      expect(answered.length).toBeGreaterThan((15 * TIMES.maxMs) / OTHER_EVERY_MS);
    });

    it('has the same state at other replicas: the one caller has no further trial at each of them', () => {
      const until = pausedLong();
      const { until: end } = record.health(until - 1).cooling!;
      const pause = { until: end, by: 'faults', streak: 5, failedBy: 'bad' } as const;
      const elsewhere = new EndpointRecord(TIMES);
      elsewhere.adoptPause(pause, until - 1);
      expect(elsewhere.admit(until, 'bad')).toBe(false);
      expect(elsewhere.failed(FAULT, until, { caller: 'bad' })?.caller).not.toBeUndefined();
      expect(elsewhere.admit(until, 'one')).toBe(true);
    });

    it('gives the slot of a trial without an outcome to the next', () => {
      const until = pausedLong();
      record.failed(FAULT, until - 1, { caller: 'bad' });
      const { until: later } = record.health(until - 1).cooling!;
      const next = later + TIMES.maxMs;
      expect(record.admit(next, 'bad')).toBe(true);
      expect(record.admit(next, 'one')).toBe(false);
      record.failed(FAULT, next, { caller: 'bad' });
      expect(record.admit(next, 'one')).toBe(true);
    });
  });

  it('applies exceeded bounds to the callers concerned, until they have faded', () => {
    play('S');
    expect(record.health(START, 'one')).not.toHaveProperty('widening');
    record.exceeded({ input: 1, output: 2 }, START, 'one');
    expect(record.health(START, 'one').widening).toEqual({ input: 1, output: 2 });
    expect(record.health(START, 'other')).not.toHaveProperty('widening');
    expect(record.health(START)).not.toHaveProperty('widening');
    record.exceeded({ input: 1, output: 2 }, START, 'other');
    expect(record.health(START).widening).toEqual({ input: 1, output: 2 });
    // An old view does not change.
    expect(record.health(START + 5 * WIDENING_HALF_LIFE_MS)).not.toHaveProperty('widening');
  });

  describe('its condition over all callers', () => {
    it.each([
      ['', 'unknown'],
      ['S', 'operational'],
      ['SF', 'operational'],
      // The endpoint has never answered, and there were too few calls.
      ['FF', 'unknown'],
      ['SSSSFFF', 'operational'],
      ['SSSSSSSSSFFFF', 'operational'],
      // Earlier answers do not matter: no caller gets an answer now.
      ['SSSSSSSSSSFFFFF', 'failing'],
      ['SSSSSSSSSSSSSSSSSSFFFFFFFFF', 'failing'],
      ['SSSSSSSSSSFFFFFS', 'operational'],
      ['SSSSSSSSSSLLLLF', 'failing'],
      // A single caller: no outage for all, but none of its calls succeeds.
      ['FFF', 'failing'],
      ['SSSFFF', 'failing'],
      ['L', 'rate-limited'],
      ['SSSSL', 'rate-limited'],
      ['FFFL', 'failing'],
    ])('after %p: %s', (story, condition) => {
      play(story);
      expect(record.condition(START)).toBe(condition);
    });

    it('follows a pause for all, by its cause', () => {
      record.failed({ ...LIMIT, retryAfterMs: 5_000 }, START, { caller: 'one' });
      expect(record.condition(START)).toBe('rate-limited');
      record.adoptPause({ until: START + 60_000, by: 'faults', streak: 0 }, START);
      expect(record.condition(START)).toBe('failing');
    });

    it('follows an outage of another replica, for as long', () => {
      record.adoptOutage(START + OUTAGE_MS, START);
      expect(record.condition(START + OUTAGE_MS - VIEW_MS)).toBe('failing');
      expect(record.condition(START + OUTAGE_MS)).toBe('unknown');
    });

    it('is forgotten half an hour after the last call, and its failures after five minutes', () => {
      play('SFFF');
      expect(record.condition(START + 300_000)).toBe('operational');
      const halfHour = HALF_HOUR_SLICE_MS * HALF_HOUR_SLICES;
      expect([record.condition(START + halfHour - 1), record.condition(START + halfHour)]).toEqual([
        'operational',
        'unknown',
      ]);
    });

    it.each([
      ['F', 'failing'],
      ['L', 'rate-limited'],
    ])('follows consecutive failures until a call is answered: %s', (letter, condition) => {
      play('S');
      // Far enough apart to cause no outage.
      for (let call = 1; call <= 9; call++) play(letter, START + call * 180_000);
      const last = START + 9 * 180_000;
      expect(record.condition(last + 299_000)).toBe(condition);
      expect(record.condition(last + HALF_HOUR_SLICE_MS * HALF_HOUR_SLICES)).toBe('unknown');
      play('S', last + 300_000);
      expect(record.condition(last + 300_000)).toBe('operational');
    });
  });
});
