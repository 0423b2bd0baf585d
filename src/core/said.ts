/** Fields whose value was said: the others are not there. */
export type Said<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> };

/** Those of the fields that are neither undefined nor null. */
export function said<Fields extends object>(fields: Fields): Said<Fields> {
  const known: Said<Fields> = {};
  for (const key of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) known[key] = value;
  }
  return known;
}
