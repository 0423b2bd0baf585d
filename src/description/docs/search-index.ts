import { setImmediate } from 'node:timers/promises';
import { APPEARANCES } from '../../shared/http/error-views.js';
import type { GuidePage } from '../guide-pages.js';
import { errorKinds } from './errors-page.js';
import { printOperation } from './operation-page.js';
import { bodyOwners, type Operation } from './operations.js';
import type { SchemaWords } from './schema-words.js';

/** An entry of the search index: kind, name, name of its page, searched text, and address below `docs/`. */
export type Found = readonly [
  kind: 'operation' | 'guide' | 'field' | 'status' | 'error kind',
  title: string,
  of: string,
  text: string,
  path: string,
];

/** All that can be found. It yields between operations: their fields are some thousands. */
export async function searchIndex(
  words: SchemaWords,
  operations: readonly Operation[],
  guide: readonly GuidePage[],
): Promise<readonly Found[]> {
  const found: Found[] = [];
  const owners = bodyOwners(operations);
  for (const operation of operations) {
    const { operationId, method, path, summary, description = '', tags } = operation;
    const address = `api/${operationId}`;
    const name = `${method} ${path}`;
    found.push(['operation', name, tags[0], `${summary}. ${description} ${operationId}`, address]);
    for (const field of printOperation(words, owners, operation).fields)
      found.push(['field', field.name, name, field.meaning, `${address}#${field.anchor}`]);
    await setImmediate();
  }
  for (const { name, title, sections } of guide)
    for (const { anchor, heading, text } of sections)
      found.push(['guide', heading, heading === title ? '' : title, text, `use/${name}#${anchor}`]);
  for (const [status, kinds] of errorKinds()) {
    const meanings = kinds.map(([, meaning]) => meaning).join(' ');
    found.push(['status', String(status), 'Statuses', meanings, `errors#status-${status}`]);
    for (const [kind, meaning] of kinds) {
      const { type, errorType } = APPEARANCES[kind];
      found.push(['error kind', kind, `${status}`, `${meaning} ${type} ${errorType}`, `errors#${kind}`]);
    }
  }
  return found;
}
