import { Base64Text } from './base64-text.js';
import { ExactNumber, isJsonObject, type Json } from './json.js';

/** Longest text that is shown whole, in characters: media are mostly what is longer. */
const TEXT_MAX = 8_192;
/** Of all that is shown of one value, in characters: no more than others can wait for. Chosen. */
const SHOWN_MAX = 2 * 1024 * 1024;
/** What a value weighs besides its text: quotes, brackets, a number. */
const FRAME = 8;

/** Objects are those of this program: their keys may be undefined, as `JSON.stringify` has it. */
type Printable = Json | object | undefined;

/**
 * A value for somebody's eyes: as `printJson` prints it, but long texts are cut, and so is what comes after `SHOWN_MAX`
 * characters; each says by how much. Its cost is that of what is shown, however large the value is.
 */
export const shorten = (value: Printable): Json => new Shortening().take(value);

class Shortening {
  private left = SHOWN_MAX;

  take(value: Printable): Json {
    this.left -= FRAME;
    if (typeof value === 'string') return this.text(value.length, (end) => value.slice(0, end));
    if (value instanceof Base64Text) return this.text(value.length, (end) => value.start(end));
    if (value === undefined) return null;
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value as Json;
    if (Array.isArray(value)) return this.array(value as readonly Printable[]);
    return isJsonObject(value) ? this.object(value) : null;
  }

  private text(length: number, start: (end: number) => string): string {
    const shown = Math.min(length, TEXT_MAX, Math.max(0, this.left));
    this.left -= shown;
    return shown === length ? start(length) : `${start(shown)}… (${length - shown} more characters)`;
  }

  private array(entries: readonly Printable[]): Json {
    const shown: Json[] = [];
    for (const entry of entries) {
      if (this.left <= 0) {
        shown.push(`… (${entries.length - shown.length} more)`);
        break;
      }
      shown.push(this.take(entry));
    }
    return shown;
  }

  private object(value: Readonly<Record<string, Printable>>): Json {
    const shown: [string, Json][] = [];
    const keys = Object.keys(value);
    for (const [place, key] of keys.entries()) {
      const member = value[key];
      if (member === undefined) continue;
      this.left -= key.length;
      if (this.left <= 0) {
        shown.push(['…', `(${keys.length - place} more)`]);
        break;
      }
      shown.push([key, this.take(member)]);
    }
    // Keys are the caller's: `__proto__` is one like any other.
    return Object.fromEntries(shown);
  }
}
