import type { TranslationTable } from '../../core/translation.js';
import type { Target } from '../../core/provider.js';
import { BASE_TABLE, tableOf } from './base-table.js';
import { DIALECTS } from './index.js';
import { field, mapped } from './rules.js';

/*
 * Goal: the base table has what the dialects share, and a dialect has every row. Method: rows are compared by their
 * printed form, functions by their source.
 */

type Section = keyof typeof BASE_TABLE;
type Rows = Readonly<Record<string, unknown>>;

const SECTIONS = Object.keys(BASE_TABLE) as readonly Section[];
const base = (section: Section): Rows => BASE_TABLE[section];

/** The sandbox has the table of another dialect. */
const tables = Object.entries(DIALECTS).filter(([id]) => id !== 'simulated');
const rowsOf = (section: Section): readonly Rows[] => tables.map(([, { table }]) => table[section]);

const printed = (row: unknown): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'function' ? String(value) : value));

/** How many dialects have the most common form of a row, and that form. */
function mostCommon(section: Section, name: string): readonly [form: string, dialects: number] {
  const counts = new Map<string, number>();
  for (const rows of rowsOf(section)) {
    const form = printed(rows[name]);
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]!;
}

describe.each(SECTIONS)('the rows of %s', (section) => {
  it.each(Object.entries(base(section)))(
    '%s: the form of at least three dialects, and no other is more common',
    (name, row) => {
      const [form, dialects] = mostCommon(section, name);
      expect([printed(row), dialects >= 3]).toEqual([form, true]);
    },
  );

  it('are in the base table where more than half of the dialects share them', () => {
    const names = Object.keys(rowsOf(section)[0]!).filter((name) => base(section)[name] === undefined);
    expect(names.filter((name) => mostCommon(section, name)[1] > tables.length / 2)).toEqual([]);
  });

  it('are not repeated by a dialect', () => {
    const repeated = tables.flatMap(([id, { table }]) =>
      Object.entries(table[section]).flatMap(([name, row]) =>
        row !== base(section)[name] && printed(row) === printed(base(section)[name]) ? [`${id}: ${name}`] : [],
      ),
    );
    expect(repeated).toEqual([]);
  });
});

it('a dialect has its own row in place of the one of the base', () => {
  const { fields, ...own } = DIALECTS['openai-chat'].table;
  const model = field(mapped('in the address'));
  expect(tableOf({ ...own, fields: { ...fields, model } }).fields).toEqual({ ...fields, model });
});

it('a table without a row that the base does not have does not compile', () => {
  const { fields, ...own } = DIALECTS['openai-chat'].table;
  const { stop, model, ...others }: TranslationTable<Target>['fields'] = fields;
  // @ts-expect-error `stop` is not in the base table
  expect(tableOf({ ...own, fields: others }).fields.stop).toBeUndefined();
  expect(tableOf({ ...own, fields: { ...others, stop } }).fields.model).toBe(BASE_TABLE.fields.model);
  expect(model).toEqual(BASE_TABLE.fields.model);
});
