/** A condition of SQL: a column of texts has one of these values. They are the code's own, without quotes. */
export const isOneOf = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((value) => `'${value}'`).join(', ')})`;
