import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/**
 * The reasoning in a chunk's `delta` or a whole `message`, by whichever name the provider gives it;
 * empty when there is none.
 */
export function readReasoning(piece: JsonObject): string {
  const plain = piece['reasoning_content'] ?? piece['reasoning'];
  if (typeof plain === 'string' && plain !== '') return plain;
  // The details repeat what the plain field says, so they are read only where it is silent.
  const details = piece['reasoning_details'];
  if (!Array.isArray(details)) return '';
  let text = '';
  for (const detail of details as readonly Json[]) {
    if (!isJsonObject(detail)) continue;
    const value = detail['text'] ?? detail['summary'];
    if (typeof value === 'string') text += value;
  }
  return text;
}

/** Gives the texts of a `content` field that is a list, in order: Mistral's text and thinking parts. */
export function readContentParts(
  parts: readonly Json[],
  give: (type: 'text' | 'thinking', text: string) => void,
): void {
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    if (part['type'] === 'text') give('text', textOf(part));
    if (part['type'] !== 'thinking' || !Array.isArray(part['thinking'])) continue;
    for (const thought of part['thinking'] as readonly Json[]) give('thinking', textOf(thought));
  }
}

function textOf(part: Json): string {
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}
