/** The fields that have a value; the others are absent. */
export type Defined<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> };

/** The fields whose values are neither undefined nor null. */
export function definedOnly<Fields extends object>(fields: Fields): Defined<Fields> {
  const known: Defined<Fields> = {};
  for (const key of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) known[key] = value;
  }
  return known;
}
