import { CatalogDocument } from '../../src/catalog/document.js';
import type { CatalogFault } from '../../src/catalog/fault.js';
import { Field } from '../../src/catalog/field.js';
import { MODEL_ID } from '../../src/catalog/read-model.js';
import type { EndpointEntry, ModelEntry, ModelFacts, SharedFacts } from './author-file.js';
import { ENDPOINT_FACTS, readEndpoint, readEndpointFacts } from './read-endpoint.js';
import { MODEL_FACTS, readModelFacts } from './read-model-facts.js';
import { SourceNames } from './source-names.js';

/** The content of a file of catalog/models, or its faults. */
export type AuthorReading =
  | { readonly models: readonly ModelEntry[] }
  | { readonly faults: readonly [string, ...string[]] };

/**
 * Reads the file of one author (docs/operate/add-a-model.md).
 * @param author as its name has it, which every id in it begins with
 * @param common sources that every file may name
 */
export function readAuthorFile(
  file: string,
  text: string,
  author: string,
  common: Pick<SourceNames, 'named'>,
): AuthorReading {
  const document = new CatalogDocument(file, text);
  const models = document.faults.length > 0 ? [] : new AuthorReader(document, author, common).read();
  const [first, ...others] = document.faults.map((fault) => describeAuthorFault(fault, document.value));
  return first === undefined ? { models } : { faults: [first, ...others] };
}

/** `catalog/models/openai.yaml:12: openai/gpt-5, endpoints.0.model: is required`: entries by their id or slug. */
export function describeAuthorFault({ file, line, field, message }: CatalogFault, value: unknown): string {
  const [, index, rest = ''] = /^(?:models|providers)\.(\d+)(?:\.(.+))?$/.exec(field) ?? [];
  const { models, providers } = (value ?? {}) as Partial<Record<'models' | 'providers', readonly NamedEntry[]>>;
  const entry = index === undefined ? undefined : (models ?? providers)?.[Number(index)];
  const id = entry?.id ?? entry?.slug;
  const where = typeof id === 'string' ? [id, rest].filter((part) => part !== '').join(', ') : field;
  return `${file}:${line}: ${where === '' ? '' : `${where}: `}${message}`;
}

interface NamedEntry {
  readonly id?: unknown;
  readonly slug?: unknown;
}

class AuthorReader {
  private readonly shared = new Map<string, { readonly facts: SharedFacts; readonly field: Field }>();
  private readonly used = new Set<string>();

  constructor(
    private readonly document: CatalogDocument,
    private readonly author: string,
    private readonly common: Pick<SourceNames, 'named'>,
  ) {}

  read(): readonly ModelEntry[] {
    const root = new Field(this.document, [], this.document.value).members(['author', 'models'], ['sources', 'shared']);
    if (!root) return [];
    root.get('author')?.oneOf([this.author]);
    const sources = new SourceNames(root.get('sources'), this.common);
    for (const [name, field] of root.get('shared')?.entries() ?? []) {
      const facts = readShared(field, sources);
      if (facts) this.shared.set(name, { facts, field });
    }
    const models = (root.get('models')?.items() ?? []).map((field) => this.readModel(field, sources));
    for (const [name, { field }] of this.shared) if (!this.used.has(name)) field.refuse('is used by no model');
    sources.refuseUnused();
    return models.filter((model) => model !== undefined);
  }

  private readModel(field: Field, sources: SourceNames): ModelEntry | undefined {
    const members = field.members(['id', 'name', 'endpoints'], ['uses', ...MODEL_FACTS]);
    if (!members) return undefined;
    const id = this.readId(members.get('id'));
    const name = members.get('name')?.text();
    const shared = this.readUses(members.get('uses'));
    const facts = merged<ModelFacts>([...shared.map(({ model }) => model), readModelFacts(members, sources)]);
    const endpoints = this.readEndpoints(members.get('endpoints'), sources, shared);
    return id === undefined || name === undefined ? undefined : { ...facts, id, name, endpoints };
  }

  private readId(field: Field | undefined): string | undefined {
    const id = field?.matching(MODEL_ID, 'author/slug or author/slug:variant');
    return id === undefined || id.startsWith(`${this.author}/`) ? id : field?.refuse(`must begin with ${this.author}/`);
  }

  /** Later ones win over earlier ones. */
  private readUses(field: Field | undefined): readonly SharedFacts[] {
    return (field?.items() ?? []).flatMap((item) => {
      const name = item.text();
      const found = name === undefined ? undefined : this.shared.get(name);
      if (name === undefined) return [];
      if (!found) item.refuse(`names no shared facts: "${name}" is not under shared`);
      this.used.add(name);
      return found ? [found.facts] : [];
    });
  }

  private readEndpoints(
    field: Field | undefined,
    sources: SourceNames,
    shared: readonly SharedFacts[],
  ): readonly EndpointEntry[] {
    const items = field?.items() ?? [];
    if (field && items.length === 0) field.refuse('must have at least one endpoint');
    return items.flatMap((item) => {
      const endpoint = readEndpoint(item, sources);
      if (!endpoint) return [];
      const facts = shared.map(({ endpoints: known }) => known.get(endpoint.provider) ?? {});
      return [{ ...merged(facts), ...endpoint }];
    });
  }
}

/** Later ones win. */
const merged = <Facts extends object>(facts: readonly Facts[]): Partial<Facts> =>
  facts.reduce<Partial<Facts>>((whole, one) => ({ ...whole, ...one }), {});

function readShared(field: Field, sources: SourceNames): SharedFacts | undefined {
  const members = field.members([], [...MODEL_FACTS, 'endpoints']);
  if (!members) return undefined;
  const endpoints = (members.get('endpoints')?.entries() ?? []).map(([slug, facts]) => {
    const known = facts.members([], ENDPOINT_FACTS);
    return [slug, known ? readEndpointFacts(known, sources) : {}] as const;
  });
  return { model: readModelFacts(members, sources), endpoints: new Map(endpoints) };
}
