const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;
/** What a letter behind a backslash stands for, where it is no letter of words. */
const SPACES: Readonly<Record<string, string>> = { b: ' ', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * The words in printed JSON, or in a part of it: escapes are what they stand for, so that words are read as models read
 * them, and all else stays. No JSON any more.
 */
export const plainWords = (json: string): string =>
  json.includes('\\')
    ? json.replaceAll(ESCAPE, (_, code: string | undefined, letter: string) =>
        code === undefined ? (SPACES[letter] ?? letter) : String.fromCharCode(parseInt(code, 16)),
      )
    : json;
