import type { JSX } from 'preact';
import { query, setQuery } from '../app/router.js';

/** Shows another page of the list, and moves the focus to its heading. */
function turn(parameters: Readonly<Record<string, string>>): void {
  setQuery(parameters);
  document.querySelector('h1')?.focus();
}

interface CursorPagesProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
}

/** Pages of a list by its cursor, which the address has. Back by the history of the browser. */
export function CursorPages({ cursor, next }: CursorPagesProps): JSX.Element | null {
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="pages" aria-label="Older and newer">
      {cursor !== undefined && (
        <button type="button" onClick={() => turn({ cursor: '', live: '' })}>
          Newest
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => turn({ cursor: next, live: '' })}>
          Older
        </button>
      )}
    </nav>
  );
}

/** Offset of the displayed page, by the address. */
export const shownOffset = (): number => Math.max(0, Math.trunc(Number(query.value.get('offset') ?? 0)) || 0);

interface OffsetPagesProps {
  /** Entries of a page. */
  readonly size: number;
  /** Number of rows of all pages. */
  readonly total: number;
}

/** Pages of a list by its offset, which the address has. */
export function OffsetPages({ size, total }: OffsetPagesProps): JSX.Element | null {
  const offset = shownOffset();
  if (total <= size && offset === 0) return null;
  const to = (at: number): void => turn({ offset: at <= 0 ? '' : String(at) });
  return (
    <nav class="pages" aria-label="Pages of the list">
      <button type="button" disabled={offset === 0} onClick={() => to(offset - size)}>
        Before
      </button>
      <button type="button" disabled={offset + size >= total} onClick={() => to(offset + size)}>
        Next
      </button>
      <span class="hint">
        {Math.min(offset + 1, total).toLocaleString('en')} to {Math.min(offset + size, total).toLocaleString('en')} of{' '}
        {total.toLocaleString('en')}
      </span>
    </nav>
  );
}
