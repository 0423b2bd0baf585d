import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import type { Clock } from '../../core/time.js';
import { pathOf, type CommandContext } from '../../shared/command/command-context.js';
import { SHIPPED_CATALOG, VARIABLES } from '../../shared/variables/variables.js';
import { judgeContent, readContent, type CatalogContent } from '../catalog-files.js';
import { CatalogDocument } from '../document.js';
import { describeFault } from '../fault.js';
import { compareCatalogs } from './compare-catalogs.js';
import { compareRoutes } from './compare-routes.js';
import { dayOf, isDay, type Day } from './day.js';
import { FINDING_GROUPS, type FindingGroup } from './finding.js';
import { judgeCatalog, type OwnEntries } from './judge-catalog.js';
import type { KnownProviders } from './neutral-plan.js';
import { isDifferent, printComparison } from './print-comparison.js';
import { printJudgement } from './print-judgement.js';
import { SHORT, WHOLE } from './print-lists.js';
import { readSources, SOURCES_FILE, type CatalogSources } from './read-sources.js';

const DONE = 0;
const REFUSED = 1;
const FOUND = 2;

/** Vendors change their prices a few times a year. Chosen. */
const STALE_DAYS = 90;

const NAME = 'fairlead check';
const USAGE = `npm run fairlead -- check [FILE] [--only GROUPS] [--stale-days N] [--today YYYY-MM-DD] [--strict] [--all] [--json]
npm run fairlead -- check OLD NEW [--strict] [--all] [--json]

Reads a catalog as the gateway does and reports what is stale, missing, dearer or cheaper than the vendor's list, and how
much of it is left under each restriction that a caller may set. Of a file that extends the shipped one its own entries come first.
Without a file it checks the one that FAIRLEAD_CATALOG names. With two files it lists what the newer one
changes, and the routes that change with it. No provider is called, nothing is written.

--only        groups to report, separated by commas: ${FINDING_GROUPS.join(', ')}
--stale-days  a source whose data, or its reading, is older is stale; default: ${STALE_DAYS}
--today       the day to count from
--strict      end with 2 where there is anything to report in these groups, or where two files differ
--all         whole lists, not only their first entries
--json        the same as JSON

Ends with 0, with 1 for a file that cannot be used or wrong arguments, or with 2 under --strict.
`;

/** Dependencies of the command besides its arguments. */
export interface CheckTools {
  readonly known: KnownProviders;
  readonly clock: Clock;
  /** Absolute path of the folder that contains `catalog/`. */
  readonly packageDirectory: string;
}

interface CheckWords {
  readonly files: readonly [string, string?];
  readonly groups: readonly FindingGroup[];
  readonly staleDays: number;
  readonly today: Day | undefined;
  readonly isStrict: boolean;
  readonly isWhole: boolean;
  readonly isJson: boolean;
}

/** The request cannot be carried out; the message gives the reason. */
class CheckRefused extends Error {}

/** @returns the exit code, as documented in the usage. Never throws for any input, never prints a secret. */
export async function runCatalogCheck(context: CommandContext, tools: CheckTools): Promise<number> {
  try {
    const words = readWords(context);
    if (words === 'help') {
      context.print(USAGE);
      return DONE;
    }
    const [first, second] = words.files;
    return await (second === undefined
      ? judge(first, words, context, tools)
      : compare(first, second, words, context, tools));
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error;
    context.printError(`${NAME}: ${error.message}\n`);
    return REFUSED;
  }
}

async function judge(file: string, words: CheckWords, context: CommandContext, tools: CheckTools): Promise<number> {
  const { packageDirectory, known, clock } = tools;
  const { snapshot, own, variableOf } = await readFrom(file, context, tools);
  const shipped = await readFrom(join(packageDirectory, SHIPPED_CATALOG), context, tools);
  const judgement = judgeCatalog(snapshot, {
    shipped: shipped.snapshot,
    own,
    sources: await readShippedSources(packageDirectory),
    staleness: { today: words.today ?? dayOf(clock.now()), days: words.staleDays },
    known,
    unsetVariable: (provider) => {
      const variable = variableOf(provider);
      return variable !== undefined && isUnset(context.variables[variable]) ? variable : undefined;
    },
  });
  const findings = judgement.findings.filter(({ group }) => words.groups.includes(group));
  const max = words.isWhole ? WHOLE : SHORT;
  context.print(
    words.isJson
      ? asJson({
          file,
          ...judgement,
          findings: findings.map(({ subjects, ...finding }) => ({
            ...finding,
            count: subjects.length,
            subjects: subjects.slice(0, max.lines),
          })),
        })
      : printJudgement(file, judgement, words.groups, max),
  );
  return words.isStrict && findings.length > 0 ? FOUND : DONE;
}

async function compare(
  older: string,
  newer: string,
  words: CheckWords,
  context: CommandContext,
  tools: CheckTools,
): Promise<number> {
  const before = (await readFrom(older, context, tools)).snapshot;
  const after = (await readFrom(newer, context, tools)).snapshot;
  const comparison = { ...compareCatalogs(before, after), ...compareRoutes(before, after, tools.known) };
  const max = words.isWhole ? WHOLE : SHORT;
  context.print(
    words.isJson
      ? asJson({ before: older, after: newer, ...boundLists(comparison, max.lines) })
      : printComparison(older, newer, comparison, max),
  );
  return words.isStrict && isDifferent(comparison) ? FOUND : DONE;
}

const asJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Replaces lists by their length and their first entries, so that a report is as long as requested. */
function boundLists(value: object, max: number): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      Array.isArray(part)
        ? { count: part.length, first: part.slice(0, max) as unknown[] }
        : boundLists(part as object, max),
    ]),
  );
}

interface ReadCatalogFile {
  readonly snapshot: CatalogSnapshot;
  readonly own: OwnEntries | undefined;
  /** The variable that a provider's credential is read from; undefined where it is not. */
  readonly variableOf: (provider: CatalogProvider) => string | undefined;
}

/**
 * Reads as the gateway does, but each variable has its own name as its value, so that no secret is read and the
 * variable of each credential is known. The value of such a credential cannot be a fault.
 * @throws CheckRefused
 */
async function readFrom(
  file: string,
  context: CommandContext,
  { packageDirectory }: CheckTools,
): Promise<ReadCatalogFile> {
  const named = new Set<string>();
  const content = await readContent({
    path: pathOf(file, context),
    shippedPath: join(packageDirectory, SHIPPED_CATALOG),
  });
  const { reading } = judgeContent(content, (name) => {
    named.add(name);
    return name;
  });
  if ('faults' in reading)
    throw new CheckRefused(['the catalog cannot be used:', ...reading.faults.map(describeFault)].join('\n  '));
  return {
    snapshot: reading.snapshot,
    own: ownEntries(content),
    variableOf: ({ credential }) => {
      const text = credential?.reveal();
      return text !== undefined && named.has(text) ? text : undefined;
    },
  };
}

/** The entries in the file itself, for content without a fault; undefined where it does not extend the shipped one. */
function ownEntries({ own }: CatalogContent): OwnEntries | undefined {
  if ('failure' in own) return undefined;
  const { value } = new CatalogDocument(own.name, own.text);
  const { extends: extended, providers = [], models = [] } = value as OwnDocument;
  if (extended === undefined) return undefined;
  return { slugs: new Set(providers.map(({ slug }) => slug)), ids: new Set(models.map(({ id }) => id)) };
}

/** The part of a valid catalog file that names its entries. */
interface OwnDocument {
  readonly extends?: string;
  readonly providers?: readonly { readonly slug: string }[];
  readonly models?: readonly { readonly id: string }[];
}

/** The rule of `readCredential`. */
const isUnset = (value: string | undefined): boolean => (value?.trim() ?? '') === '';

/**
 * Undefined where the file does not exist.
 * @throws CheckRefused
 */
async function readShippedSources(packageDirectory: string): Promise<CatalogSources | undefined> {
  const text = await readFile(join(packageDirectory, SOURCES_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CheckRefused(`${SOURCES_FILE} cannot be read (${error.code})`, { cause: error });
  });
  if (text === undefined) return undefined;
  const reading = readSources(SOURCES_FILE, text);
  if ('sources' in reading) return reading.sources;
  throw new CheckRefused(reading.faults.map(describeFault).join('\n'));
}

/** @throws CheckRefused for unknown arguments */
function readWords({ words, variables, workingDirectory }: CommandContext): CheckWords | 'help' {
  const { values, positionals } = parseWords(words);
  if (values.help) return 'help';
  const [first, second, ...others] = positionals;
  const file = first ?? namedBy(variables, workingDirectory);
  if (file === undefined || others.length > 0)
    throw misused('give one file to check, or two to compare, or set FAIRLEAD_CATALOG');
  const ofOne = (['only', 'stale-days', 'today'] as const).find((name) => values[name] !== undefined);
  if (second !== undefined && ofOne) throw misused(`--${ofOne} is for one file`);
  const staleDays = values['stale-days'] ?? String(STALE_DAYS);
  if (!/^\d{1,5}$/.test(staleDays)) throw misused('--stale-days must be a number of days');
  const { today } = values;
  if (today !== undefined && !isDay(today)) throw misused('--today must be a day such as 2026-11-24');
  return {
    files: second === undefined ? [file] : [file, second],
    groups: readGroups(values.only),
    staleDays: Number(staleDays),
    today,
    isStrict: values.strict ?? false,
    isWhole: values.all ?? false,
    isJson: values.json ?? false,
  };
}

/** A relative path is resolved from the working directory, as in the gateway. */
function namedBy(variables: NodeJS.ProcessEnv, workingDirectory: string): string | undefined {
  const named = variables[VARIABLES.catalog.name]?.trim();
  return named === undefined || named === '' ? undefined : resolve(workingDirectory, named);
}

const OPTIONS = {
  only: { type: 'string' },
  'stale-days': { type: 'string' },
  today: { type: 'string' },
  strict: { type: 'boolean' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

function parseWords(words: readonly string[]): ReturnType<typeof parseOptions> {
  try {
    return parseOptions(words);
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

const parseOptions = (words: readonly string[]) =>
  parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });

function readGroups(only: string | undefined): readonly FindingGroup[] {
  if (only === undefined) return FINDING_GROUPS;
  return only.split(',').map((name) => {
    const group = FINDING_GROUPS.find((known) => known === name.trim());
    if (group === undefined) throw misused(`--only takes ${FINDING_GROUPS.join(', ')}, with commas between them`);
    return group;
  });
}

const misused = (message: string): CheckRefused => new CheckRefused(`${message}\n\n${USAGE}`);
