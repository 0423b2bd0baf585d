import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { Schema, SchemaWords } from './schema-words.js';

/** Base URL of a gateway that was started without settings. The program of the page replaces it with its own. */
export const USUAL_BASE = 'http://127.0.0.1:8787';

/** A request as code states it. */
export interface ExampleRequest {
  readonly method: string;
  /** The path from the root, with the names of its parameters. */
  readonly path: string;
  /** The variable that has the key; undefined where none is needed. */
  readonly variable: string | undefined;
  readonly body: Json | undefined;
}

export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

export const PRINTERS: Readonly<Record<Language, (request: ExampleRequest) => string>> = {
  curl: ({ method, path, variable, body }) =>
    [
      `curl${method === 'GET' ? '' : ` -X ${method}`} '${USUAL_BASE}${path}'`,
      ...(variable === undefined ? [] : [`-H "authorization: Bearer $${variable}"`]),
      ...(body === undefined
        ? []
        : [`-H 'content-type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`]),
    ].join(' \\\n  '),
  Python: ({ method, path, variable, body }) =>
    [
      ...(variable === undefined ? [] : ['import os']),
      'import requests',
      '',
      'reply = requests.request(',
      `    "${method}",`,
      `    "${USUAL_BASE}${path}",`,
      ...(variable === undefined ? [] : [`    headers={"Authorization": "Bearer " + os.environ["${variable}"]},`]),
      ...(body === undefined ? [] : [`    json=${printPython(body, '    ')},`]),
      ')',
      'reply.raise_for_status()',
      'print(reply.text)',
    ].join('\n'),
  TypeScript: ({ method, path, variable, body }) => {
    const headers = [
      ...(variable === undefined ? [] : [`authorization: \`Bearer \${process.env.${variable}}\``]),
      ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
    ];
    return [
      `const reply = await fetch('${USUAL_BASE}${path}', {`,
      `  method: '${method}',`,
      ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
      ...(body === undefined
        ? []
        : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
      '});',
      'if (!reply.ok) throw new Error(await reply.text());',
      'console.log(await reply.text());',
    ].join('\n');
  },
};

const PYTHON_WORDS = new Map<Json, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
]);

function printPython(value: Json, indent: string): string {
  const word = PYTHON_WORDS.get(value);
  if (word !== undefined) return word;
  const inner = `${indent}    `;
  const among = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value)) {
    const entries = value as readonly Json[];
    return among(
      '[',
      entries.map((entry) => printPython(entry, inner)),
      ']',
    );
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  return among(
    '{',
    Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${printPython(member as Json, inner)}`),
    '}',
  );
}

/** Levels of a reply that its outline has. */
const DEPTH_MAX = 3;

/** A sample value of a schema: the first of its alternatives, with type names in place of texts. */
export function outlineOf(words: SchemaWords, schema: Schema, depth = 0): Json {
  const form = words.follow(words.formsOf(words.follow(schema))[0]!);
  if (form.const !== undefined) return form.const;
  if (form.enum) return form.enum[0]!;
  const [type] = [form.type ?? []].flat();
  if (form.properties || type === 'object') {
    if (depth === DEPTH_MAX) return {};
    return Object.fromEntries(
      Object.entries(form.properties ?? {}).map(([name, property]) => [name, outlineOf(words, property, depth + 1)]),
    );
  }
  if (type === 'array') return form.items && depth < DEPTH_MAX ? [outlineOf(words, form.items, depth + 1)] : [];
  return SAMPLES[type ?? ''] ?? null;
}

const SAMPLES: Readonly<Record<string, Json>> = { string: '…', integer: 0, number: 0, boolean: false };

/**
 * An example without its secrets: what a form is filled with must not be stored as it is. The API refuses an empty one
 * by name.
 */
export function withoutSecrets(words: SchemaWords, schema: Schema, example: JsonObject): JsonObject {
  const { properties = {} } = words.follow(schema);
  const isSecret = (name: string): boolean => {
    const field = properties[name];
    return field !== undefined && words.follow(field).writeOnly === true;
  };
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, isSecret(name) ? '' : value!]));
}
