/** How much of a list is shown: of names in a row, and of lines. */
export interface ShownMax {
  readonly names: number;
  readonly lines: number;
}

/** Enough to see what it is about; `--all` shows the rest. */
export const SHORT: ShownMax = { names: 5, lines: 20 };
export const WHOLE: ShownMax = { names: Infinity, lines: Infinity };

/** `a, b and 3 more`. */
export function listNames(names: readonly string[], { names: max }: ShownMax): string {
  const more = names.length - max;
  return names.slice(0, max).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en-US')} more (--all)` : '');
}

/** Each on its line. */
export function listLines(indent: string, texts: readonly string[], { lines: max }: ShownMax): string {
  const more = texts.length - max;
  const shown = texts.slice(0, max).map((text) => `${indent}${text}\n`);
  return shown.join('') + (more > 0 ? `${indent}and ${more.toLocaleString('en-US')} more (--all)\n` : '');
}
