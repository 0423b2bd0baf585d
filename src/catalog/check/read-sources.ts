import { CatalogDocument } from '../document.js';
import type { CatalogFault } from '../fault.js';
import { Field } from '../field.js';
import { MODEL_ID } from '../read-model.js';
import { isDay, type Day } from './day.js';

/** The source of figures (docs/operate/catalog.md#sources). */
export interface Source {
  readonly id: string;
  readonly title: string;
  /** The address, or `name@version` of a package. */
  readonly location: string;
  readonly readOn: Day;
  /** The day of its data, where it is published. */
  readonly publishedOn?: Day;
}

/**
 * The basis of the maximum of an image or a page: its vendor's own figure, that of a relative of the model, that of a
 * third party, or the largest known figure of any model.
 */
export const MEDIA_BASES = ['vendor', 'family', 'third-party', 'assumed'] as const;
export type MediaBasis = (typeof MEDIA_BASES)[number];

/** The source of each figure, by the figure's name in the catalog file. */
export type FigureSources = ReadonlyMap<string, Source>;

/** The sources of the shipped catalog's figures. */
export interface CatalogSources {
  readonly providers: ReadonlyMap<string, FigureSources>;
  readonly models: ReadonlyMap<string, ModelSources>;
  /** Sources of the maximum of an image or a page, by id of the models whose maximum is not their vendor's own. */
  readonly mediaBases: ReadonlyMap<string, MediaBasis>;
}

export interface ModelSources {
  readonly figures: FigureSources;
  /** Sources of endpoints, by tag. */
  readonly endpoints: ReadonlyMap<string, FigureSources>;
}

/** Relative to the folder of the package. */
export const SOURCES_FILE = 'catalog/sources.yaml';

const TAG = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)?$/;
const FIGURE = /^[a-z][a-z0-9_]*$/;

/** Reads a file of sources: all of it, or its faults. */
export function readSources(
  file: string,
  text: string,
): { readonly sources: CatalogSources } | { readonly faults: readonly [CatalogFault, ...CatalogFault[]] } {
  const document = new CatalogDocument(file, text);
  const root = document.faults.length === 0 ? new Field(document, [], document.value) : undefined;
  const members = root?.members(['version', 'sources', 'providers', 'models'], ['media_bases']);
  members?.get('version')?.oneOf([1]);
  const known = new Map<string, Source>();
  for (const item of members?.get('sources')?.items() ?? []) {
    const source = readSource(item);
    if (source) known.set(source.id, source);
  }
  const providers = new Map(
    members
      ?.get('providers')
      ?.entries()
      .map(([slug, field]) => [slug, readFigures(field, known)] as const),
  );
  const models = new Map(
    members
      ?.get('models')
      ?.entries(MODEL_ID, 'author/slug')
      .map(([id, field]) => [id, readModelSources(field, known)] as const),
  );
  const mediaBases = readMediaBases(members?.get('media_bases'));
  const [first, ...others] = document.faults;
  return first ? { faults: [first, ...others] } : { sources: { providers, models, mediaBases } };
}

function readMediaBases(field: Field | undefined): ReadonlyMap<string, MediaBasis> {
  const members = field?.members([], MEDIA_BASES);
  const entries = [...(members ?? [])].flatMap(([basis, ids]) =>
    ids.items().flatMap((item) => {
      const id = item.matching(MODEL_ID, 'author/slug');
      return id === undefined ? [] : [[id, basis] as const];
    }),
  );
  return new Map(entries);
}

function readSource(field: Field): Source | undefined {
  const members = field.members(['id', 'title', 'read'], ['url', 'package', 'published', 'licence']);
  if (!members) return undefined;
  const url = members.get('url');
  const packageField = members.get('package');
  if ((url === undefined) === (packageField === undefined))
    return field.refuse('must have exactly one of url and package');
  const id = members.get('id')?.slug();
  const title = members.get('title')?.text();
  const location = (url ?? packageField)?.text();
  const readOn = readDay(members.get('read'));
  const publishedOn = readDay(members.get('published'));
  if (id === undefined || title === undefined || location === undefined || readOn === undefined) return undefined;
  return { id, title, location, readOn, ...(publishedOn !== undefined && { publishedOn }) };
}

function readDay(field: Field | undefined): Day | undefined {
  const text = field?.text();
  return text === undefined || isDay(text) ? text : field?.refuse('must be a day such as 2026-11-24');
}

function readModelSources(field: Field, known: ReadonlyMap<string, Source>): ModelSources {
  const entries = field.entries(FIGURE, 'as a field of the catalog');
  const own = entries.filter(([name]) => name !== ENDPOINTS);
  const endpoints = entries.find(([name]) => name === ENDPOINTS)?.[1];
  return {
    figures: linkSources(own, known),
    endpoints: new Map(
      endpoints
        ?.entries(TAG, 'as the tag of an endpoint')
        .map(([tag, figures]) => [tag, readFigures(figures, known)] as const),
    ),
  };
}

const ENDPOINTS = 'endpoints';

const readFigures = (field: Field, known: ReadonlyMap<string, Source>): FigureSources =>
  linkSources(field.entries(FIGURE, 'as a field of the catalog'), known);

function linkSources(
  entries: readonly (readonly [string, Field])[],
  known: ReadonlyMap<string, Source>,
): FigureSources {
  const linked = new Map<string, Source>();
  for (const [figure, field] of entries) {
    const id = field.slug();
    const source = id === undefined ? undefined : known.get(id);
    if (source) linked.set(figure, source);
    else if (id !== undefined) field.refuse('names no source of this file');
  }
  return linked;
}
