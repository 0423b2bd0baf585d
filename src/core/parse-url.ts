/**
 * Parses an address; undefined for an invalid one. Never uses `URL.canParse`: once that is optimised, Node 20 takes
 * Latin-1 texts for UTF-8, and rejects every address with an umlaut (20.20.2, after some 5,000 calls).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
