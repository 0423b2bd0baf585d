import { createHash } from 'node:crypto';
import {
  type CatalogProvider,
  type CatalogSnapshot,
  type Endpoint,
  type Model,
  type PluginsConfiguration,
  type ToolsConfiguration,
} from '../core/routing/catalog.js';
import { CatalogDocument } from './document.js';
import type { CatalogFault } from './fault.js';
import { Field } from './field.js';
import { withGeographies } from './read-geographies.js';
import { readModel, type ModelDraft } from './read-model.js';
import type { CredentialSources } from './read-credential.js';
import { isServed, platformsOf, readProvider } from './read-provider.js';
import { readPlugins, type NamedModelField, type PluginsDraft } from './read-plugins.js';
import { readTools, type ToolsDraft } from './read-tools.js';

const FAULTS_REPORTED_MAX = 20;

/** A catalog file as it is on disk. */
export interface CatalogFile {
  /** The name in faults. */
  readonly name: string;
  readonly text: string;
}

/** The values of texts that were parsed without a fault, by text. */
export type ParsedTexts = ReadonlyMap<string, unknown>;

/** The result of reading: a catalog, or the faults of the files (the first 20, by line). */
export type CatalogReading =
  { readonly snapshot: CatalogSnapshot } | { readonly faults: readonly [CatalogFault, ...CatalogFault[]] };

interface FileDraft {
  readonly document: CatalogDocument;
  readonly extendsDefault: boolean;
  readonly providers: ReadonlyMap<string, CatalogProvider>;
  /** No provider was left out because of a fault. */
  readonly providersSound: boolean;
  readonly models: ReadonlyMap<string, ModelDraft>;
  readonly tools: ToolsDraft;
  readonly plugins: PluginsDraft;
}

/**
 * Builds the catalog of a file (docs/operate/catalog.md#the-catalog-file). Pure: the same texts, variables and files of
 * credentials give the same result.
 * @param shipped the base of `extends: default`; absent when there is nothing to extend
 * @param parsed values that need not be parsed again
 * @param keep receives the value of each text that was parsed without a fault
 */
export function readCatalog(
  file: CatalogFile,
  shipped: CatalogFile | undefined,
  sources: CredentialSources,
  parsed: ParsedTexts = new Map(),
  keep: (text: string, value: unknown) => void = () => undefined,
): CatalogReading {
  const readOne = ({ name, text }: CatalogFile): FileDraft => {
    const known = parsed.get(text);
    const document = new CatalogDocument(name, text, known);
    if (known === undefined && document.faults.length === 0) keep(text, document.value);
    return readDocument(document, sources);
  };
  const own = readOne(file);
  const layers = [own];
  const hash = createHash('sha256');
  if (own.extendsDefault && shipped) {
    layers.unshift(readOne(shipped));
    hash.update(shipped.text).update('\0');
  } else if (own.extendsDefault) own.document.refuse(['extends'], 'there is no shipped catalog to extend');
  hash.update(file.text);

  // Same slug or id: the later file replaces the whole entry.
  const providers = new Map(layers.flatMap((layer) => [...layer.providers]));
  const drafts = mergeModels(layers);
  // An entry with a fault is missing here, so dangling references are reported only when no entry is missing for that
  // reason.
  const sound = layers.every(({ document }) => document.faults.length === 0);
  const models = linkModels(
    drafts.values(),
    providers,
    layers.every((layer) => layer.providersSound),
  );
  if (sound) for (const layer of layers) refuseNamed([...layer.tools.named, ...layer.plugins.named], models);
  const tools = layers.reduce<ToolsConfiguration>((all, layer) => ({ ...all, ...layer.tools.tools }), {});
  const plugins = layers.reduce<PluginsConfiguration>((all, layer) => ({ ...all, ...layer.plugins.plugins }), {});

  const [first, ...rest] = layers.flatMap(({ document }) => [...document.faults].sort((a, b) => a.line - b.line));
  if (first) return { faults: [first, ...rest.slice(0, FAULTS_REPORTED_MAX - 1)] };
  return { snapshot: { hash: hash.digest('hex'), providers, models, tools, plugins } };
}

/** Refuses references to models that are missing or unsuitable: each request that needs them would fail. */
function refuseNamed(named: readonly NamedModelField[], models: ReadonlyMap<string, Model>): void {
  for (const { id, field, draws } of named) {
    const model = models.get(id);
    if (!model) field.refuse('names no model of this catalog');
    else if (draws && !model.outputModalities.includes('image')) field.refuse('names a model that makes no images');
  }
}

/** Same id: the later file replaces the whole model; same alias: it moves from a model of the earlier file. */
function mergeModels(layers: readonly FileDraft[]): ReadonlyMap<string, ModelDraft> {
  const merged = new Map<string, ModelDraft>();
  for (const { models } of layers) {
    const taken = new Set([...models.values()].flatMap(({ model }) => model.aliases ?? []));
    for (const [id, draft] of merged) merged.set(id, withoutAliases(draft, taken));
    for (const [id, draft] of models) merged.set(id, draft);
  }
  return merged;
}

function withoutAliases(draft: ModelDraft, taken: ReadonlySet<string>): ModelDraft {
  const { aliases, ...model } = draft.model;
  const left = aliases?.filter((alias) => !taken.has(alias)) ?? [];
  if (left.length === (aliases?.length ?? 0)) return draft;
  return { ...draft, model: { ...model, ...(left.length > 0 && { aliases: left }) } };
}

/** Within a file a name refers to one model. */
function refuseSharedNames(drafts: ReadonlyMap<string, ModelDraft>): void {
  const owners = new Map<string, string>();
  for (const { model, aliases } of drafts.values()) {
    for (const { alias, field } of aliases) {
      const owner = drafts.has(alias) ? alias : owners.get(alias);
      if (owner === undefined) owners.set(alias, model.id);
      else field.refuse(`names "${owner}" already; "${model.id}" needs another alias`);
    }
  }
}

function readDocument(document: CatalogDocument, sources: CredentialSources): FileDraft {
  // A text that is not YAML has reported its faults; reading its absent fields would only add noise.
  const root = document.faults.length === 0 ? new Field(document, [], document.value) : undefined;
  const members = root?.members(['version'], ['extends', 'providers', 'models', 'tools', 'plugins']);
  members?.get('version')?.oneOf([1]);
  const extended = members?.get('extends')?.oneOf(['default']);
  const providers = readEntries(
    members?.get('providers'),
    'slug',
    (item) => readProvider(item, sources),
    ({ slug }) => slug,
  );
  const models = readEntries(members?.get('models'), 'id', readModel, ({ model }) => model.id);
  refuseSharedNames(models);
  return {
    document,
    extendsDefault: extended !== undefined,
    providers,
    providersSound: document.faults.length === 0,
    models,
    tools: readTools(members?.get('tools'), sources),
    plugins: readPlugins(members?.get('plugins'), sources),
  };
}

/** A list of entries with unique names. */
function readEntries<Entry>(
  field: Field | undefined,
  naming: 'slug' | 'id',
  read: (item: Field) => Entry | undefined,
  nameOf: (entry: Entry) => string,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const item of field?.items() ?? []) {
    const entry = read(item);
    if (entry === undefined) continue;
    const name = nameOf(entry);
    if (entries.has(name)) item.refuse(`has the ${naming} "${name}" of an entry before it`);
    else entries.set(name, entry);
  }
  return entries;
}

/** Refuses an endpoint with a dialect in which its provider cannot be called: each of its calls would fail. */
function refuseDialect({ dialect }: Pick<Endpoint, 'dialect'>, provider: CatalogProvider, field: Field): void {
  if (dialect === undefined) return;
  // Only the simulated dialect makes no calls.
  if ((dialect === 'simulated') !== (provider.dialect === 'simulated'))
    field.refuse(`speaks ${provider.dialect}, and none of its endpoints ${dialect}`);
  else if (!isServed(dialect, provider.platform))
    field.refuse(
      provider.platform
        ? `is on the platform ${provider.platform}, which has no address for calls of ${dialect}`
        : `is on no platform, and calls of ${dialect} need ${platformsOf(dialect)}`,
    );
}

/** Replaces the names of providers in endpoints by the providers. */
function linkModels(
  drafts: Iterable<ModelDraft>,
  providers: ReadonlyMap<string, CatalogProvider>,
  providersSound: boolean,
): ReadonlyMap<string, Model> {
  const models = new Map<string, Model>();
  for (const draft of drafts) {
    const endpoints: Endpoint[] = [];
    for (const { providerSlug, providerField, endpoint, geographies } of draft.endpoints) {
      const provider = providers.get(providerSlug);
      if (provider) {
        refuseDialect(endpoint, provider, providerField);
        endpoints.push(withGeographies({ ...endpoint, provider }, geographies));
      } else if (providersSound) providerField.refuse('names no provider of this catalog');
    }
    models.set(draft.model.id, { ...draft.model, endpoints });
  }
  return models;
}
