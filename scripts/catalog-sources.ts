/**
 * Where the figures of the shipped catalog come from, written beside it as `catalog/sources.yaml`
 * (docs/catalog.md#sources).
 */

/** A page, or a package with data. */
export interface Source {
  readonly id: string;
  readonly title: string;
  /** Of a page; else `package`. */
  readonly url?: string;
  /** `name@version`. */
  readonly package?: string;
  /** When it was read: `YYYY-MM-DD`. */
  readonly read: string;
  /** The day of its data, where it tells. */
  readonly published?: string;
  readonly licence?: string;
}

const PAGE = /^https:\/\/\S+/;
/** A package and its version, as references name them: `@scope/name 1.2.3`. */
const PACKAGE = /^(\S+) (\d\S*)$/;

/** Collects what is cited, each source once. */
export class SourceBook {
  private readonly sources = new Map<string, Source>();

  /** @returns its id. Of one that was read on several days the earliest counts: some figure is of that day. */
  add(source: Source): string {
    const known = this.sources.get(source.id);
    if (known && (known.url !== source.url || known.package !== source.package))
      throw new Error(`${source.id}: two sources of this name.`);
    if (!known || source.read < known.read) this.sources.set(source.id, source);
    return source.id;
  }

  /**
   * @param reference the address of a page, or a package and its version
   * @param read `YYYY-MM-DD`
   * @param told what it tells of itself
   */
  cite(reference: string, read: string, told: Pick<Source, 'published' | 'licence'> = {}): string {
    const [, name, version] = PACKAGE.exec(reference) ?? [];
    if (name !== undefined && !PAGE.test(reference))
      return this.add({ id: idOf(name), title: name, package: `${name}@${version}`, read });
    const [url] = PAGE.exec(reference) ?? [];
    if (url === undefined) throw new Error(`${reference}: neither a page nor a package.`);
    const title = url.replace(/^https:\/\//, '');
    return this.add({ id: idOf(title), title, url, read, ...told });
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
