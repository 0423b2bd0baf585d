import type { UnifiedStop } from '../src/core/conversation/event.js';
import type { Target } from '../src/core/provider.js';
import type { DialectId } from '../src/core/routing/catalog.js';
import {
  BLOCK_FORMS,
  REPLY_FORMS,
  REQUEST_FIELDS,
  TOOL_FORMS,
  USAGE_CLASSES,
  type ReplyRule,
  type Rule,
  type TranslationTable,
} from '../src/core/translation.js';
import { DIALECTS } from '../src/providers/dialects/index.js';

/*
 * The tables of docs/translation.md, printed from those that the dialects go by.
 */

const BEGIN = '<!-- The tables from here on are printed by `npm run docs:translation`. -->';
const END = '<!-- Here the printed tables end. -->';

/** In the order of the columns. The sandbox speaks the first of them. */
const COLUMNS = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'google-gemini',
  'bedrock-converse',
  'cohere-chat',
] as const satisfies readonly DialectId[];

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
  other: 'other, as is any word that nobody knows',
};

/** The page with the tables as they are now. @throws Error where it has no place for them */
export function withTables(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has no lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${printTables()}\n${page.slice(end)}`;
}

function printTables(): string {
  return [
    section('Request fields', 'Field', REQUEST_FIELDS, ({ fields }, row) => ruleCell(fields[row].rule)),
    section('Tools', 'Tool', TOOL_FORMS, ({ tools }, row) => ruleCell(tools[row])),
    section('Content blocks', 'Block', BLOCK_FORMS, ({ blocks }, row) => ruleCell(blocks[row])),
    section('Replies', 'In the reply', REPLY_FORMS, ({ replies }, row) => replyCell(replies[row])),
    section('Stops', 'Stop', { ...STOPS, fault: "the attempt's failure" }, stopCell),
    section('Usage', 'Figure', USAGE_CLASSES, ({ usage }, row) => replyCell(usage[row].rule)),
  ].join('\n');
}

function section<Row extends string>(
  title: string,
  lead: string,
  rows: Readonly<Record<Row, string>>,
  cell: (table: TranslationTable<Target>, row: Row) => string,
): string {
  const lines = [
    [lead, ...COLUMNS.map((id) => `\`${id}\``)],
    ['', ...COLUMNS].map(() => '---'),
    ...(Object.keys(rows) as Row[]).map((row) => [rows[row], ...COLUMNS.map((id) => cell(DIALECTS[id].table, row))]),
  ];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return `### ${title}\n\n${table.replace('| --- |', '|---|').replaceAll(' --- |', '---|')}`;
}

function ruleCell(rule: Rule<Target>): string {
  switch (rule.type) {
    case 'mapped':
      return rule.how;
    case 'dropped':
      return rule.why === '' ? 'dropped' : `dropped: ${rule.why}`;
    case 'refused':
      return '**refused**';
    case 'depends': {
      const then = `${ruleCell(rule.then)} *(${rule.on.words})*`;
      const otherwise = ruleCell(rule.otherwise);
      return otherwise === 'dropped' ? then : `${then}; else ${otherwise}`;
    }
  }
}

const replyCell = (rule: ReplyRule): string => (rule.type === 'absent' ? '–' : ruleCell(rule));

function stopCell({ stops }: TranslationTable<Target>, row: UnifiedStop | 'fault'): string {
  const words =
    row === 'fault'
      ? [...stops.faults].map(([word, kind]) => `\`${word}\` (${kind.replaceAll('-', ' ')})`)
      : [...stops.unified].flatMap(([word, unified]) => (unified === row ? [`\`${word}\``] : []));
  return words.length === 0 ? '–' : words.join(', ');
}
