import { readFileSync } from 'node:fs';
import { CatalogDocument } from '../../src/catalog/document.js';
import { Field } from '../../src/catalog/field.js';
import { DIALECT_IDS, PLATFORM_IDS, type DialectId, type PlatformId } from '../../src/core/routing/catalog.js';
import type { Source } from '../catalog-sources.js';
import { readCommonSources, refuse, type Sources } from './common-sources.js';
import { describeAuthorFault } from './read-author-file.js';
import { readFact, readTexts } from './read-model-facts.js';
import { SourceNames } from './source-names.js';

const FILE = 'catalog/providers.yaml';

/** The published rules of a provider about data of API calls: the defaults for everybody and all of its models. */
export interface ProviderPolicy {
  readonly collectsData?: boolean;
  readonly trains?: boolean;
  /** Longest retention. */
  readonly retentionDays?: number;
  readonly zeroDataRetention?: boolean;
  readonly source: Source;
}

/** A provider of the shipped catalog (docs/operate/add-a-model.md#providers). */
export interface ProviderEntry {
  readonly slug: string;
  readonly name: string;
  readonly dialect: DialectId;
  /** Absent: `direct`. */
  readonly platform?: PlatformId;
  /** The path of the dialect, or of the platform, is appended to it. */
  readonly baseUrl: string;
  /** The variable of the process that holds the operator's credential. */
  readonly credentialVariable: string;
  /** The source of dialect and address. */
  readonly source: Source;
  /** Whether the provider puts a path before the names of models, which the price package omits. */
  readonly namesArePaths: boolean;
  /** Whether the provider bills a stream in full although the client has disconnected. */
  readonly billsLeftStreams: boolean;
  /** Request fields that it takes for all models of the catalog; absent: no source lists them. */
  readonly parameters?: readonly string[];
  readonly parametersSource: Source;
  /** Reasoning is requested in a field of the list, and taken by the models that a table lists as reasoning. */
  readonly reasonsByModel: boolean;
  readonly policy?: ProviderPolicy;
}

/** @throws with every fault of the file */
export function readProviders(): readonly ProviderEntry[] {
  const { providers, faults } = readProviderFile(FILE, readFileSync(FILE, 'utf8'), readCommonSources());
  refuse(faults);
  return providers;
}

/** @param common sources that every file may name */
export function readProviderFile(
  file: string,
  text: string,
  common: Sources,
): { readonly providers: readonly ProviderEntry[]; readonly faults: readonly string[] } {
  const document = new CatalogDocument(file, text);
  const root = document.faults.length === 0 ? new Field(document, [], document.value) : undefined;
  const sources = new SourceNames(undefined, common);
  const items = root?.members(['providers'])?.get('providers')?.items() ?? [];
  const providers = items.map((field) => readProvider(field, sources)).filter((provider) => provider !== undefined);
  return { providers, faults: document.faults.map((fault) => describeAuthorFault(fault, document.value)) };
}

function readProvider(field: Field, sources: SourceNames): ProviderEntry | undefined {
  const members = field.members(
    ['slug', 'name', 'dialect', 'base_url', 'credential', 'source'],
    ['platform', 'names_are_paths', 'bills_left_streams', 'parameters', 'reasons_by_model', 'policy'],
  );
  if (!members) return undefined;
  const slug = members.get('slug')?.slug();
  const name = members.get('name')?.text();
  const dialect = members.get('dialect')?.oneOf(DIALECT_IDS);
  const platform = members.get('platform')?.oneOf(PLATFORM_IDS);
  const baseUrl = members.get('base_url')?.matching(/^https:\/\/\S+[^/]$/, 'an https address without a slash at its end');
  const variable = members.get('credential')?.matching(/^[A-Z][A-Z0-9_]+$/, 'the name of a variable');
  const source = sources.find(members.get('source'));
  const listed = readParameters(members.get('parameters'), sources);
  const policy = readPolicy(members.get('policy'), sources);
  const flag = (key: 'names_are_paths' | 'bills_left_streams' | 'reasons_by_model'): boolean =>
    members.get(key)?.flag() === true;
  if (slug === undefined || name === undefined || dialect === undefined || baseUrl === undefined) return undefined;
  if (variable === undefined || !source) return undefined;
  return {
    slug,
    name,
    dialect,
    ...(platform !== undefined && { platform }),
    baseUrl,
    credentialVariable: variable,
    source,
    namesArePaths: flag('names_are_paths'),
    billsLeftStreams: flag('bills_left_streams'),
    ...(listed && { parameters: listed.value }),
    parametersSource: listed?.source ?? source,
    reasonsByModel: flag('reasons_by_model'),
    ...(policy && { policy }),
  };
}

/** A list alone is of the provider's own source. */
function readParameters(
  field: Field | undefined,
  sources: SourceNames,
): { readonly value: readonly string[]; readonly source?: Source } | undefined {
  if (!field) return undefined;
  return field.isObject() ? readFact(field, sources, readTexts) : { value: readTexts(field) };
}

function readPolicy(field: Field | undefined, sources: SourceNames): ProviderPolicy | undefined {
  const members = field?.members(['source'], ['collects_data', 'trains', 'retention_days', 'zero_data_retention']);
  const source = sources.find(members?.get('source'));
  if (!members || !source) return undefined;
  const collectsData = members.get('collects_data')?.flag();
  const trains = members.get('trains')?.flag();
  const retentionDays = members.get('retention_days')?.wholeNumber();
  const zeroDataRetention = members.get('zero_data_retention')?.flag();
  return {
    ...(collectsData !== undefined && { collectsData }),
    ...(trains !== undefined && { trains }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(zeroDataRetention !== undefined && { zeroDataRetention }),
    source,
  };
}
