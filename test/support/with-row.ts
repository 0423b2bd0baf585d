type Writable<Rows> = { -readonly [Row in keyof Rows]: Rows[Row] };

/** Runs with a replaced row in a table, and restores the original afterwards. */
export function withRow<Rows extends object, Row extends keyof Rows>(
  rows: Rows,
  row: Row,
  other: Rows[Row],
  run: () => void,
): void {
  const writable: Writable<Rows> = rows;
  const before = writable[row];
  writable[row] = other;
  try {
    run();
  } finally {
    writable[row] = before;
  }
}
