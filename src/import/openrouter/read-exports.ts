import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { ImportRefused } from '../import-refused.js';
import type { Note } from '../remark.js';

/** One entry of an exported list. */
export interface Exported {
  /** `keys.json.3` */
  readonly place: string;
  readonly fields: JsonObject;
}

/** What `GET /keys` and `GET /byok` of that API told. */
export interface OpenrouterExports {
  readonly keys: readonly Exported[];
  readonly credentials: readonly Exported[];
}

/** A file as it was given. */
export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads lists that the API answered with, `{ "data": [...] }` or the list itself; which is which their entries tell: keys
 * have a hash, credentials a provider.
 * @throws ImportRefused for what is neither
 */
export function readExports(files: readonly ExportFile[], note: Note): OpenrouterExports {
  const entries = files.flatMap((file) => readList(file, note));
  return {
    keys: entries.filter(({ fields }) => typeof fields['hash'] === 'string'),
    credentials: entries.filter(({ fields }) => typeof fields['hash'] !== 'string'),
  };
}

function readList({ name, text }: ExportFile, note: Note): readonly Exported[] {
  const value = parse(name, text);
  const list: unknown = isJsonObject(value) ? value['data'] : value;
  if (!Array.isArray(list)) throw new ImportRefused(`${name} is no list of GET /keys or GET /byok: it has no "data"`);
  return list.flatMap((fields: unknown, index) => {
    const place = `${name}.${index}`;
    if (isJsonObject(fields) && (typeof fields['hash'] === 'string' || typeof fields['provider'] === 'string'))
      return { place, fields };
    note('left-out', place, 'is neither a key nor a credential');
    return [];
  });
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Its message quotes the text.
    throw new ImportRefused(`${name} is not valid JSON`, { cause: error });
  }
}
