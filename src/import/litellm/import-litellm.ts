import { Document, isCollection, isPair, isScalar, isSeq, visit } from 'yaml';
import { readCatalog, type CatalogFile } from '../../catalog/read-catalog.js';
import { describeFault } from '../../catalog/fault.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { modelId } from '../../core/routing/resolve-model.js';
import { ImportRefused } from '../import-refused.js';
import type { Note, Remark } from '../remark.js';
import { assignProviders, type ProviderEntry } from './assign-providers.js';
import { describeEndpoint, type DescribedEndpoint } from './describe-endpoint.js';
import { findUpstream, type Upstream } from './find-upstream.js';
import { gatherModels, type ModelEntry } from './gather-models.js';
import { isAlias } from './name-models.js';
import { noteDeployment, noteSettings } from './note-not-carried.js';
import { readConfig, titleOf, type Deployment } from './read-config.js';
import { ShippedEndpoints } from './shipped-endpoints.js';
import { ConfigValues } from './config-values.js';
import { textOf } from '../text-of.js';

/** The result of an import. */
export interface LitellmImport {
  /** A catalog file that the gateway reads. */
  readonly text: string;
  readonly models: number;
  readonly providers: number;
  readonly remarks: readonly Remark[];
}

/** Inputs of an import besides the file. */
export interface LitellmSurroundings {
  /** The shipped catalog: prices, addresses and terms of its providers. */
  readonly shipped: CatalogFile;
  /** Variables of the process, which may contain addresses. No key is read. */
  readonly variables: NodeJS.ProcessEnv;
}

/**
 * Converts a configuration of LiteLLM's proxy into a catalog, and notes what could not be carried over
 * (docs/operate/importing.md#litellm). Pure. Neither the catalog nor a remark contains a key of the file.
 * @throws ImportRefused for what is no such configuration
 */
export function importLitellm(text: string, { shipped, variables }: LitellmSurroundings): LitellmImport {
  const remarks: Remark[] = [];
  const note: Note = (group, location, message) => void remarks.push({ group, location, message });
  const snapshot = snapshotOf(shipped, undefined);
  const { deployments, settings } = readConfig(text, note);
  const own = settings['environment_variables'];
  const values = new ConfigValues(isJsonObject(own) ? own : {}, variables);
  const carried = carryOver(deployments, snapshot, values, note);
  const { slugs, entries } = assignProviders(
    carried.map(({ upstream }) => upstream),
    snapshot.providers.keys(),
    note,
  );
  const located = carried.map(({ deployment: { location, name }, endpoint }, index) => ({
    location,
    name,
    endpoint,
    provider: slugs[index]!,
  }));
  const models = withAliases(gatherModels(located, note), settings, note);
  for (const { deployment, upstream } of carried) noteDeployment(deployment, upstream, note);
  noteSettings(settings, note);
  const written = print(entries, [...models.values()]);
  noteNames(models, snapshot, snapshotOf({ name: 'the imported catalog', text: written }, shipped), note);
  return { text: written, models: models.size, providers: entries.length, remarks };
}

interface CarriedDeployment {
  readonly deployment: Deployment;
  readonly upstream: Upstream;
  readonly endpoint: DescribedEndpoint;
}

/** Modes of LiteLLM's that the faces serve. */
const MODES: readonly unknown[] = [undefined, null, 'chat', 'completion', 'responses'];

function carryOver(
  deployments: readonly Deployment[],
  snapshot: CatalogSnapshot,
  values: ConfigValues,
  note: Note,
): readonly CarriedDeployment[] {
  const shipped = new ShippedEndpoints(snapshot);
  return deployments.flatMap((deployment) => {
    const { name, params, info } = deployment;
    const leave = (message: string): [] => {
      note('left-out', titleOf(deployment), message);
      return [];
    };
    if (name.includes('*') || textOf(params['model'])?.includes('*'))
      return leave(
        'is a wildcard: models of the shipped catalog are there by their own names, others need an entry each',
      );
    if (!MODES.includes(info['mode'])) return leave('is no model of chats, by `mode` of its model_info');
    const reading = findUpstream({ params, shipped: snapshot.providers, values });
    if ('fault' in reading) return leave(reading.fault);
    const endpoint = describeEndpoint(deployment, reading.upstream, shipped, note);
    return endpoint ? [{ deployment, upstream: reading.upstream, endpoint }] : [];
  });
}

/** `model_group_alias` gives a model a second name: `{ "gpt-4": "gpt-4o" }`, or an object with `model`. */
function withAliases(
  models: ReadonlyMap<string, ModelEntry>,
  settings: JsonObject,
  note: Note,
): ReadonlyMap<string, ModelEntry> {
  const router = settings['router_settings'];
  const aliases = isJsonObject(router) && isJsonObject(router['model_group_alias']) ? router['model_group_alias'] : {};
  const named = new Map(models);
  const taken = new Set([...models.values()].flatMap(({ id, aliases: own = [] }) => [id, ...own]));
  for (const [alias, target] of Object.entries(aliases)) {
    const name = textOf(isJsonObject(target) ? target['model'] : target);
    const model = name === undefined ? undefined : named.get(name);
    if (!model || !isAlias(alias) || taken.has(alias)) {
      note(
        'not-carried',
        `router_settings.model_group_alias.${alias}`,
        model ? 'cannot be a further name of a model' : 'names no model that was carried over',
      );
      continue;
    }
    taken.add(alias);
    named.set(name!, { ...model, aliases: [...(model.aliases ?? []), alias] });
  }
  return named;
}

/** Notes names that refer to another model than before, and shipped models that the file replaces. */
function noteNames(
  models: ReadonlyMap<string, ModelEntry>,
  shipped: CatalogSnapshot,
  written: CatalogSnapshot,
  note: Note,
): void {
  for (const [name, { id }] of models) {
    if (modelId(written, name) !== id)
      note('names', name, `is no longer available by this name: clients have to request ${id}`);
    if (shipped.models.has(id))
      note('names', id, 'is in the place of the shipped model of that id, with your endpoints alone');
  }
}

const HEAD = `Written by \`npm run fairlead -- import litellm\`: read it, set the variables it names, and judge it by
\`npm run fairlead -- check\` before FAIRLEAD_CATALOG names it.`;

function print(providers: readonly ProviderEntry[], models: readonly ModelEntry[]): string {
  const head = HEAD.replace(/^/gm, '# ');
  const document = new Document(
    { version: 1, extends: 'default', providers, models },
    { aliasDuplicateObjects: false },
  );
  // Lists of words, prices and the like on one line each.
  visit(document, {
    Collection: (_, node) => {
      node.flow = node.items.every((item) => isScalar(item) || (isPair(item) && isScalar(item.value)));
    },
  });
  for (const list of ['providers', 'models']) unfold(document.get(list));
  return `${head}\n${document.toString({ lineWidth: 0, flowCollectionPadding: true })}`;
}

/** Puts each key of an entry on a separate line. */
function unfold(list: unknown): void {
  if (isSeq(list)) for (const entry of list.items) if (isCollection(entry)) entry.flow = false;
}

/** The catalog as the gateway reads it. Each variable resolves to its own name, so that no key is read. */
function snapshotOf(file: CatalogFile, shipped: CatalogFile | undefined): CatalogSnapshot {
  const reading = readCatalog(file, shipped, {
    variable: (name) => name,
    file: () => ({ failure: 'is not read here' }),
  });
  if ('snapshot' in reading) return reading.snapshot;
  // A fault of this command: nothing that a gateway would refuse is written.
  throw new ImportRefused(`cannot be carried over, by a fault of this command: ${describeFault(reading.faults[0])}`);
}
