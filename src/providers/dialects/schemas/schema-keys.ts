import { isJsonObject, printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { FittedSchema } from './schema-unions.js';

/**
 * The names that Claude takes of a tool's properties, of those at the top alone ("Property keys should match pattern":
 * anthropics/claude-code, issue 79418; ComposioHQ/composio, issue 3500; at Bedrock:
 * aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws, issue 709; read 2026-11-29).
 */
export const LEGAL_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Longest note about properties of other names, in UTF-16 units. Where their schemas are longer, it has the names. */
const NOTE_LENGTH_MAX = 4_000;

export function hasLegalKeys({ properties }: JsonObject): boolean {
  if (!isJsonObject(properties)) return true;
  for (const name in properties) if (!LEGAL_KEY.test(name)) return false;
  return true;
}

/**
 * The schema of a tool without properties whose names are refused: the description names them to the model, and the
 * schema allows them.
 */
export function withLegalKeys(schema: JsonObject): FittedSchema {
  if (hasLegalKeys(schema)) return { schema, lost: [] };
  const { properties, required, additionalProperties: _open, description, ...others } = schema;
  const all = Object.entries(properties as JsonObject);
  const gone = all.filter(([name]) => !LEGAL_KEY.test(name));
  const names = new Set(gone.map(([name]) => name));
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  const note = noteOf(gone, needed);
  const kept: JsonObject = {
    ...others,
    description: typeof description === 'string' && description !== '' ? `${description}\n${note}` : note,
    properties: Object.fromEntries(all.filter(([name]) => !names.has(name))),
    ...(required !== undefined && { required: needed.filter((name) => !names.has(name as string)) }),
  };
  return { schema: kept, lost: ['properties'] };
}

function noteOf(gone: readonly (readonly [string, Json | undefined])[], needed: readonly Json[]): string {
  const names = new Set(needed);
  const required = gone.filter(([name]) => names.has(name)).map(([name]) => name);
  const demand = required.length > 0 ? ` Required of them: ${printJson(required)}.` : '';
  const schemas = printJson(Object.fromEntries(gone));
  const note = `Takes these properties too: ${schemas}.${demand}`;
  return note.length <= NOTE_LENGTH_MAX
    ? note
    : `Takes these properties too: ${printJson(gone.map(([name]) => name))}.`;
}
