import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CsvButton } from './csv.js';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** Whether it has whole sentences, which take several lines. */
  readonly wraps?: boolean;
  /** Whether it names its row. */
  readonly isHeader?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** Sort key of a row. Absent: the table cannot be sorted by this column. */
  readonly sortBy?: (row: Row) => number | string | null;
}

interface TableProps<Row> {
  readonly caption: string;
  /** Whether the caption is for readers of the screen alone: there is a heading above. */
  readonly hidesCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /**
   * The name of the file that the shown rows are exported to, or the link to all of the list; absent: the link is
   * elsewhere on the page, or there is none.
   */
  readonly csv?: string | JSX.Element;
}

interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

/** Rows that are sorted by their columns: those that are shown, in the order of their list unless another is chosen. */
export function Table<Row>({ caption, hidesCaption, columns, rows, keyOf, csv }: TableProps<Row>): JSX.Element {
  const [order, setOrder] = useState<Order>();
  const sort = ({ name, isNumber = false }: Column<Row>): void =>
    setOrder((before) => {
      if (before?.column !== name) return { column: name, isDown: isNumber };
      return before.isDown === isNumber ? { column: name, isDown: !isNumber } : undefined;
    });
  const ordered = inOrder(rows, columns, order);
  const held = useHeldFocus();
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label={caption} {...held}>
        <table>
          <caption class={hidesCaption ? 'unseen' : undefined}>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.name}
                  scope="col"
                  class={column.isNumber ? 'right' : undefined}
                  aria-sort={order?.column === column.name ? (order.isDown ? 'descending' : 'ascending') : undefined}
                >
                  {column.sortBy ? (
                    <button type="button" class="sort" onClick={() => sort(column)}>
                      {column.title}
                    </button>
                  ) : (
                    column.title
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ordered.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <Cell key={column.name} column={column}>
                    {column.cell(row)}
                  </Cell>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {csv !== undefined && (
        <div class="export">
          {typeof csv === 'string' ? <CsvButton columns={columns} rows={ordered} file={csv} /> : csv}
        </div>
      )}
    </>
  );
}

interface HeldFocus {
  readonly ref: { current: HTMLDivElement | null };
  readonly onFocusIn: (event: FocusEvent) => void;
}

/** Keeps the focus where a row that had it is removed: at the table, or at the page where that was the last row. */
function useHeldFocus(): HeldFocus {
  const ref = useRef<HTMLDivElement>(null);
  const focused = useRef<EventTarget | null>(null);
  const hold = (to: HTMLElement | null): void => {
    if (!(focused.current as Element | null)?.isConnected && document.activeElement === document.body)
      to?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (focused.current) hold(ref.current);
  });
  useEffect(
    () => () => {
      // The table is removed after this.
      if (focused.current) setTimeout(() => hold(document.getElementById('page')));
    },
    [],
  );
  return { ref, onFocusIn: ({ target }) => void (focused.current = target) };
}

interface CellProps {
  readonly column: Pick<Column<never>, 'isHeader' | 'isNumber' | 'wraps'>;
  readonly children: ComponentChildren;
}

function Cell({ column: { isHeader, isNumber, wraps }, children }: CellProps): JSX.Element {
  const className = isNumber ? 'right' : wraps ? 'wraps' : undefined;
  return isHeader ? (
    <th scope="row" class={className}>
      {children}
    </th>
  ) : (
    <td class={className}>{children}</td>
  );
}

function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined): readonly Row[] {
  const sortBy = columns.find(({ name }) => name === order?.column)?.sortBy;
  if (!sortBy || !order) return rows;
  const direction = order.isDown ? -1 : 1;
  return rows.toSorted((one, other) => direction * compare(sortBy(one), sortBy(other)));
}

/** An unknown value is less than any other. */
function compare(one: number | string | null, other: number | string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), 'en');
}
