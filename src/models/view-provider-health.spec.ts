// One word states a provider's health, by the endpoints of known health: a table of counts.
import { viewProviderHealth } from './view-provider-health.js';

const counts = (operational: number, limited: number, failing: number, unknown = 100) => ({
  operational,
  'rate-limited': limited,
  failing,
  unknown,
});

describe('viewProviderHealth', () => {
  it.each([
    [counts(0, 0, 0), 'unknown'],
    [counts(0, 0, 0, 0), 'unknown'],
    [counts(1, 0, 0), 'operational'],
    [counts(1, 0, 1), 'degraded'],
    [counts(1, 1, 0), 'degraded'],
    [counts(0, 1, 0), 'degraded'],
    [counts(0, 1, 1), 'degraded'],
    [counts(0, 0, 1), 'down'],
  ])('%j: %s', (given, status) => {
    const { 'rate-limited': rate_limited, ...rest } = given;
    expect(viewProviderHealth(given, {})).toEqual({
      status,
      endpoints: { ...rest, rate_limited },
      uptime_last_30m: null,
      latency_last_30m: null,
      throughput_last_30m: null,
      last_fault: null,
    });
  });

  it.each([
    [4, counts(0, 0, 0), 'unknown'],
    [5, counts(0, 0, 0), 'down'],
    [4, counts(1, 0, 0), 'operational'],
    [9, counts(1, 0, 0), 'degraded'],
    [9, counts(0, 1, 0), 'degraded'],
  ])('after %d failures in a row, %j: %s', (failuresInARow, given, status) => {
    expect(viewProviderHealth(given, { failuresInARow }).status).toBe(status);
  });

  it('shows figures in the units of endpoints, and when the last fault was', () => {
    const seconds = { p50: 0.25, p75: 0.5, p90: 1, p99: 2 };
    const rates = { p50: 80, p75: 40, p90: 20, p99: 10 };
    const lastFault = { at: Date.UTC(2026, 10, 24), kind: 'server-error', status: 500, model: 'acme/one' } as const;
    const last30m = { calls: 3, faults: 1 };
    const view = viewProviderHealth(counts(1, 0, 0), { latency: seconds, throughput: rates, last30m, lastFault });
    expect(view).toMatchObject({
      uptime_last_30m: 66.67,
      latency_last_30m: { p50: 250, p75: 500, p90: 1_000, p99: 2_000 },
      throughput_last_30m: rates,
      last_fault: { at: '2026-11-24T00:00:00.000Z', kind: 'server-error', status: 500, model: 'acme/one' },
    });
  });
});
