/** An SQL condition: a text column has one of these values. The values are constants of the code, without quotes. */
export const isOneOf = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((value) => `'${value}'`).join(', ')})`;
