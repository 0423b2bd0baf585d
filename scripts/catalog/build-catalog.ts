import { MEDIA_BASES, type MediaBasis } from '../../src/catalog/check/read-sources.js';
import { PROVIDERS } from '../catalog-providers.js';
import { SourceList, type Source } from '../catalog-sources.js';
import { PRICE_DATE, TABLE_SOURCES } from '../catalog-tables.js';
import type { ModelEntry } from './author-file.js';
import { modelEntry } from './model-entry.js';
import { list, object, originsOf } from './printing.js';
import { providerEntry } from './provider-entry.js';
import { fusionLines, sandboxModelLines, sandboxProviderLines } from './sandbox-entries.js';

/** Both files. */
export interface BuiltCatalog {
  readonly catalog: string;
  readonly sources: string;
}

/** The shipped catalog and its sources: the same models give the same bytes. */
export function buildCatalog(models: readonly ModelEntry[]): BuiltCatalog {
  const book = new SourceList();
  for (const source of TABLE_SOURCES.values()) book.add(source);
  const providers = PROVIDERS.map((provider) => [provider.slug, providerEntry(book, provider)] as const);
  const written = models.map((model) => modelEntry(book, model));
  const catalog = [
    `# The models, endpoints and prices that ship. \`npm run catalog:build\` writes it from catalog/models: change that.`,
    `#`,
    `# Where each figure is from, and of which day, stands in sources.yaml. Prices are those of ${PRICE_DATE}.`,
    `# Scores are indexes of Artificial Analysis (https://artificialanalysis.ai), which must be named wherever they are used.`,
    `# What no source states is absent, and counts as restrictive: state your own agreements in a file of yours with`,
    `# \`extends: default\`.`,
    `version: 1`,
    ``,
    `providers:`,
    ...providers.flatMap(([, { lines }]) => lines),
    ...sandboxProviderLines(),
    ``,
    `models:`,
    ...written.flatMap(({ lines }) => lines),
    ...sandboxModelLines(),
    ``,
    ...fusionLines(),
    ``,
  ];
  const sources = [
    `# Where the figures of default.yaml are from. \`npm run catalog:build\` writes it from catalog/models: change that.`,
    `version: 1`,
    ``,
    `sources:`,
    ...book.list().map(sourceLine),
    ``,
    `providers:`,
    ...providers.map(([slug, { origins }]) => `  ${slug}: ${originsOf(origins)}`),
    ``,
    `models:`,
    ...written.flatMap(({ sourceLines }) => sourceLines),
    ``,
    `# Models whose maximum of an image or a page is not their vendor's own, by what it rests on.`,
    `media_bases:`,
    ...mediaBases(models).map(([basis, ids]) => `  ${basis}: ${list(ids)}`),
    ``,
  ];
  return { catalog: catalog.join('\n'), sources: sources.join('\n') };
}

/** The sources of all figures except the vendor's. */
function mediaBases(models: readonly ModelEntry[]): readonly (readonly [MediaBasis, readonly string[]])[] {
  return MEDIA_BASES.filter((basis) => basis !== 'vendor').map((basis) => [
    basis,
    models.filter(({ images, pages }) => images?.max?.basis === basis || pages?.basis === basis).map(({ id }) => id),
  ]);
}

function sourceLine({ id, title, url, package: name, read, published, licence }: Source): string {
  const stated = Object.entries({ title, url, package: name, read, published, licence }).filter(
    ([, value]) => value !== undefined,
  );
  return `  - ${object([`id: ${id}`, ...stated.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)])}`;
}
