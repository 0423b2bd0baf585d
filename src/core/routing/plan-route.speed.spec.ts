// Planning is fast enough that no request waits for it
// (docs/contribute/reasons/routing.md#planning-is-fast). The median of many plans after a warm-up, printed
// beside the bound; the bound is wide because other work shares the machine.
import { fastest } from '../../../test/support/cpu-time.js';
import { endpoint, healthOf, inputsOf, model } from '../../../test/support/route-inputs.js';
import { planRoute } from './plan-route.js';
import type { RouteInputs } from './route-inputs.js';

const WARM_UP = 1_000;
const SAMPLES = 500;
const FIFTY_MICROSECONDS_MAX = 600;
const ONE_MICROSECONDS_MAX = 40;

const fifty = model(
  'author/model-with-fifty-endpoints',
  Array.from({ length: 50 }, (_, index) =>
    endpoint(`provider-${index}`, {
      usd: 1 + (index % 7),
      supportedParameters: ['max_tokens', 'temperature', 'tools', 'stop'],
    }),
  ),
);
const figures = { p50: 1, p75: 2, p90: 3, p99: 4 };
const health = healthOf(
  Object.fromEntries(fifty.endpoints.map(({ tag }) => [tag, { latency: figures, throughput: figures, faultShare: 0 }])),
);

/** Milliseconds of the median. */
function medianOf(seeded: readonly RouteInputs[]): number {
  const samples: number[] = [];
  for (let run = 0; run < SAMPLES; run++) {
    const startedAt = performance.now();
    planRoute(seeded[run % seeded.length]!);
    samples.push(performance.now() - startedAt);
  }
  return samples.sort((one, other) => one - other)[SAMPLES / 2]!;
}

describe('the speed of planning', () => {
  it.each<[string, number, RouteInputs]>([
    ['one endpoint', ONE_MICROSECONDS_MAX, inputsOf([model('a/b', [endpoint('p')])])],
    ['fifty endpoints', FIFTY_MICROSECONDS_MAX, inputsOf([fifty], { health })],
    [
      'fifty endpoints under many preferences',
      FIFTY_MICROSECONDS_MAX,
      inputsOf([fifty], {
        health,
        needs: {
          parameters: ['max_tokens', 'temperature', 'tools'],
          promptTokensMin: 5_000,
          maxOutputTokens: 1_000,
          preferences: {
            ignore: ['openai', 'azure'],
            dataCollection: 'deny',
            requireParameters: true,
            maxPrice: { prompt: '10', completion: '10' },
            preferredMaxLatency: { p90: 2.5 },
          },
        },
      }),
    ],
  ])('%s', async (name, boundMicroseconds, inputs) => {
    const seeded = Array.from({ length: 64 }, (_, index) => ({ ...inputs, seed: `0190a1b2-${index}` }));
    for (let run = 0; run < WARM_UP; run++) planRoute(seeded[run % 64]!);
    const median = 1_000 * (await fastest(() => medianOf(seeded), boundMicroseconds / 1_000));
    process.stdout.write(`planning ${name}: ${median.toFixed(1)} µs\n`);
    expect(median).toBeLessThan(boundMicroseconds);
  });
});
