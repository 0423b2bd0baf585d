// The figures of a provider cover exactly the periods in their names: calls on a test clock, read before and after each
// period.
import { ProviderRecord } from './provider-record.js';

const MINUTE = 60_000;
const FIGURES = { secondsToFirstToken: 1, tokensPerSecond: 50 };

describe('ProviderRecord', () => {
  it('is empty for a provider without calls', () => {
    expect(new ProviderRecord().view(0)).toEqual({
      latency: undefined,
      throughput: undefined,
      last30m: { calls: 0, faults: 0 },
      failuresInARow: 0,
    });
  });

  it('reports latency and throughput from the fifth call on, for some five minutes', () => {
    const record = new ProviderRecord();
    for (let call = 0; call < 4; call++) record.succeeded(FIGURES, 0);
    expect(record.view(0)).toMatchObject({ latency: undefined, throughput: undefined });
    record.succeeded(FIGURES, 0);
    for (const now of [0, 4 * MINUTE]) {
      const { latency, throughput } = record.view(now);
      expect(latency!.p50).toBeCloseTo(1, 1);
      expect(throughput!.p50 / 50).toBeCloseTo(1, 1);
    }
    expect(record.view(6 * MINUTE)).toMatchObject({ latency: undefined, throughput: undefined });
  });

  it('reports calls and faults of half an hour, and forgets the faults of a recovered provider', () => {
    const record = new ProviderRecord();
    record.failed(0, false);
    record.succeeded({}, 10 * MINUTE);
    expect(record.view(27 * MINUTE).last30m).toEqual({ calls: 2, faults: 1 });
    expect(record.view(31 * MINUTE).last30m).toEqual({ calls: 1, faults: 0 });
    expect(record.view(41 * MINUTE).last30m).toEqual({ calls: 0, faults: 0 });
  });

  it('counts failures since the last answer, refusals for too many calls included, for half an hour after the last', () => {
    const record = new ProviderRecord();
    const failuresAt = (minute: number): number | undefined => record.view(minute * MINUTE).failuresInARow;
    for (const minute of [0, 1, 2]) record.failed(minute * MINUTE, minute === 1);
    expect(record.view(2 * MINUTE).last30m).toEqual({ calls: 2, faults: 2 });
    expect([failuresAt(2), failuresAt(31), failuresAt(32)]).toEqual([3, 3, 0]);
    record.succeeded(undefined, 3 * MINUTE);
    expect(failuresAt(3)).toBe(0);
  });
});
