/** Limits of shown entries: names in a row, and lines. */
export interface ShownMax {
  readonly names: number;
  readonly lines: number;
}

/** Enough for an overview; `--all` shows the rest. */
export const SHORT: ShownMax = { names: 5, lines: 20 };
export const WHOLE: ShownMax = { names: Infinity, lines: Infinity };

/** `a, b and 3 more`. */
export function listNames(names: readonly string[], { names: max }: ShownMax): string {
  const more = names.length - max;
  return names.slice(0, max).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en-US')} more (--all)` : '');
}

/** Each on its own line. */
export function listLines(indent: string, texts: readonly string[], { lines: max }: ShownMax): string {
  const more = texts.length - max;
  const shown = texts.slice(0, max).map((text) => `${indent}${text}\n`);
  return shown.join('') + (more > 0 ? `${indent}and ${more.toLocaleString('en-US')} more (--all)\n` : '');
}
