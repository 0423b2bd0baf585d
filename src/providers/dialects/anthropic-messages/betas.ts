import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** Whether a body contains what needs the beta. */
type Uses = (body: JsonObject) => boolean;

const has =
  (field: string): Uses =>
  (body) =>
    body[field] !== undefined && body[field] !== null;

const hasEdit =
  (type: string): Uses =>
  ({ context_management: management }) =>
    entriesOf(isJsonObject(management) ? management['edits'] : undefined).some((edit) => edit['type'] === type);

const hasTool =
  (type: string): Uses =>
  ({ tools }) =>
    entriesOf(tools).some((tool) => tool['type'] === type);

const hasMember =
  (field: string, member: string, expected?: Json): Uses =>
  ({ [field]: value }) =>
    isJsonObject(value) &&
    value[member] !== undefined &&
    value[member] !== null &&
    (expected === undefined || value[member] === expected);

/** Whether a turn's content, or a result in it, names a file that the vendor stores. */
const holdsFile = (content: Json | undefined): boolean =>
  Array.isArray(content) &&
  (content as readonly Json[]).some(
    (block) =>
      isJsonObject(block) &&
      (block['type'] === 'container_upload' || isFile(block['source']) || holdsFile(block['content'])),
  );

const isFile = (source: Json | undefined): boolean => isJsonObject(source) && source['type'] === 'file';

const isAny = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0;

/**
 * The beta that each field of a body needs. Sources, read 2026-11-23: the list of betas and the types of beta requests
 * in the vendor's own SDK (@anthropic-ai/sdk 1.12.0), and which beta @ai-sdk/anthropic 3.0.138 sends with which field.
 * Fields that need none are not listed. The vendor ignores or refuses a field whose beta is missing.
 */
export const FIELD_BETAS: readonly (readonly [field: string, beta: string, uses: Uses])[] = [
  ['speed', 'fast-mode-2026-02-01', has('speed')],
  ['context_management', 'context-management-2025-06-27', has('context_management')],
  ['context_management.edits: compact_20260112', 'compact-2026-01-12', hasEdit('compact_20260112')],
  ['output_config.task_budget', 'task-budgets-2026-03-13', hasMember('output_config', 'task_budget')],
  ['thinking.display: updates', 'thinking-display-updates-2026-08-18', hasMember('thinking', 'display', 'updates')],
  ['thinking.block_binding', 'thinking-binding-controls-2026-08-01', hasMember('thinking', 'block_binding')],
  ['mcp_servers', 'mcp-client-2025-04-04', ({ mcp_servers: servers }) => isAny(servers)],
  ['tools: advisor_20260301', 'advisor-tool-2026-03-01', hasTool('advisor_20260301')],
  ['tools: memory_20250818', 'context-management-2025-06-27', hasTool('memory_20250818')],
  ['tools: code_execution_20250522', 'code-execution-2025-05-22', hasTool('code_execution_20250522')],
  ['tools: code_execution_20250825', 'code-execution-2025-08-25', hasTool('code_execution_20250825')],
  ['tools: computer_20250124', 'computer-use-2025-01-24', hasTool('computer_20250124')],
  ['tools: computer_20251124', 'computer-use-2025-11-24', hasTool('computer_20251124')],
  ['tools: web_fetch_20250910', 'web-fetch-2025-09-10', hasTool('web_fetch_20250910')],
  ['tools: web_fetch_20260209', 'code-execution-web-tools-2026-02-09', hasTool('web_fetch_20260209')],
  ['tools: web_search_20260209', 'code-execution-web-tools-2026-02-09', hasTool('web_search_20260209')],
  [
    'messages: source file',
    'files-api-2025-04-14',
    ({ messages }) => entriesOf(messages).some(({ content }) => holdsFile(content)),
  ],
  ['container.skills', 'skills-2025-10-02', ({ container }) => isJsonObject(container) && isAny(container['skills'])],
];

/** Rows by the field of the body that they concern: most bodies have none of these fields but `messages`. */
const ROWS_OF = new Map<string, (typeof FIELD_BETAS)[number][]>();
for (const row of FIELD_BETAS) {
  const [field] = /^\w+/.exec(row[0])!;
  ROWS_OF.set(field, [...(ROWS_OF.get(field) ?? []), row]);
}

/**
 * The beta's name without its date. A feature gets a later date when its form changes, and a caller who names a date
 * chooses that form.
 */
const nameOf = (beta: string): string => beta.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/**
 * The betas of a call: the caller's own, then those that its body needs and the caller did not name with any date.
 * @param own the caller's betas that may be sent
 * @param mayHoldFiles false: no block of the conversation can name a file that the vendor stores
 * @param hasVendorTools false: all tools are functions
 */
export function betasOf(
  body: JsonObject,
  own: readonly string[],
  mayHoldFiles = true,
  hasVendorTools = true,
): readonly string[] {
  let needed: Set<string> | undefined;
  for (const [field, rows] of ROWS_OF) {
    if (body[field] === undefined || (field === 'messages' && !mayHoldFiles)) continue;
    if (field === 'tools' && !hasVendorTools) continue;
    for (const [, beta, uses] of rows) if (uses(body)) (needed ??= new Set()).add(beta);
  }
  if (needed === undefined) return own;
  const named = new Set(own.map(nameOf));
  return [...own, ...[...needed].filter((beta) => !named.has(nameOf(beta)))];
}

function entriesOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}
