import { isJsonObject, type Json, type JsonObject } from '../../../core/json.js';

/** The reasoning in a chunk's `delta` or a whole `message`, by whichever name the provider gives it; empty when there is none. */
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

/** Gives the texts of a `content` field in order: a string, or Mistral's list of text and thinking parts. */
export function readContent(content: Json | undefined, give: (type: 'text' | 'thinking', text: string) => void): void {
  if (typeof content === 'string') {
    give('text', content);
    return;
  }
  if (!Array.isArray(content)) return;
  for (const part of content as readonly Json[]) {
    if (!isJsonObject(part)) continue;
    if (part['type'] === 'text' && typeof part['text'] === 'string') give('text', part['text']);
    else if (part['type'] === 'thinking') readContent(part['thinking'], (_, text) => give('thinking', text));
  }
}
