// Choosing a model takes less than a millisecond over three hundred models for any prompt, and next to nothing where it
// is not requested: the mean CPU time of many choices after a warm-up, printed with the bound.
import { NO_DEFAULTS } from '../../core/plugin-defaults.js';
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, inputsOf, model } from '../../../test/support/route-inputs.js';
import { HealthRegistry } from '../../endpoint-health/health-registry.js';
import { PluginSelector } from '../../inference/plugins/plugin-selector.js';
import { readEnvironment } from '../../shared/read-environment.js';
import { NoReplicas } from '../../shared/redis/replicated-map-link.js';
import { ALL_PLUGINS } from '../plugin-list.js';

const WARM_UP = 1_000;
const SAMPLES = 200;
const CHOICE_MICROSECONDS_MAX = 1_000;
const NO_PLUGIN_MICROSECONDS_MAX = 5;
const PER_SAMPLE = 1_000;
/** Attempts of `fastest`, with pauses on a busy machine. */
const PATIENCE_MS = 120_000;

const models = Array.from({ length: 300 }, (_, index) =>
  model(
    `author-${index % 20}/model-${index}`,
    Array.from({ length: 1 + (index % 3) }, (__, position) =>
      endpoint(`provider-${position}`, { usd: 1 + (index % 17), contextLength: 1_000_000 }),
    ),
    {
      scores: {
        quality: { value: (index % 97) / 100, source: 's' },
        coding: { value: (index % 89) / 100, source: 's' },
      },
    },
  ),
);
const registry = new HealthRegistry(readEnvironment({}, process.cwd()).environment, new AheadClock(), new NoReplicas());
const { needs: _needs, ...inputs } = inputsOf(models, { health: registry.snapshot() });
const sets = new PluginSelector(ALL_PLUGINS);
const requestOf = (text: string, name = 'openrouter/auto') =>
  modelRequest({ model: name, messages: [{ role: 'user', content: [{ type: 'text', text }] }] });

/** Mean CPU milliseconds of one run. */
const eachOf = (times: number, run: () => void): number =>
  computedMs(() => {
    for (let time = 0; time < times; time++) run();
  }) / times;

it.each([
  ['a short prompt', requestOf('Write a Python function that sorts a list.')],
  [
    'a megabyte of a prompt',
    requestOf('Compare these two strategies, and say which of them you would choose. '.repeat(15_000)),
  ],
])(
  'chooses among 300 models for %s',
  async (name, request) => {
    const run = (): void => void sets.of(request, NO_DEFAULTS).chooser(request)!(inputs);
    for (let time = 0; time < WARM_UP; time++) run();
    const took = 1_000 * (await fastest(() => eachOf(SAMPLES, run), CHOICE_MICROSECONDS_MAX / 1_000));
    process.stdout.write(`choosing among 300 models for ${name}: ${took.toFixed(0)} µs\n`);
    expect(took).toBeLessThan(CHOICE_MICROSECONDS_MAX);
  },
  PATIENCE_MS,
);

it(
  'takes next to nothing where no plugin is requested',
  async () => {
    const request = requestOf('hi', 'author/model');
    const run = (): void => void sets.of(request, NO_DEFAULTS).chooser(request);
    for (let time = 0; time < WARM_UP; time++) run();
    const took = 1_000 * (await fastest(() => eachOf(PER_SAMPLE, run), NO_PLUGIN_MICROSECONDS_MAX / 1_000));
    process.stdout.write(`no plugin: ${took.toFixed(2)} µs\n`);
    expect(took).toBeLessThan(NO_PLUGIN_MICROSECONDS_MAX);
  },
  PATIENCE_MS,
);
