import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { ImportRefused } from '../import-refused.js';
import type { Note } from '../remark.js';
import { textOf } from '../text-of.js';

/** One entry of an exported list. */
interface ExportedEntry {
  /** `keys.json.3` */
  readonly location: string;
  readonly fields: JsonObject;
}

export interface ExportedKey extends ExportedEntry {
  readonly hash: string;
}

export interface ExportedCredential extends ExportedEntry {
  readonly provider: string;
}

/** The replies of `GET /keys` and `GET /byok` of that API. */
export interface OpenrouterExports {
  readonly keys: readonly ExportedKey[];
  readonly credentials: readonly ExportedCredential[];
}

/** A given file. */
export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads lists of the API, `{ "data": [...] }` or the list itself. Their entries identify them: keys have a hash,
 * credentials a provider.
 * @throws ImportRefused for what is neither
 */
export function readExports(files: readonly ExportFile[], note: Note): OpenrouterExports {
  const keys: ExportedKey[] = [];
  const credentials: ExportedCredential[] = [];
  for (const { location, fields } of files.flatMap(readList)) {
    const [hash, provider] = [textOf(fields['hash']), textOf(fields['provider'])];
    if (hash !== undefined) keys.push({ location, fields, hash });
    else if (provider !== undefined) credentials.push({ location, fields, provider });
    else note('left-out', location, 'is neither a key nor a credential');
  }
  return { keys, credentials };
}

function readList({ name, text }: ExportFile): readonly ExportedEntry[] {
  const value = parse(name, text);
  const list: unknown = isJsonObject(value) ? value['data'] : value;
  if (!Array.isArray(list)) throw new ImportRefused(`${name} is no list of GET /keys or GET /byok: it has no "data"`);
  const entries: readonly unknown[] = list;
  return entries.map((entry, index) => ({ location: `${name}.${index}`, fields: isJsonObject(entry) ? entry : {} }));
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's message quotes the text.
    throw new ImportRefused(`${name} is not valid JSON`, { cause: error });
  }
}
