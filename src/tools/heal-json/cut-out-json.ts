/** Documents that are looked at in one text. */
const DOCUMENTS_MAX = 16;
const CLOSERS = new Set(['}', ']']);
const THOUGHT_END = '</think>';

/**
 * The pieces of a text that may be its JSON, the likeliest first: what stands in balanced brackets, then all from the
 * first opening bracket to the last closing one. Thoughts before it and prose around it are left out.
 * @param isCut the end of the text is missing: a piece that is not closed is none
 */
export function cutOutJson(text: string, isCut: boolean): string[] {
  const thought = text.lastIndexOf(THOUGHT_END);
  const said = thought < 0 ? text : text.slice(thought + THOUGHT_END.length);
  const first = said.search(/[{[]/);
  if (first < 0) return [];
  const pieces: string[] = [];
  let at = first;
  while (at >= 0 && at < said.length && pieces.length < DOCUMENTS_MAX) {
    const end = endOf(said, at);
    if (end === undefined) break;
    pieces.push(said.slice(at, end));
    const next = said.slice(end).search(/[{[]/);
    at = next < 0 ? said.length : end + next;
  }
  if (isCut) return pieces;
  const last = Math.max(said.lastIndexOf('}'), said.lastIndexOf(']'));
  // What is open at the end: its brackets are all that is added.
  const open = at < said.length ? [said.slice(at).trimEnd().replace(/```$/, '').trimEnd()] : [];
  const widest = last > first ? [said.slice(first, last + 1)] : [];
  return [...new Set([...pieces, ...open, ...widest])];
}

/** @returns the place behind the bracket that closes the one at `start`; undefined: it is left open */
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

/** The place of the quote that ends the string; an apostrophe within one ends nothing. */
function endOfString(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote && (quote === '"' || /[,:}\]\s]/.test(text[at + 1] ?? ' '))) return at;
  }
  return text.length;
}
