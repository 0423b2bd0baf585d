import { Base64Text } from './base64-text.js';
import type { Steps } from '../steps.js';
import { LARGE, PIECE } from '../yield-to-event-loop.js';
import { isJsonObject, NumberList, printJson, weigh, type Json, type Printable } from './json.js';

/** A part of a printed value: text, or the bytes of text. */
type Piece = string | Buffer;

/**
 * The text of `printJson` in pieces, for values that would take too long at once. Each piece has about `characters` at
 * most, not counting escapes; none begins or ends within a surrogate pair. Values kept as bytes come in their own
 * pieces.
 */
export function* printInPieces(value: Printable, characters: number): Generator<Piece, void, undefined> {
  if (weigh(value, characters) < characters) yield printJson(value as Json);
  else if (typeof value === 'string') yield* printString(value, characters);
  else if (Array.isArray(value)) yield* printArray(value as readonly Printable[], characters);
  else if (value instanceof Base64Text) yield* value.print();
  else if (isJsonObject(value) && !(value instanceof NumberList)) yield* printObject(value, characters);
  else yield printJson(value as Json);
}

/** The text of `printJson`, in steps where it is long. */
export function* printInSteps(value: Json): Steps<string> {
  if (weigh(value, LARGE) < LARGE) return printJson(value);
  let text = '';
  for (const piece of printInPieces(value, PIECE)) {
    text += piece.toString();
    if (piece.length >= PIECE / 2) yield;
  }
  return text;
}

function* printString(text: string, characters: number): Generator<string, void, undefined> {
  yield '"';
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + characters, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** Light entries are printed together. */
function* printArray(entries: readonly Printable[], characters: number): Generator<Piece, void, undefined> {
  let lead = '[';
  let together: Printable[] = [];
  let weight = 0;
  for (const entry of entries) {
    let more = weigh(entry, characters - weight);
    if (weight + more >= characters) {
      if (together.length > 0) {
        yield lead + printJson(together).slice(1, -1);
        lead = ',';
        together = [];
        weight = 0;
      }
      more = weigh(entry, characters);
      if (more >= characters) {
        yield lead;
        yield* printInPieces(entry, characters);
        lead = ',';
        continue;
      }
    }
    together.push(entry);
    weight += more;
  }
  if (together.length > 0) yield lead + printJson(together).slice(1);
  else yield lead === '[' ? '[]' : ']';
}

function* printObject(value: Record<string, Printable>, characters: number): Generator<Piece, void, undefined> {
  let lead = '{';
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    yield `${lead}${JSON.stringify(key)}:`;
    yield* printInPieces(member, characters);
    lead = ',';
  }
  yield lead === '{' ? '{}' : '}';
}

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
