import { parseUrl } from '../../core/parse-url.js';
import { constants } from 'node:buffer';
import { parseUsd, type PicoUsd, PICO_PER_USD, formatUsd } from '../../core/money/credits.js';
import { Secret } from '../../core/secret.js';

/** Reads the text of a variable. Throws `Ungrammatical`, whose message never contains the text. */
export type Grammar<T> = (text: string) => T;

/** A text does not follow its grammar. The message completes a sentence that begins with the variable's name. */
export class Ungrammatical extends Error {
  override readonly name = 'Ungrammatical';
}

/** A timer of the runtime with a longer delay fires immediately. */
const TIMER_MS_MAX = 2_147_483_647;
const DAYS_MAX = 36_500;
const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const BYTES_PER: Readonly<Record<string, number>> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** No body can be larger than the longest string of the runtime. */
export const BODY_BYTES_CEILING = constants.MAX_STRING_LENGTH;

/** A whole number within limits, inclusive. */
export const wholeNumber =
  (min: number, max: number): Grammar<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Ungrammatical(`must be a whole number from ${min} to ${max}`);
    return value;
  };

/** One of the given words. */
export const oneOf =
  <const Word extends string>(...words: readonly Word[]): Grammar<Word> =>
  (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Ungrammatical(`must be one of ${words.join(', ')}`);
    return found;
  };

/** A duration such as `500ms`, `5s`, `2m`, `1h`, in milliseconds. `minMs` is 0 where "not at all" makes sense. */
export const duration =
  (minMs: 0 | 1 = 1): Grammar<number> =>
  (text) => {
    const match = /^(\d{1,12})(ms|s|m|h)$/.exec(text);
    const value = match ? Number(match[1]) * MS_PER[match[2]!]! : Number.NaN;
    if (!(value >= minMs && value <= TIMER_MS_MAX)) {
      const range = minMs === 0 ? 'at most 24 days' : 'more than nothing and at most 24 days';
      throw new Ungrammatical(`must be a duration such as 500ms, 5s, 2m or 1h, ${range}`);
    }
    return value;
  };

/** A retention in whole days, such as `400d`; `null` for `never`. */
export const days: Grammar<number | null> = (text) => {
  if (text === 'never') return null;
  const match = /^(\d{1,6})d$/.exec(text);
  const value = match ? Number(match[1]) : Number.NaN;
  if (!(value >= 1 && value <= DAYS_MAX)) {
    throw new Ungrammatical(`must be a number of days from 1d to ${DAYS_MAX}d, or never`);
  }
  return value;
};

/** A size such as `32MiB`, `1GiB` or plain bytes, at least one byte. */
export const bytes =
  (max: number): Grammar<number> =>
  (text) => {
    const match = /^(\d{1,15})(KiB|MiB|GiB)?$/.exec(text);
    const value = match ? Number(match[1]) * BYTES_PER[match[2] ?? '']! : Number.NaN;
    if (!(value >= 1 && value <= max)) {
      throw new Ungrammatical(`must be a size such as 512KiB, 32MiB, 1GiB or plain bytes, from 1 to ${max} bytes`);
    }
    return value;
  };

export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

/** A number per duration: `300/60s`. */
export const rate: Grammar<Rate> = (text) => {
  const slash = text.indexOf('/');
  try {
    return Object.freeze({
      limit: wholeNumber(1, 1e9)(text.slice(0, Math.max(slash, 0))),
      windowMs: duration()(text.slice(slash + 1)),
    });
  } catch {
    throw new Ungrammatical('must be a whole number from 1, a slash and a duration, such as 300/60s');
  }
};

/** Comma-separated entries; spaces around them are ignored. At least one. */
export const list =
  <T>(entry: Grammar<T>): Grammar<readonly T[]> =>
  (text) =>
    Object.freeze(
      text.split(',').map((part, index) => {
        try {
          return entry(part.trim());
        } catch (error) {
          throw new Ungrammatical(`entry ${index + 1} ${reasonOf(error)}`);
        }
      }),
    );

/**
 * Comma-separated `name=value` pairs. A name that is absent keeps its value in `defaults`, which contains all names.
 */
export const partialList = <Name extends string, T>(
  names: readonly Name[],
  value: Grammar<T>,
  defaults: string,
): Grammar<Readonly<Record<Name, T>>> => {
  const readPairs = (text: string): Map<Name, T> => {
    const pairs = new Map<Name, T>();
    for (const pair of text.split(',')) {
      const equals = pair.indexOf('=');
      const name = names.find((known) => known === pair.slice(0, Math.max(equals, 0)).trim());
      if (name === undefined) {
        throw new Ungrammatical(`must be name=value pairs between commas; the names are ${names.join(', ')}`);
      }
      if (pairs.has(name)) throw new Ungrammatical(`names ${name} twice`);
      try {
        pairs.set(name, value(pair.slice(equals + 1).trim()));
      } catch (error) {
        throw new Ungrammatical(`${name} ${reasonOf(error)}`);
      }
    }
    return pairs;
  };
  const usual = readPairs(defaults);
  return (text) => {
    const pairs = new Map([...usual, ...readPairs(text)]);
    // The defaults contain every name, so the record is complete.
    return Object.freeze(Object.fromEntries(pairs) as Record<Name, T>);
  };
};

/** Maps texts to the values used in the settings. */
export const as =
  <T, Setting extends object>(grammar: Grammar<T>, view: (value: T) => Setting): Grammar<Readonly<Setting>> =>
  (text) =>
    Object.freeze(view(grammar(text)));

/** A non-negative amount of USD with at most 12 decimals. */
export const usd: Grammar<PicoUsd> = (text) => {
  const amount = parseUsd(text);
  if (amount === undefined || amount < 0n) {
    throw new Ungrammatical('must be an amount of USD such as 10 or 2.50, with at most 12 decimals');
  }
  return amount;
};

/** A percentage from 0 to 100 as an exact decimal text. */
export const percent: Grammar<string> = (text) => {
  const value = parseUsd(text);
  if (value === undefined || value < 0n || value > 100n * PICO_PER_USD) {
    throw new Ungrammatical('must be a decimal number from 0 to 100, with at most 12 decimals');
  }
  return formatUsd(value);
};

/** A path; made absolute by the reader of the whole environment. */
export const path: Grammar<string> = (text) => {
  if (text.includes('\0')) throw new Ungrammatical('must be a path');
  return text;
};

/** A freely chosen text that is later sent in a request header. */
export const ownKey: Grammar<Secret> = (text) => {
  if ([...text].length < 16) throw new Ungrammatical('must have 16 characters or more');
  // oxlint-disable-next-line no-control-regex -- the expression searches control characters
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new Ungrammatical('must contain no line break or other control character');
  return new Secret(text);
};

/** An encryption key: `id:base64(32 bytes)`. The key is returned as standard base64. */
export const encryptionKey: Grammar<{ readonly id: string; readonly key: Secret }> = (text) => {
  const match = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]{43}=?)$/.exec(text);
  const key = match ? Buffer.from(match[2]!, 'base64') : undefined;
  if (!match || key?.length !== 32) {
    throw new Ungrammatical(
      'must be an id of letters, digits, dots, hyphens and underscores, a colon and 32 bytes as base64 ' +
        '(make one with: echo "k1:$(openssl rand -base64 32)")',
    );
  }
  return Object.freeze({ id: match[1]!, key: new Secret(key.toString('base64')) });
};

/** A URL with one of the schemes, given without colon. */
export const url =
  (...schemes: readonly string[]): Grammar<string> =>
  (text) => {
    const scheme = parseUrl(text)?.protocol.slice(0, -1);
    if (scheme === undefined || !schemes.includes(scheme)) {
      throw new Ungrammatical(`must be a URL that begins with ${schemes.map((name) => `${name}://`).join(' or ')}`);
    }
    return text;
  };

/** The value, protected from being printed. */
export const secret =
  (grammar: Grammar<string>): Grammar<Secret> =>
  (text) =>
    new Secret(grammar(text));

/** The reason in an error that a grammar threw. */
export function reasonOf(error: unknown): string {
  if (error instanceof Ungrammatical) return error.message;
  throw error;
}
