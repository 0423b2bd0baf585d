import type { GenerationRow } from './generation-row.js';

/** What PostgreSQL takes for no text: NUL, and halves of surrogate pairs. `JSON.stringify` writes both as escapes, in small letters. */
const REFUSED_ESCAPE = /\\u(?:0000|d[89a-f])/;
const NULS = /\0/g;

/** A row as its statement takes it. Texts of callers and providers may hold anything: what the database would refuse is replaced. */
export function printGeneration(row: GenerationRow): string {
  const json = JSON.stringify(row);
  return REFUSED_ESCAPE.test(json) ? JSON.stringify(storable(row)) : json;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replace(NULS, '\ufffd');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storable(key), storable(member)]));
}
