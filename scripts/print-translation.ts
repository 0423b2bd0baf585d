import type { UnifiedStop } from '../src/core/conversation/event.js';
import type { Target } from '../src/core/provider.js';
import type { DialectId } from '../src/core/routing/catalog.js';
import { BLOCK_FORMS, REQUEST_FIELDS, TOOL_FORMS, type Rule, type TranslationTable } from '../src/core/translation.js';
import { DIALECTS } from '../src/providers/dialects/index.js';

/*
 * The tables of docs/use/translation.md and of the pages of the dialects, printed from the tables that the dialects
 * use. Rules that all dialects share, or all but the first, stand once, on the first of these pages.
 */

const BEGIN = '<!-- docs:translation -->';
const END = '<!-- end -->';

/** The dialects with a page each. The sandbox uses the first, whose format is that of the tables. */
export const DIALECTS_WITH_PAGES = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'google-gemini',
  'bedrock-converse',
  'cohere-chat',
] as const satisfies readonly DialectId[];
type PrintedDialect = (typeof DIALECTS_WITH_PAGES)[number];

const STOPS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'end of turn',
  'stop-sequence': 'stop sequence',
  'tool-use': 'tool use',
  'output-limit': 'output limit',
  'context-limit': 'context limit',
  'content-filter': 'content filter',
  refusal: 'refusal',
  pause: 'pause',
  compaction: 'compaction',
  computed: 'task done',
  other: 'other, also any unknown value',
};

interface Section {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly cellOf: (dialect: PrintedDialect) => string }[];
}

const tableOf = (dialect: PrintedDialect): TranslationTable<Target> => DIALECTS[dialect].table;

const SECTIONS: readonly Section[] = [
  section('Request fields', REQUEST_FIELDS, ({ fields }, row) => fields[row].rule),
  section('Tools', TOOL_FORMS, ({ tools }, row) => tools[row]),
  section('Content blocks', BLOCK_FORMS, ({ blocks }, row) => blocks[row]),
];

function section<Row extends string>(
  title: string,
  names: Readonly<Record<Row, string>>,
  ruleOf: (table: TranslationTable<Target>, row: Row) => Rule<Target>,
): Section {
  const rows = (Object.keys(names) as Row[]).map((row) => ({
    name: names[row],
    cellOf: (dialect: PrintedDialect) => cellOf(ruleOf(tableOf(dialect), row), names[row]),
  }));
  return { title, rows };
}

/** The page of all dialects with the rules that they share. @throws Error where it has no place for them */
export const withSharedTables = (page: string): string => withPart(page, sharedTables());

/** The page of a dialect with its rules. @throws Error where it has no place for them */
export const withTablesOf = (dialect: PrintedDialect, page: string): string => withPart(page, tablesOf(dialect));

function withPart(page: string, part: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has no lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${part}\n${page.slice(end)}`;
}

/** Whether all dialects but the first treat the row alike. */
function isShared({ cellOf: cell }: Section['rows'][number]): boolean {
  const [, ...others] = DIALECTS_WITH_PAGES.map(cell);
  return others.every((other) => other === others[0]);
}

function sharedTables(): string {
  const [first, other] = DIALECTS_WITH_PAGES;
  const rows = SECTIONS.flatMap(({ rows: all }) => all).filter(isShared);
  const lines = rows.map(({ name, cellOf: cell }) => `| ${name} | ${cell(first)} | ${cell(other)} |\n`);
  return `| what is requested | \`${first}\` | every other dialect |\n|---|---|---|\n${lines.join('')}`;
}

function tablesOf(dialect: PrintedDialect): string {
  const sections = SECTIONS.map(({ title, rows }) => {
    const own = rows.filter((row) => !isShared(row)).map(({ name, cellOf: cell }) => ({ name, cell: cell(dialect) }));
    return `## ${title}\n\n${listOf(own)}`;
  });
  return [...sections, `## Stops\n\n${stopsOf(tableOf(dialect))}\n`].join('\n');
}

interface PrintedRow {
  readonly name: string;
  readonly cell: string;
}

/** Rows with the same rule are adjacent: what is sent first, then what is dropped, then what is refused. */
function listOf(rows: readonly PrintedRow[]): string {
  const namesOf = new Map<string, string[]>();
  for (const { name, cell } of rows) namesOf.set(cell, [...(namesOf.get(cell) ?? []), name]);
  const last = (cell: string): number => (cell === REFUSED ? 2 : cell === DROPPED ? 1 : 0);
  return [...namesOf]
    .sort(([one], [other]) => last(one) - last(other))
    .map(([cell, names]) =>
      last(cell) === 0 ? `- ${names.join('; ')}: ${cell}\n` : `- ${emphasised(cell)}: ${names.join('; ')}\n`,
    )
    .join('');
}

const emphasised = (cell: string): string => (cell.startsWith('**') ? cell : `**${cell}**`);

const DROPPED = 'dropped';
const REFUSED = '**refused**';

function cellOf(rule: Rule<Target>, name: string): string {
  switch (rule.type) {
    case 'mapped':
      return rule.how === name ? 'the same' : rule.how;
    // The reason for dropping it depends on the dialect, and is in its source.
    case 'dropped':
      return DROPPED;
    case 'refused':
      return REFUSED;
    case 'depends': {
      const then = `${cellOf(rule.then, name)} *(${rule.on.words})*`;
      const otherwise = cellOf(rule.otherwise, name);
      return otherwise === DROPPED ? then : `${then}; else ${otherwise}`;
    }
  }
}

/**
 * Each stop with the vendor's own words for it. function stopsOf({ stops }: TranslationTable<Target>): string { const
 * wordsOf = new Map<string, string[]>(); for (const [word, stop] of stops.unified) wordsOf.set(STOPS[stop],
 * [...(wordsOf.get(STOPS[stop]) ?? []), word]); for (const [word] of stops.faults) wordsOf.set(FAILURE,
 * [...(wordsOf.get(FAILURE) ?? []), word]); return [...wordsOf].map(([stop, words]) => `- ${stop}: ${words.map((word)
 * => `\`${word}\``).join(', ')}`).join('\n'); }
 *
 * const FAILURE = "the attempt's failure";
 *
 * import type { UnifiedStop } from '../src/core/conversation/event.js'; import type { Target } from
 * '../src/core/provider.js'; import type { DialectId } from '../src/core/routing/catalog.js'; import { BLOCK_FORMS,
 * REQUEST_FIELDS, TOOL_FORMS, type Rule, type TranslationTable } from '../src/core/translation.js'; import { DIALECTS }
 * from '../src/providers/dialects/index.js';
 *
 * /* The tables of docs/use/translation.md and of the pages of the dialects, printed from the tables that the dialects
 * use. Rules that all dialects share, or all but the first, are printed once, on the first of these pages.
 */
/** Each stop with the vendor's own words for it. */
function stopsOf({ stops }: TranslationTable<Target>): string {
  const wordsOf = new Map<string, string[]>();
  for (const [word, stop] of stops.unified) wordsOf.set(STOPS[stop], [...(wordsOf.get(STOPS[stop]) ?? []), word]);
  for (const [word] of stops.faults) wordsOf.set(FAILURE, [...(wordsOf.get(FAILURE) ?? []), word]);
  return [...wordsOf].map(([stop, words]) => `- ${stop}: ${words.map((word) => `\`${word}\``).join(', ')}`).join('\n');
}

const FAILURE = "the attempt's failure";
