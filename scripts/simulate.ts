/**
 * `npm run simulate`: runs the gateway's planner over a scripted day, so that a policy can be judged before it is
 * deployed. The tables go to standard output and are the same for the same files; progress and duration go to standard
 * error.
 */
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkScenario } from './simulation/check-scenario.js';
import { progressOf } from './simulation/progress.js';
import { ScenarioRefused } from './simulation/read-scenario.js';
import { printReport } from './simulation/report.js';
import { printRouterDays, routerDays } from './simulation/router-days.js';
import { loadCatalog, loadScenario, type ShippedFiles } from './simulation/scenario-files.js';
import { simulateDay } from './simulation/simulate-day.js';
import type { Tally } from './simulation/tally.js';

// The compiled file is in dist/simulate/scripts.
const ROOT = join(import.meta.dirname, '../../..');
const SHIPPED: ShippedFiles = {
  scenario: join(ROOT, 'scripts/simulation/day.yaml'),
  catalog: join(ROOT, 'catalog/default.yaml'),
};
const ROUTERS_DAY = join(ROOT, 'scripts/simulation/auto-day.yaml');
/** npm starts scripts in the package's folder; paths are resolved from the operator's directory. */
const FOLDER = process.env['INIT_CWD'] ?? process.cwd();

const HELP = `npm run simulate -- [options]

Runs the real planner, health and session pins over a scripted day and prints which endpoints answered, the cost
at list price, failovers, session moves and the time to the first token. No provider is called.

  --scenario FILE      the day; default: scripts/simulation/day.yaml
  --compare A B        two scenarios; each figure is printed as A → B
  --catalog FILE       the catalog, where a scenario names none; default: catalog/default.yaml
  --decisions N        requests to plan, instead of the scenario's number
  --seed TEXT          another day of the same kind
  --routers          a day of prompts by the auto-router at each setting, beside always the cheapest and always the dearest
  --help

A scenario is YAML; scripts/simulation/day.yaml explains each field where it uses it. In short:

  version: 1
  extends: FILE        or "default", the shipped day: what stands here replaces its part of the same name
  catalog: FILE        or "default"
  seed, decisions
  load:                [{ at: "09:00", weight: 3 }, …] – how much begins when
  traffic:             kinds of sessions: name, weight, model, fallbacks, session (id | content | none), turns,
                       pause, prompt_tokens, growth_tokens, answer_tokens, cached, parameters, max_tokens,
                       provider (preferences, as in a request), and for routers plugins and prompts (a file of JSON lines)
  world:               how endpoints behave, later rules over earlier ones: provider, model, from, to,
                       first_token, tokens_per_second, spread, drift, faults (share by kind), retry_after
  prices:              [{ at, provider, model, pricing }, …] – as in a catalog
  policy:              credentials, provider (preferences under those of traffic), account (only, ignore,
                       deny_data_collection, zdr), cooldown and timeouts (as FAIRLEAD_COOLDOWN, FAIRLEAD_TIMEOUTS)

To judge a policy: write it into a file with "extends: default" and compare it with the day.
`;

interface Options {
  /** Paths or `default`; two of them are compared. */
  readonly scenarios: readonly string[];
  readonly catalog?: string;
  readonly decisions?: number;
  readonly seed?: string;
  readonly routers: boolean;
  readonly help: boolean;
}

/** @throws ScenarioRefused */
function readOptions(): Options {
  const { values, positionals } = parseWords();
  const { scenario = 'default', compare = false, catalog, decisions, seed, routers = false, help = false } = values;
  if (positionals.length !== (compare ? 2 : 0) || (compare && values.scenario !== undefined)) {
    throw new ScenarioRefused('--compare takes two scenarios, everything else one --scenario; see --help');
  }
  if (decisions !== undefined && !/^[1-9]\d{0,6}$/.test(decisions)) {
    throw new ScenarioRefused('--decisions must be a whole number from 1 to 9999999');
  }
  return {
    scenarios: compare ? positionals : [scenario],
    ...(catalog !== undefined && { catalog }),
    ...(decisions !== undefined && { decisions: Number(decisions) }),
    ...(seed !== undefined && { seed }),
    routers,
    help,
  };
}

function parseWords() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        scenario: { type: 'string' },
        compare: { type: 'boolean' },
        catalog: { type: 'string' },
        decisions: { type: 'string' },
        seed: { type: 'string' },
        routers: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new ScenarioRefused(error instanceof Error ? error.message : String(error));
  }
}

/** Only the tables go to standard output. */
const printError = (line: string): void => void process.stderr.write(line);

const pathOf = (name: string | undefined, shipped: string): string =>
  name === undefined || name === 'default' ? shipped : resolve(FOLDER, name);

async function simulate(path: string, { catalog: named, decisions, seed }: Options): Promise<Tally> {
  const { scenario, catalogPath } = await loadScenario(path, SHIPPED);
  const catalog = await loadCatalog(catalogPath ?? pathOf(named, SHIPPED.catalog), SHIPPED);
  checkScenario(scenario, catalog);
  const startedAt = performance.now();
  const changed = { seed: seed ?? scenario.seed, decisions: decisions ?? scenario.decisions };
  const progress = progressOf(basename(path), changed.decisions, printError);
  const tally = simulateDay({ ...scenario, ...changed }, catalog, progress);
  const seconds = (performance.now() - startedAt) / 1_000;
  const planningNs = Math.round((tally.planningMs * 1_000_000) / tally.decisions);
  process.stderr.write(
    `${tally.decisions.toLocaleString('en-US')} decisions in ${seconds.toFixed(2)} s; ` +
      `planning: ${planningNs.toLocaleString('en-US')} ns per decision\n`,
  );
  return tally;
}

async function playRouters({ catalog: named, decisions, seed }: Options): Promise<string> {
  const { scenario } = await loadScenario(ROUTERS_DAY, SHIPPED);
  const catalog = await loadCatalog(pathOf(named, SHIPPED.catalog), SHIPPED);
  const changed = { seed: seed ?? scenario.seed, decisions: decisions ?? scenario.decisions };
  return printRouterDays(
    routerDays({ ...scenario, ...changed }, catalog, (name) => progressOf(name, changed.decisions, printError)),
  );
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (options.routers) {
    process.stdout.write(await playRouters(options));
    return;
  }
  const tallies: Tally[] = [];
  for (const name of options.scenarios) tallies.push(await simulate(pathOf(name, SHIPPED.scenario), options));
  process.stdout.write(printReport(tallies));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ScenarioRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
