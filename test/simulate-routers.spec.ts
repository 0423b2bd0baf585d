// Checks that in a simulated day the auto-router gives more quality for its price than a mix of the cheapest and the
// dearest model would, and nearly the dearest's quality for less than half of its price. The real planner runs the
// shipped day of prompts with the shipped catalog; quality comes from scores and from the authors of prompts, not
// from the classifier. Rules: docs/use/plugins/auto-router.md#a-day-by-the-auto-router.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTheLine, printRouterDays, routerDays, type RouterDays } from '../scripts/simulation/router-days.js';
import { loadCatalog, loadScenario } from '../scripts/simulation/scenario-files.js';

const ROOT = join(__dirname, '..');
const SHIPPED = {
  scenario: join(ROOT, 'scripts/simulation/day.yaml'),
  catalog: join(ROOT, 'catalog/default.yaml'),
};
const FIGURES = ['score', 'quality'] as const;
/** Default of `cost_quality_tradeoff`. */
const DEFAULT = 7;
const NEAR_QUALITY = 2;

describe('a day of prompts by the auto-router', () => {
  let days: RouterDays;
  beforeAll(async () => {
    const { scenario } = await loadScenario(join(ROOT, 'scripts/simulation/auto-day.yaml'), SHIPPED);
    days = routerDays({ ...scenario, decisions: 2_000 }, await loadCatalog(SHIPPED.catalog, SHIPPED));
    process.stdout.write(printRouterDays(days));
  }, 240_000);

  it.each(FIGURES)('lies above the line between the cheapest and the dearest at every setting, by %s', (figure) => {
    for (const day of days.auto.slice(0, -1)) {
      expect([day.name, day[figure] > onTheLine(days, day.usd, figure)]).toEqual([day.name, true]);
    }
  });

  it.each(FIGURES)('reaches 95 %% of the dearest at half its cost or less, by %s', (figure) => {
    const day = days.auto[NEAR_QUALITY]!;
    expect(day[figure]).toBeGreaterThanOrEqual(0.95 * days.dearest[figure]);
    expect(day.usd).toBeLessThanOrEqual(days.dearest.usd / 2);
  });

  it('gives nine tenths of the quality of the dearest for a tenth of its cost by default', () => {
    const day = days.auto[DEFAULT]!;
    expect(day.quality).toBeGreaterThanOrEqual(0.9 * days.dearest.quality);
    expect(day.usd).toBeLessThanOrEqual(days.dearest.usd / 10);
  });

  it('costs less the more the price counts', () => {
    const costs = days.auto.map(({ usd }) => usd);
    for (const [index, usd] of costs.entries()) expect(usd).toBeLessThanOrEqual((costs[index - 1] ?? Infinity) * 1.001);
  });

  it('agrees with the table of docs/use/plugins/auto-router.md, as far as its shorter day permits', () => {
    const page = readFileSync(join(ROOT, 'docs/use/plugins/auto-router.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (auto-router at \d+) \| ([\d.]+) \| ([\d.]+) % \|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const [, name, usd, percent] of rows) {
      const day = days.auto.find((one) => one.name === name)!;
      expect([name, Math.abs(day.usd / Number(usd) - 1) < 0.1]).toEqual([name, true]);
      expect([name, Math.abs((day.quality / days.dearest.quality) * 100 - Number(percent)) < 2]).toEqual([name, true]);
    }
  });
});
