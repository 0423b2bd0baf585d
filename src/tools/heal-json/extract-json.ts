/** Maximum number of documents that are extracted from one text. */
const DOCUMENTS_MAX = 16;
const CLOSERS = new Set(['}', ']']);
const THOUGHT_END = '</think>';

/**
 * The pieces of a text that may be its JSON, the most likely first: balanced brackets, then everything from the first
 * opening bracket to the last closing one. Thoughts before it and prose around it are dropped.
 * @param isCut the end of the text is missing: a piece that is not closed is no candidate
 */
export function extractJson(text: string, isCut: boolean): string[] {
  const thought = text.lastIndexOf(THOUGHT_END);
  const answer = thought < 0 ? text : text.slice(thought + THOUGHT_END.length);
  const first = answer.search(/[{[]/);
  if (first < 0) return [];
  const pieces: string[] = [];
  let at = first;
  while (at >= 0 && at < answer.length && pieces.length < DOCUMENTS_MAX) {
    const end = endOf(answer, at);
    if (end === undefined) break;
    pieces.push(answer.slice(at, end));
    const next = answer.slice(end).search(/[{[]/);
    at = next < 0 ? answer.length : end + next;
  }
  if (isCut) return pieces;
  const last = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']'));
  // An unclosed piece at the end; only its brackets are added.
  const open = at < answer.length ? [answer.slice(at).trimEnd().replace(/```$/, '').trimEnd()] : [];
  const widest = last > first ? [answer.slice(first, last + 1)] : [];
  return [...new Set([...pieces, ...open, ...widest])];
}

/** @returns the index after the bracket that closes the one at `start`; undefined where it is not closed */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let before = '';
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' || (character === "'" && '{[,:'.includes(before))) {
      at = endOfString(text, at, character);
      before = character;
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (CLOSERS.has(character) && --depth === 0) return at + 1;
    if (character.trim() !== '') before = character;
  }
  return undefined;
}

/** The index of the quote that ends the string; an apostrophe within it does not end it. */
function endOfString(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote && (quote === '"' || /[,:}\]\s]/.test(text[at + 1] ?? ' '))) return at;
  }
  return text.length;
}
