import type { CatalogSnapshot, Endpoint, Model } from '../../core/routing/catalog.js';
import { endpointFigures, modelFigures, providerFigures, toolFigures, type Figures } from './figures.js';

/** A figure that differs between the catalogs. */
export interface FigureChange {
  /** `openai`, `openai/gpt-5`, `openai/gpt-5 at azure/eu`, `tools`. */
  readonly subject: string;
  /** The name of the figure in the file. */
  readonly figure: string;
  /** Absent: the older catalog does not have it. */
  readonly before?: string;
  /** Absent: the newer catalog does not have it. */
  readonly after?: string;
}

/** The differences between two catalogs. Providers by slug, models by id, endpoints as `model at tag`. */
export interface CatalogChanges {
  readonly added: EntryNames;
  readonly removed: EntryNames;
  readonly figures: readonly FigureChange[];
}

/** Endpoints only of models that are in both: those of an added or removed model are not listed separately. */
export interface EntryNames {
  readonly providers: readonly string[];
  readonly models: readonly string[];
  readonly endpoints: readonly string[];
}

/** Credentials and the order of entries are not compared. */
export function compareCatalogs(before: CatalogSnapshot, after: CatalogSnapshot): CatalogChanges {
  const models = pairs(before.models, after.models);
  const endpoints = models.flatMap(([id, old, now]) =>
    pairs(byTag(old), byTag(now)).map(([tag, oldEndpoint, newEndpoint]) => ({
      subject: nameEndpoint(id, tag),
      before: endpointFigures(oldEndpoint, old),
      after: endpointFigures(newEndpoint, now),
    })),
  );
  const providers = pairs(before.providers, after.providers);
  const figures = [
    ...providers.map(([subject, old, now]) => ({
      subject,
      before: providerFigures(old),
      after: providerFigures(now),
    })),
    ...models.map(([subject, old, now]) => ({ subject, before: modelFigures(old), after: modelFigures(now) })),
    ...endpoints,
    { subject: 'tools', before: toolFigures(before.tools), after: toolFigures(after.tools) },
  ].flatMap((entry) => listChanges(entry.subject, entry.before, entry.after));
  return { added: onlyIn(after, before), removed: onlyIn(before, after), figures };
}

export const nameEndpoint = (model: string, tag: string): string => `${model} at ${tag}`;

/** Entries that are in both. */
const pairs = <Entry>(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): readonly (readonly [name: string, before: Entry, after: Entry])[] =>
  [...before].flatMap(([name, old]) => {
    const now = after.get(name);
    return now === undefined ? [] : [[name, old, now] as const];
  });

const byTag = ({ endpoints }: Model): ReadonlyMap<string, Endpoint> =>
  new Map(endpoints.map((endpoint) => [endpoint.tag, endpoint]));

function onlyIn(catalog: CatalogSnapshot, compared: CatalogSnapshot): EntryNames {
  return {
    providers: [...catalog.providers.keys()].filter((slug) => !compared.providers.has(slug)),
    models: [...catalog.models.keys()].filter((id) => !compared.models.has(id)),
    endpoints: pairs(catalog.models, compared.models).flatMap(([id, model, there]) => {
      const tags = byTag(there);
      return model.endpoints.filter(({ tag }) => !tags.has(tag)).map(({ tag }) => nameEndpoint(id, tag));
    }),
  };
}

function listChanges(subject: string, before: Figures, after: Figures): readonly FigureChange[] {
  const changes: FigureChange[] = [];
  for (const figure of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(figure), after.get(figure)];
    if (old === now) continue;
    changes.push({
      subject,
      figure,
      ...(old !== undefined && { before: old }),
      ...(now !== undefined && { after: now }),
    });
  }
  return changes;
}
