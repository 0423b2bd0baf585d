import type { Field } from '../../src/catalog/field.js';
import { packageSource, pageSource, type Source } from '../catalog-sources.js';

const PAGE = /^https:\/\/\S+$/;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+@\d\S*$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const A_DAY = 'a day such as 2026-11-24';

/** The sources that facts of one file may name, and which of them a fact has named. */
export class SourceNames {
  private readonly own = new Map<string, { readonly source: Source; readonly field: Field; isUsed: boolean }>();

  /** @param common of all files */
  constructor(
    fields: Field | undefined,
    private readonly common: Pick<SourceNames, 'named'> | undefined,
  ) {
    for (const [name, field] of fields?.entries() ?? []) {
      const source = readSource(field);
      if (source) this.own.set(name, { source, field, isUsed: false });
    }
  }

  named(name: string): Source | undefined {
    const own = this.own.get(name);
    if (!own) return this.common?.named(name);
    own.isUsed = true;
    return own.source;
  }

  /** @param field the name of a source, or the source itself where one fact alone has it */
  find(field: Field | undefined): Source | undefined {
    if (!field) return undefined;
    if (field.isObject()) return readSource(field);
    const name = field.text();
    return name === undefined
      ? undefined
      : (this.named(name) ?? field.refuse(`names no source: "${name}" is in no list of sources`));
  }

  refuseUnused(): void {
    for (const { field, isUsed } of this.own.values()) if (!isUsed) field.refuse('is a source that no fact names');
  }
}

function readSource(field: Field): Source | undefined {
  const members = field.members(['read'], ['id', 'title', 'url', 'package', 'published', 'licence', 'as_of']);
  if (!members) return undefined;
  const day = (name: 'read' | 'published'): string | undefined => members.get(name)?.matching(DAY, A_DAY);
  const [page, packageField] = [members.get('url'), members.get('package')];
  if ((page === undefined) === (packageField === undefined))
    return field.refuse('must have exactly one of url and package');
  const url = page?.matching(PAGE, 'an address that begins with https://');
  const name = packageField?.matching(PACKAGE, 'a package and its version, such as "openai@6.49.0"');
  const [read, published] = [day('read'), day('published')];
  const more = {
    id: members.get('id')?.slug(),
    title: members.get('title')?.text(),
    licence: members.get('licence')?.text(),
    asOf: members.get('as_of')?.text(),
    published,
  };
  if (read === undefined) return undefined;
  if (url !== undefined) return pageSource(url, read, more);
  return name === undefined ? undefined : packageSource(name, read, more);
}
