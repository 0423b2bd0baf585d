// Checks that a simulated day does what the real planner does under the scripted conditions, and is the same at each
// run. Small days run over two endpoints; shares are compared by hour, and files have one thing wrong.
import { join } from 'node:path';
import { checkScenario } from '../scripts/simulation/check-scenario.js';
import { readScenario, readScenarioFile, ScenarioRefused } from '../scripts/simulation/read-scenario.js';
import { progressOf } from '../scripts/simulation/progress.js';
import { printReport } from '../scripts/simulation/report.js';
import { loadCatalog, loadScenario } from '../scripts/simulation/scenario-files.js';
import { simulateDay } from '../scripts/simulation/simulate-day.js';
import type { Tally } from '../scripts/simulation/tally.js';
import { catalogOf, endpoint, model, price } from './support/route-inputs.js';

const HOURS = 24;
const ROOT = join(__dirname, '..');
const SHIPPED = {
  scenario: join(ROOT, 'scripts/simulation/day.yaml'),
  catalog: join(ROOT, 'catalog/default.yaml'),
};

const cached = { inputCacheRead: 50_000n };
const twins = catalogOf(
  model('a/b', [endpoint('one', { pricing: price(1, cached) }), endpoint('two', { pricing: price(1, cached) })]),
);
const traffic = (fields = '') =>
  `[{ name: t, weight: 1, model: a/b, prompt_tokens: [1000, 1000], answer_tokens: [10, 10]${fields} }]`;
const singles = traffic(', session: none');
const talks = traffic(', turns: [10, 10], growth_tokens: [100, 100], cached: 0.5');

const day = (text: string, catalog = twins): Tally => {
  const scenario = readScenario([readScenarioFile('day.yaml', `version: 1\n${text}`)]);
  checkScenario(scenario, catalog);
  return simulateDay(scenario, catalog);
};

/** Percent of the answers from that hour to before the other. */
const share = (tally: Tally, provider: string, from: number, to: number): number => {
  const sum = (slug: string): number =>
    (tally.providers.get(slug)?.answersByHour ?? []).slice(from, to).reduce((one, other) => one + other, 0);
  return (100 * sum(provider)) / [...tally.providers.keys()].reduce((all, slug) => all + sum(slug), 0);
};

describe('the progress of a simulation', () => {
  it('is reported every two seconds, and not of a short one', () => {
    const lines: string[] = [];
    let now = 0;
    const progress = progressOf(
      'day.yaml',
      40_000,
      (line) => void lines.push(line),
      () => now,
    );
    progress(1);
    expect(lines).toEqual([]);
    now = 2_000;
    progress(10_000);
    progress(10_001);
    now = 4_000;
    progress(30_000);
    expect(lines).toEqual([
      'day.yaml: 10,000 of 40,000 decisions (25 %)\n',
      'day.yaml: 30,000 of 40,000 decisions (75 %)\n',
    ]);
  });

  it('counts each decision of the day', () => {
    const counts: number[] = [];
    const scenario = readScenario([readScenarioFile('day.yaml', `version: 1\ndecisions: 50\ntraffic: ${singles}`)]);
    simulateDay(scenario, twins, (count) => void counts.push(count));
    expect(counts).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });
});

describe('a simulated day', () => {
  it('plans exactly the requested number of requests, spread by the load', () => {
    const tally = day(`decisions: 2321
traffic: ${singles}
load: [{ at: "00:00", weight: 0 }, { at: "12:00", weight: 0 }, { at: "12:01", weight: 1 }, { at: "23:59", weight: 1 }]`);
    expect(tally.decisions).toBe(2321);
    expect(tally.answers).toBe(2321);
    const byHour = Array.from({ length: HOURS }, (_, hour) =>
      [...tally.providers.values()].reduce((sum, { answersByHour }) => sum + answersByHour[hour]!, 0),
    );
    expect(byHour.slice(0, 12)).toEqual(new Array(12).fill(0));
    expect(Math.min(...byHour.slice(12))).toBeGreaterThan(100);
  });

  it('is the same for the same seed, and another for another', () => {
    const text = `decisions: 600
traffic: ${talks}
world: [{ spread: 1, faults: { unavailable: 0.2, rate-limited: 0.1 } }]`;
    const report = printReport([day(`seed: x\n${text}`)]);
    expect(printReport([day(`seed: x\n${text}`)])).toBe(report);
    expect(printReport([day(`seed: y\n${text}`)])).not.toBe(report);
  });

  it('moves load away from an outage, and back after it', () => {
    const tally = day(`decisions: 12000
traffic: ${singles}
world: [{ provider: one, from: "10:00", to: "12:00", faults: { unavailable: 1 } }]`);
    expect(share(tally, 'one', 0, 10)).toBeCloseTo(50, -1);
    expect(share(tally, 'one', 10, 12)).toBe(0);
    expect(share(tally, 'one', 13, 24)).toBeCloseTo(50, -1);
    // The pause grows to a minute, and each ends in one trial: some two calls a minute would be too many.
    expect(tally.providers.get('one')!.faults).toBeLessThan(2 * 120);
    expect(tally.failovers).toBe(tally.providers.get('one')!.faults);
    expect(tally.answers).toBe(12_000);
  });

  it('sends more to an endpoint whose price falls, by the square of the price', () => {
    const tally = day(`decisions: 8000
traffic: ${singles}
prices: [{ at: "12:00", provider: two, pricing: { prompt: "0.25", completion: "0.25" } }]`);
    expect(Math.abs(share(tally, 'two', 0, 12) - 50)).toBeLessThan(3);
    // At half the price, four times the probability.
    expect(Math.abs(share(tally, 'two', 12, HOURS) - 80)).toBeLessThan(3);
  });

  it('follows a hint for its time, and the growing pause without one', () => {
    const burst = (hint: string): number => {
      const tally = day(`decisions: 2000
traffic: ${singles}
load: [{ at: "09:59", weight: 0 }, { at: "10:00", weight: 1 }, { at: "11:00", weight: 1 }, { at: "11:01", weight: 0 }]
world: [{ provider: one, faults: { rate-limited: 1 }${hint} }]`);
      expect(tally.answers).toBe(2_000);
      return tally.providers.get('one')!.rateLimited;
    };
    expect(burst(', retry_after: "1800s"')).toBeLessThan(5);
    expect(burst('')).toBeGreaterThan(40);
  });

  it('keeps sessions where they are, and counts what a move costs', () => {
    const morning = `decisions: 2500
traffic: ${talks}
load: [{ at: "09:00", weight: 0 }, { at: "10:00", weight: 1 }, { at: "11:00", weight: 0 }]`;
    const calm = day(morning);
    expect([calm.moves, calm.cachedTokensLost, calm.continued]).toEqual([0, 0, 2250]);
    expect(calm.cachedTokens).toBeGreaterThan(0);
    const rough = day(`${morning}
world: [{ provider: one, from: "10:00", to: "10:03", faults: { server-error: 1 } }]`);
    expect(rough.moves).toBeGreaterThan(0);
    // Sessions that had to move are bound to the new endpoint, and do not return after the outage.
    expect(rough.sessionsMoved).toBe(rough.moves);
    // A move happens at one of the turns after the first: 1,000 to 1,800 known tokens, half of them cached.
    expect(rough.cachedTokensLost / rough.moves).toBeGreaterThanOrEqual(500);
    expect(rough.cachedTokensLost / rough.moves).toBeLessThanOrEqual(900);
  });

  it('charges list prices, cache reads included', () => {
    const tally = day(`decisions: 2\ntraffic: ${traffic(', turns: [2, 2], cached: 0.5')}`);
    // 0.5 USD per million tokens, 0.05 from the cache: 2 × 1,000 + 2 × 10 tokens, of which 500 were cached.
    expect(tally.costPicoUsd).toBe(1_520n * 500_000n + 500n * 50_000n);
  });

  it('reports the refusals by code and the failures by kind', () => {
    const tally = day(`decisions: 1000
traffic: ${singles}
load: [{ at: "00:00", weight: 1 }, { at: "00:10", weight: 0 }]
world: [{ faults: { overloaded: 1 } }]`);
    // An endpoint in a cool-down is tried where no other is left, so no request is refused for it.
    expect([...tally.refused.keys()]).toEqual([]);
    expect([...tally.failed.keys()]).toEqual(['overloaded']);
    expect(tally.answers).toBe(0);
    const left = day(`decisions: 10\ntraffic: ${singles}\npolicy: { account: { only: [] } }`);
    expect([...left.refused]).toEqual([['constraint_filtered', 10]]);
  });

  it('times a slow endpoint out at the limit of the policy', () => {
    const first = (limit: string): Tally =>
      day(`decisions: 200
traffic: ${singles}
world: [{ first_token: 10s, spread: 0 }]
policy: { timeouts: first=${limit} }`);
    expect(first('11s').answers).toBe(200);
    const hasty = first('10s');
    expect([hasty.answers, ...hasty.failed.keys()]).toEqual([0, 'timed-out']);
  });

  it('moves a request to the other endpoint by drift where the caller has a preference', () => {
    const text = (preferences: string): string => `decisions: 6000
traffic: ${traffic(`, session: none${preferences}`)}
world: [{ first_token: 1s, spread: 0 }, { provider: one, from: "06:00", to: "18:00", drift: 5 }]`;
    expect(share(day(text('')), 'one', 12, 18)).toBeCloseTo(50, -1);
    const minding = day(text(', provider: { preferred_max_latency: { p50: 3 } }'));
    expect(share(minding, 'one', 6, 11)).toBeCloseTo(50, -1);
    expect(share(minding, 'one', 14, 18)).toBeLessThan(30);
  });
});

describe('the report', () => {
  it('prints the figures of two days side by side', () => {
    const calm = day(`decisions: 1000\ntraffic: ${singles}`);
    const alone = day(`decisions: 1000\ntraffic: ${singles}\npolicy: { credentials: [two] }`);
    const report = printReport([calm, alone]);
    expect(report).toMatch(/^decisions +1,000 → 1,000$/m);
    expect(report).toMatch(/^one +\d\d\.\d % → 0\.0 %/m);
    expect(report).toMatch(/^two +\d\d\.\d % → 100\.0 %/m);
  });
});

describe('scenario files', () => {
  it('ships one that fits the shipped catalog, and permits others to extend it', async () => {
    const { scenario } = await loadScenario(SHIPPED.scenario, SHIPPED);
    const catalog = await loadCatalog(SHIPPED.catalog, SHIPPED);
    checkScenario(scenario, catalog);
    const tally = simulateDay({ ...scenario, decisions: 2_000 }, catalog);
    expect(tally.answers).toBeGreaterThan(1_900);
    const shipped = readScenarioFile('day.yaml', 'version: 1\nseed: base\ndecisions: 5\ntraffic: ' + singles);
    const own = readScenarioFile('own.yaml', 'version: 1\nextends: default\nseed: own');
    const { seed, decisions } = readScenario([shipped, own]);
    expect([seed, decisions]).toEqual(['own', 5]);
  });

  it.each<[string, string]>([
    ['traffic: []', 'day.yaml:2: traffic: must have at least 1 entry'],
    ['traffic:\n  - { name: t }', 'day.yaml:3: traffic.0.weight: is required'],
    ['seed: a\nworld:\n  - { first_token: 3 }', 'day.yaml:4: world.0.first_token: must be a string'],
    ['world: [{ from: "25:00" }]', 'day.yaml:2: world.0.from: must be a time of day such as "09:30"'],
    ['world: [{ from: "11:00", to: "10:00" }]', 'day.yaml:2: world.0.to: must be later than from'],
    ['world: [{ faults: { broken: 1 } }]', 'day.yaml:2: world.0.faults.broken: is not a known field'],
    ['world: [{ faults: { unavailable: 0.6, overloaded: 0.6 } }]', 'the shares sum to more than 1'],
    ['world: [{ retry_after: 5s }]', 'day.yaml:2: world.0.retry_after: needs faults'],
    ['prices: [{ at: "10:00", provider: one, pricing: { prompt: 1 } }]', 'prices.0.pricing.prompt: must be a decimal'],
    ['policy: { cooldown: base=soon }', 'day.yaml: policy: Fairlead cannot start with these settings'],
    ['seed: a', 'day.yaml: traffic: is required, here or in the file it extends'],
    [`traffic: ${traffic().replace('a/b', 'a/c')}`, 'traffic t: a/c is not in the catalog'],
    [`traffic: ${traffic(', provider: { only: [onne] }')}`, 'traffic t: provider.only.0: "onne" is no known provider'],
    ['world: [{ provider: three }]', 'world.0: speaks of no endpoint of the catalog'],
    ['prices: [{ at: "10:00", provider: one, model: a/c, pricing: { prompt: "1", completion: "1" } }]', 'prices.0: '],
    ['policy: { credentials: [onne] }', 'policy.credentials: onne is no known provider'],
  ])('refuses %j', (text, message) => {
    const whole = /traffic|^seed: a$/.test(text) ? text : `${text}\ntraffic: ${singles}`;
    const refusal = (): unknown => day(whole);
    expect(refusal).toThrow(ScenarioRefused);
    expect(refusal).toThrow(message);
  });
});
