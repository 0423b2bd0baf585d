/**
 * The sources of the figures in the shipped catalog, written beside it as `catalog/sources.yaml`
 * (docs/operate/catalog.md#sources).
 */

/** A page, or a package with data. */
export interface Source {
  readonly id: string;
  readonly title: string;
  /** The URL of a page; absent: the source is `package`. */
  readonly url?: string;
  /** `name@version`. */
  readonly package?: string;
  /** When it was read: `YYYY-MM-DD`. */
  readonly read: string;
  /** The day of its data, where it names one. */
  readonly published?: string;
  readonly licence?: string;
  /** The month that the page itself names, as the catalog shows it beside its prices. */
  readonly asOf?: string;
}

/** Optional facts about a source, besides its place and its day. */
type SourceDetails = { readonly [Name in 'id' | 'title' | 'published' | 'licence' | 'asOf']?: string | undefined };

/** @param url its address */
export const pageSource = (url: string, read: string, details: SourceDetails = {}): Source =>
  describe({ url, read }, url.replace(/^https:\/\//, ''), details);

/** @param reference `name@version` */
export const packageSource = (reference: string, read: string, details: SourceDetails = {}): Source =>
  describe({ package: reference, read }, reference.slice(0, reference.lastIndexOf('@')), details);

function describe(location: Omit<Source, 'id' | 'title'>, name: string, details: SourceDetails): Source {
  const { id, title = name, ...others } = details;
  const stated = Object.entries(others).filter(([, value]) => value !== undefined);
  return { ...location, id: id ?? idOf(title), title, ...Object.fromEntries(stated) };
}

/** Collects what is cited, each source once. */
export class SourceList {
  private readonly sources = new Map<string, Source>();

  /** @returns its id. Of one that was read on several days the earliest counts: some figure is of that day. */
  add(source: Source): string {
    const known = this.sources.get(source.id);
    if (known && (known.url !== source.url || known.package !== source.package))
      throw new Error(`${source.id}: two sources of this name.`);
    if (!known || source.read < known.read) this.sources.set(source.id, source);
    return source.id;
  }

  list(): readonly Source[] {
    return [...this.sources.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
