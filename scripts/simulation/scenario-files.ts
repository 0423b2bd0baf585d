import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { judgeContent, readContent } from '../../src/catalog/catalog-files.js';
import { describeFault } from '../../src/catalog/fault.js';
import type { CatalogSnapshot } from '../../src/core/routing/catalog.js';
import { readScenario, readScenarioFile, ScenarioRefused, type ScenarioDraft } from './read-scenario.js';
import type { LabelledPrompt, Scenario } from './scenario.js';

/** Limit of files of a scenario: more means a cycle. */
const FILES_MAX = 8;

/** The shipped files: the word `default` refers to these. */
export interface ShippedFiles {
  /** Absolute paths. */
  readonly scenario: string;
  readonly catalog: string;
}

/** A scenario with the path of the catalog it names, if any. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly catalogPath?: string;
}

/**
 * Reads a scenario and the files it extends.
 * @param path absolute
 * @throws ScenarioRefused
 */
export async function loadScenario(path: string, shipped: ShippedFiles): Promise<LoadedScenario> {
  const drafts: ScenarioDraft[] = [];
  let catalogPath: string | undefined;
  for (let next: string | undefined = path; next !== undefined;) {
    const read = readScenarioFile(displayName(next), await readText(next));
    const draft: ScenarioDraft = { ...read, prompts: await readPrompts(read, next) };
    drafts.unshift(draft);
    if (drafts.length > FILES_MAX) throw new ScenarioRefused(`${draft.file}: extends: too many files, or a circle`);
    const { extends: extended, catalog } = draft.wire;
    catalogPath ??= catalog && named(catalog, next, shipped.catalog);
    next = extended && named(extended, next, shipped.scenario);
  }
  const scenario = readScenario(drafts);
  return { scenario, ...(catalogPath !== undefined && { catalogPath }) };
}

/**
 * @param path absolute
 * @throws ScenarioRefused when the catalog cannot be used
 */
export async function loadCatalog(path: string, shipped: ShippedFiles): Promise<CatalogSnapshot> {
  // No secret is read: the scenario defines which providers the operator can call.
  const content = await readContent({ path, shippedPath: shipped.catalog });
  const { reading } = judgeContent(content, () => undefined);
  if ('faults' in reading) throw new ScenarioRefused(reading.faults.map(describeFault).join('\n'));
  return reading.snapshot;
}

/** One prompt per line, as JSON. */
async function readPrompts(
  { wire }: ScenarioDraft,
  path: string,
): Promise<ReadonlyMap<string, readonly LabelledPrompt[]>> {
  const prompts = new Map<string, readonly LabelledPrompt[]>();
  for (const { prompts: file } of wire.traffic ?? []) {
    if (file === undefined || prompts.has(file)) continue;
    const lines = (await readText(resolve(dirname(path), file))).trim().split('\n');
    prompts.set(
      file,
      lines.map((line) => JSON.parse(line) as LabelledPrompt),
    );
  }
  return prompts;
}

const named = (name: string, from: string, shipped: string): string =>
  name === 'default' ? shipped : resolve(dirname(from), name);

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'for an unknown reason';
    throw new ScenarioRefused(`${displayName(path)}: cannot be read (${code})`);
  }
}

function displayName(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
