import { readFileSync } from 'node:fs';
import { CatalogDocument } from '../../src/catalog/document.js';
import { describeFault } from '../../src/catalog/fault.js';
import { Field } from '../../src/catalog/field.js';
import { TABLE_SOURCES } from '../catalog-tables.js';
import { SourceNames } from './source-names.js';

const COMMON = 'catalog/common.yaml';

/** Finds a source by its name. */
export type Sources = Pick<SourceNames, 'named'>;

/**
 * Sources that every file of the catalog may name, and the tables.
 * @throws with every fault of the file
 */
export function readCommonSources(): Sources {
  const document = new CatalogDocument(COMMON, readFileSync(COMMON, 'utf8'));
  const root = new Field(document, [], document.value).members(['sources']);
  const tables = { named: (name: string) => TABLE_SOURCES.get(name) };
  const common = new SourceNames(root?.get('sources'), tables);
  refuse(document.faults.map(describeFault));
  return common;
}

/** @throws where there is a fault */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`The catalog cannot be built:\n${faults.join('\n')}`);
}
