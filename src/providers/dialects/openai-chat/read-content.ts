import { isJsonObject, type Json } from '../../../core/json/json.js';

/** Passes on the texts of a `content` field that is a list, in order: Mistral's text and thinking parts. */
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
