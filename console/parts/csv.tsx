import type { ComponentChildren, JSX } from 'preact';
import { operationPath, type Inputs, type OperationId } from '../api/client.js';
import { ROOT } from '../app/base.js';
import type { Column } from './table.js';

interface CsvLinkProps<Id extends OperationId> {
  readonly operation: Id;
  readonly path?: Inputs<Id>['path'];
  /** The filters of the list, without a page. */
  readonly query?: Inputs<Id>['query'];
  readonly file: string;
  /** Text of the link, where a page has several. */
  readonly children?: ComponentChildren;
}

/** All of a list as the API exports it. */
export function CsvLink<Id extends OperationId>({
  operation,
  path,
  query,
  file,
  children = 'Export as CSV',
}: CsvLinkProps<Id>): JSX.Element {
  const { href } = new URL(operationPath(operation, { path, query: { ...query, format: 'csv' } }), ROOT);
  return (
    <a href={href} download={file}>
      {children}
    </a>
  );
}

interface CsvButtonProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly file: string;
}

/** The rows that are shown, of a list that the API does not export. */
export function CsvButton<Row>({ columns, rows, file }: CsvButtonProps<Row>): JSX.Element {
  const save = (): void => {
    const address = URL.createObjectURL(new Blob([printCsv(columns, rows)], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = file;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      Export as CSV
    </button>
  );
}

/** First characters that make spreadsheets read a cell as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export function printCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const printed = columns.filter(({ sortBy }) => sortBy);
  const lines = rows.map((row) => printed.map(({ sortBy }) => printCell(sortBy!(row))).join(','));
  return `${[printed.map(({ title }) => printCell(title)).join(','), ...lines].join('\n')}\n`;
}

function printCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return `"${FORMULA.test(value) ? "'" : ''}${value.replaceAll('"', '""')}"`;
}
