import { Base64Text } from './base64-text.js';
import { ExactNumber, isJsonObject, type Json } from './json.js';

/** Longest text shown in full, in characters: longer texts are mostly media. */
const TEXT_MAX = 8_192;
/** Limit of the characters shown of one value, so that shortening does not block other work for long. Chosen. */
const SHOWN_MAX = 2 * 1024 * 1024;
/** Estimated characters of a value besides its text: quotes, brackets, a number. */
const FRAME = 8;

/** Objects of this program may have undefined members, as for `JSON.stringify`. */
type Printable = Json | object | undefined;

/**
 * Shortens a value for display: printed as by `printJson`, but with long texts cut, and cut off after `SHOWN_MAX`
 * characters; each cut states how much is missing. The cost depends on what is shown, however large the value is.
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
    for (const [index, key] of keys.entries()) {
      const member = value[key];
      if (member === undefined) continue;
      this.left -= key.length;
      if (this.left <= 0) {
        shown.push(['…', `(${keys.length - index} more)`]);
        break;
      }
      shown.push([key, this.take(member)]);
    }
    // Keys come from the caller: `__proto__` is treated as an ordinary one.
    return Object.fromEntries(shown);
  }
}
