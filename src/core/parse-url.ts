/**
 * An address as this gateway reads it; undefined for what is none. Never by `URL.canParse`: once that is hot, Node 20
 * takes texts of Latin-1 for UTF-8, and says no to every address with an umlaut (20.20.2, after some 5,000 calls).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
