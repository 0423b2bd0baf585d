import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** Whether it has whole sentences, which take several lines. */
  readonly wraps?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** What its rows are sorted by; absent: by this column they are not. */
  readonly sortBy?: (row: Row) => number | string | null;
}

interface TableProps<Row> {
  readonly caption: string;
  /** Whether the caption is for readers of the screen alone: a heading stands above. */
  readonly hidesCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

/** Rows that are sorted by their columns: those that are shown, in the order of their list unless another is chosen. */
export function Table<Row>({ caption, hidesCaption, columns, rows, keyOf }: TableProps<Row>): JSX.Element {
  const [order, setOrder] = useState<Order>();
  const sort = ({ name, isNumber = false }: Column<Row>): void =>
    setOrder((before) => {
      if (before?.column !== name) return { column: name, isDown: isNumber };
      return before.isDown === isNumber ? { column: name, isDown: !isNumber } : undefined;
    });
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
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
          {inOrder(rows, columns, order).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={column.isNumber ? 'right' : column.wraps ? 'wraps' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
