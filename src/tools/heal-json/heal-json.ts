import { Ajv2020 } from 'ajv/dist/2020.js';
import { jsonrepair } from 'jsonrepair';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { extractJson } from './extract-json.js';

export interface TextToHeal {
  readonly text: string;
  /** The schema of the JSON; absent: any object. */
  readonly schema?: JsonObject;
  /** The end of the text is missing and must not be invented. */
  readonly isCut: boolean;
}

export type HealOutcome =
  | { readonly is: 'valid' }
  | { readonly is: 'healed'; readonly text: string }
  | { readonly is: 'beyond-repair' };

type Fits = (value: unknown) => boolean;

/**
 * Extracts and repairs JSON in a text. Runs in a separate thread, since it takes as long as the text and the schema
 * demand.
 */
export function healJson({ text, schema, isCut }: TextToHeal): HealOutcome {
  const fits = schema ? fitsOf(schema) : isJsonObject;
  if (!fits) return { is: 'beyond-repair' };
  if (isFitting(text, fits)) return { is: 'valid' };
  for (const piece of extractJson(text, isCut)) {
    if (isFitting(piece, fits)) return { is: 'healed', text: piece };
    const repaired = repairedOf(piece);
    if (repaired !== undefined && isFitting(repaired, fits)) return { is: 'healed', text: repaired };
  }
  return { is: 'beyond-repair' };
}

/** @returns undefined for an invalid schema */
function fitsOf({ $schema: _dialect, ...schema }: JsonObject): Fits | undefined {
  try {
    // A new instance for each use: it caches what it has compiled for ever.
    return new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema) as Fits;
  } catch {
    return undefined;
  }
}

function isFitting(text: string, fits: Fits): boolean {
  try {
    return fits(JSON.parse(text));
  } catch {
    return false;
  }
}

/** @returns undefined where it cannot be repaired, or is nested too deeply */
function repairedOf(piece: string): string | undefined {
  try {
    return jsonrepair(piece);
  } catch {
    return undefined;
  }
}
