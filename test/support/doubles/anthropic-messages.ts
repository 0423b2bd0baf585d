import { anthropicError, anthropicFrames } from '../anthropic-upstream.js';
import type { JsonBody } from '../recorded-request.js';
import { readFrames } from '../sse.js';
import { generationFault, GENERATION_RULES } from './claude-generations.js';
import {
  DOUBLE_USAGE,
  signatureOf,
  stopOf,
  unseal,
  type DialectDouble,
  type DoubleFailureKind,
  type DoublePart,
  type DoubleReply,
  type DoubleStop,
  type Refusal,
  type WireCall,
} from './double.js';
import { PLATFORM_RULES, platformFault } from './claude-platforms.js';
import { CLAUDE_TOOL_RULES, claudeToolFault, CLOSED_RULES, closedObjectFault, DRAFT_RULE, draftFault, LIMIT_RULES, limitsFault } from './json-schemas.js'; // oxfmt-ignore
import { isForcedRefused, refusesSchemas } from './claude-models.js';
import {
  anything,
  base64,
  boolean,
  chosen,
  dotted,
  integer,
  list,
  nullable,
  number,
  object,
  constant,
  oneOf,
  openObject,
  record,
  string,
  tagged,
  text,
  textOr,
  type Fields,
  type Shape,
  type ShapeFault,
} from './wire-shape.js';

// Anthropic's Messages, on its own address and on the clouds that serve it. Fields and types by the request types of
// @anthropic-ai/sdk 1.12.0. A rule names the thread in which its refusal is quoted, or the page that states it; these
// were read on 2026-11-24. Where none is named, no source was found: the rule is the author's knowledge of the vendor.

/** The refusal: tghamm/Anthropic.SDK#50. */
const CACHE_MARKERS_MAX = 4;
/** The refusal: themaximalist/llm.js#30. */
const THINKING_BUDGET_MIN = 1024;
/** With thinking, `top_p` may be no lower: Kiln-AI/Kiln#1479, SEMOSS/Semoss#1655. */
const THINKING_TOP_P_MIN = 0.95;
/**
 * Limit of an image in base64. platform.claude.com/docs/en/build-with-claude/vision gives this bound for Bedrock and
 * Google's cloud; none was found for the vendor's own address, where the double may be stricter.
 */
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** HKUDS/nanobot#4356 */
const TOOL_ID = string({ rule: 'an id of other characters', pattern: /^[a-zA-Z0-9_-]+$/ });
/** No source was found for the bound. */
const TOOL_NAME = string({ rule: 'a name of other characters', pattern: /^[a-zA-Z0-9_-]{1,128}$/ });

const marker = object({
  type: constant('ephemeral'),
  'ttl?': oneOf('a marker of another life', '5m', '1h'),
  'scope?': text,
});
const cached: Fields = { 'cache_control?': nullable(marker) };
const cites: Fields = { 'citations?': nullable(object({ 'enabled?': boolean })) };

const imageSource = tagged('type', {
  base64: { media_type: oneOf('a picture of another type', ...IMAGE_TYPES), data: base64 },
  url: { url: text },
  file: { file_id: text },
});
const textBlock: Fields = { text, ...cached, 'citations?': nullable(list(record)) };
const imageBlock: Fields = { source: imageSource, ...cached };
const searchResultBlock: Fields = {
  content: list(tagged('type', { text: textBlock })),
  source: text,
  title: text,
  ...cached,
  ...cites,
};
const documentBlock: Fields = {
  source: tagged('type', {
    base64: { media_type: constant('application/pdf'), data: base64 },
    text: { media_type: constant('text/plain'), data: text },
    content: { content: textOr(list(tagged('type', { text: textBlock, image: imageBlock }))) },
    url: { url: text },
    file: { file_id: text },
  }),
  'context?': nullable(text),
  'title?': nullable(text),
  ...cached,
  ...cites,
};
const resultContent = tagged('type', {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  tool_reference: { tool_name: text, ...cached },
});

const blockFields: Readonly<Record<string, Fields>> = {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  thinking: { thinking: text, signature: text },
  redacted_thinking: { data: text },
  tool_use: { id: TOOL_ID, name: TOOL_NAME, input: record, 'caller?': nullable(record), ...cached },
  tool_result: {
    tool_use_id: TOOL_ID,
    'content?': textOr(list(resultContent)),
    'is_error?': boolean,
    ...cached,
  },
};
/** Blocks of the vendor's own tools; their inner form is the vendor's own, and must be returned unchanged. */
const SERVER_BLOCKS = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'advisor_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'compaction',
  'tool_addition',
  'tool_removal',
];

const knownBlock = tagged('type', blockFields);
const block = chosen([knownBlock], (value) => (SERVER_BLOCKS.includes(value?.type) ? anything : knownBlock));
const message = object({
  role: oneOf('a foreign role', 'user', 'assistant', 'system'),
  'content?': textOr(list(block)),
  // `BetaSystemMessageParam` of @anthropic-ai/sdk 1.12.0.
  'output_config?': nullable(
    object({ 'effort?': nullable(oneOf('an unknown effort', 'low', 'medium', 'high', 'xhigh', 'max')) }),
  ),
  'clear_at?': nullable(oneOf('an unknown end', 'next_user_message', 'never')),
});

const customTool = object({
  'type?': nullable(constant('custom')),
  name: TOOL_NAME,
  'description?': text,
  input_schema: openObject({ type: oneOf('a schema of no object', 'object') }),
  'strict?': boolean,
  'defer_loading?': boolean,
  'allowed_callers?': list(text),
  'eager_input_streaming?': nullable(boolean),
  'input_examples?': list(record),
  ...cached,
});
const isCustom = (tool: JsonBody): boolean => (tool?.type ?? 'custom') === 'custom';
const tool = chosen([customTool], (value) => (isCustom(value) ? customTool : anything));

const shownThinking: Fields = {
  'display?': nullable(oneOf('an unknown display', 'summarized', 'omitted', 'updates')),
  'block_binding?': nullable(record),
};
const parallel: Fields = { 'disable_parallel_tool_use?': boolean };
const body: Fields = {
  messages: list(message),
  'system?': textOr(list(tagged('type', { text: textBlock }))),
  'temperature?': number({ rule: 'a temperature above one', min: 0, max: 1 }),
  'top_p?': number({ rule: 'a top_p above one', min: 0, max: 1 }),
  'top_k?': integer({ rule: 'a top_k below nought', min: 0 }),
  'stop_sequences?': list(string({ rule: 'an empty stop sequence', pattern: /\S/ })),
  'tools?': list(tool),
  'tool_choice?': tagged('type', { auto: parallel, any: parallel, tool: { name: text, ...parallel }, none: {} }),
  'thinking?': tagged('type', {
    enabled: { budget_tokens: integer(), ...shownThinking },
    adaptive: shownThinking,
    disabled: {},
    between_tools: {},
  }),
  'output_config?': object({
    'effort?': nullable(oneOf('an unknown effort', 'low', 'medium', 'high', 'xhigh', 'max')),
    'format?': nullable(tagged('type', { json_schema: { schema: record } })),
    'task_budget?': nullable(record),
  }),
};
/** Additional fields of Anthropic's own address; clouds refuse them (`vertex-bodies.ts`, `invoke-body.ts`). */
const ownFields: Fields = {
  model: text,
  'stream?': boolean,
  'cache_control?': nullable(marker),
  'metadata?': object({ 'user_id?': nullable(text) }),
  'service_tier?': oneOf('an unknown tier', 'auto', 'standard_only'),
  'container?': anything,
  'context_management?': nullable(record),
  'mcp_servers?': list(record),
  'output_format?': record,
  'speed?': nullable(oneOf('an unknown speed', 'standard', 'fast')),
  'inference_geo?': nullable(text),
};
const answered: Fields = { max_tokens: integer({ rule: 'no token of output', min: 1 }) };
const SHAPES = {
  direct: object({ ...body, ...answered, ...ownFields }),
  azure: object({ ...body, ...answered, ...ownFields }),
  // The model is in the address.
  vertex: object({
    ...body,
    ...answered,
    anthropic_version: constant('vertex-2023-10-16'),
    'anthropic_beta?': list(text),
    'stream?': boolean,
    'metadata?': object({ 'user_id?': nullable(text) }),
    'cache_control?': nullable(marker),
    'context_management?': nullable(record),
  }),
  // Model and stream are in the address.
  bedrock: object({
    ...body,
    ...answered,
    anthropic_version: constant('bedrock-2023-05-31'),
    'anthropic_beta?': list(text),
  }),
} as const satisfies Record<WireCall['platform'], Shape>;

/**
 * Without the fields that only an answer needs: the parameters of `messages.countTokens` in @anthropic-ai/sdk 1.12.0.
 */
const counted: Fields = {
  ...Object.fromEntries(Object.entries(body).filter(([field]) => !/^(temperature|top_|stop_)/.test(field))),
  model: text,
  'cache_control?': nullable(marker),
  'context_management?': nullable(record),
};
const ownCount = object({
  ...counted,
  'mcp_servers?': list(record),
  'output_format?': record,
  'speed?': nullable(oneOf('an unknown speed', 'standard', 'fast')),
});
const COUNT_SHAPES = {
  direct: ownCount,
  azure: ownCount,
  // One address serves all models, so the body names the model:
  // docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens.
  vertex: object({ ...counted, anthropic_version: constant('vertex-2023-10-16'), 'anthropic_beta?': list(text) }),
  // In a Converse body.
  bedrock: object({}),
} as const satisfies Record<WireCall['platform'], Shape>;

const FORM_WORDS: Readonly<Record<ShapeFault['problem'], (fault: ShapeFault) => string>> = {
  unknown: () => 'Extra inputs are not permitted',
  missing: () => 'Field required',
  invalid: ({ wanted }) => `Input should be ${wanted}`,
};

/** Pydantic's words, as in the answers of the vendor's API. */
const misshapen = (fault: ShapeFault): Refusal => ({
  rule: fault.rule,
  message: `${dotted(fault.path)}: ${FORM_WORDS[fault.problem](fault)}`,
});

/** In addition to those of the form. */
const RULES = [
  'no messages',
  'a field without its beta',
  'a tool twice',
  'a choice of an unknown tool',
  'a choice among nothing',
  'a schema of either',
  'a schema that the platform does not know',
  'a forced tool of a model that is not forced',
  'twenty-one strict tools',
  'a turn without content',
  'an empty text',
  'a text of space',
  'a last turn that ends in space',
  'an id twice',
  'a call without result',
  'a stray result',
  'a result twice',
  'a failed result of more than words',
  'advice without its adviser',
  'five markers',
  'a marker on an empty text',
  'an hour behind minutes',
  'a small budget',
  'a budget over the limit',
  'thinking with a temperature',
  'thinking with top_k',
  'thinking with a low top_p',
  'thinking with a forced tool',
  'a loop that begins without thinking',
  'an address on a cloud',
  'a picture of 6 MB',
  'a foreign signature',
  'a foreign seal',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

/** Fields that require a beta: without it they are extra inputs, as in the vendor's own SDK, which sends both. */
function missingBeta({ body: sent, platform, headers }: WireCall): Refusal | undefined {
  if (platform === 'bedrock' || platform === 'vertex') return undefined;
  const named = String(headers['anthropic-beta'] ?? '').split(',');
  const { speed, context_management: management, output_config: output } = sent;
  const compacts = management?.edits?.some(({ type }: JsonBody) => type === 'compact_20260112');
  const needed = [
    ['speed', 'fast-mode-2026-02-01', speed],
    ['context_management', 'context-management-2025-06-27', management],
    ['context_management', 'compact-2026-01-12', compacts],
    ['output_config.task_budget', 'task-budgets-2026-03-13', output?.task_budget],
    [
      'cache_control.scope',
      'prompt-caching-scope-2026-01-05',
      blocksOf(sent).some(({ block: one }) => one.cache_control?.scope),
    ],
  ] as const;
  const missing = needed.find(([, beta, value]) => value && !named.includes(beta));
  return missing && broken('a field without its beta', `${missing[0]}: Extra inputs are not permitted`);
}

interface Placed {
  readonly at: string;
  readonly block: JsonBody;
}

/** Every block that may carry a marker, in the order in which the vendor's cache reads them. */
function blocksOf(sent: JsonBody): Placed[] {
  const placed = (at: string, blocks: unknown): Placed[] =>
    Array.isArray(blocks) ? blocks.map((each: JsonBody, index) => ({ at: `${at}.${index}`, block: each })) : [];
  const turns = sent.messages.flatMap(({ content }: JsonBody, index: number) =>
    placed(`messages.${index}.content`, content).flatMap((one) =>
      one.block.type === 'tool_result' ? [...placed(`${one.at}.tool_result.content`, one.block.content), one] : [one],
    ),
  );
  return [...placed('tools', sent.tools), ...placed('system', sent.system), ...turns];
}

/**
 * Number, positions and order of lifetimes. Empty texts: askalf/dario#1066; the order: headroomlabs-ai/headroom#2939.
 */
function markerFault(sent: JsonBody): Refusal | undefined {
  const marked = blocksOf(sent).filter(({ block: { cache_control } }) => cache_control);
  const count = marked.length + (sent.cache_control ? 1 : 0);
  if (count > CACHE_MARKERS_MAX) {
    return broken('five markers', `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
  }
  const empty = marked.find(({ block: one }) => one.type === 'text' && one.text === '');
  if (empty) {
    return broken('a marker on an empty text', `${empty.at}.text: cache_control cannot be set for empty text blocks`);
  }
  const shorter = marked.findIndex(({ block: { cache_control } }) => cache_control.ttl !== '1h');
  const late = marked.find(({ block: { cache_control } }, index) => index > shorter && cache_control.ttl === '1h');
  if (shorter < 0 || !late) return undefined;
  const words = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  return broken('an hour behind minutes', `${late.at}.cache_control.ttl: ${words}`);
}

/**
 * The budget, and fields that cannot be combined with it. Refusals: MartialBE/one-hub#529 (temperature),
 * quarkiverse/quarkus-langchain4j#1812 (`top_k`), can1357/oh-my-pi#341 (forced tools). A budget below the limit:
 * themaximalist/llm.js#30; with interleaved thinking the vendor allows a higher one (awsl-project/maxx#765, which
 * quotes the documentation), so that the double is stricter there.
 */
function thinkingFault(sent: JsonBody, counts: boolean): Refusal | undefined {
  const { thinking, temperature, top_p, top_k, tool_choice: choice, max_tokens } = sent;
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return undefined;
  if (thinking.type === 'enabled') {
    const budget = thinking.budget_tokens;
    if (budget < THINKING_BUDGET_MIN) {
      return broken('a small budget', 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    }
    if (!counts && budget >= max_tokens) {
      return broken('a budget over the limit', '`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
  }
  if (temperature !== undefined && temperature !== 1) {
    const words = '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.';
    return broken('thinking with a temperature', words);
  }
  if (top_k !== undefined) {
    return broken('thinking with top_k', '`top_k` must be unset when thinking is enabled or in adaptive mode.');
  }
  if (top_p < THINKING_TOP_P_MIN) {
    const words = '`top_p` must be greater than or equal to 0.95 when thinking is enabled.';
    return broken('thinking with a low top_p', words);
  }
  if (choice?.type === 'any' || choice?.type === 'tool') {
    return broken('thinking with a forced tool', 'Thinking may not be enabled when tool_choice forces tool use.');
  }
  return thinking.type === 'enabled' ? openLoopFault(sent.messages) : undefined;
}

/**
 * The current turn begins with the model's own reasoning. The refusal is about a final assistant message that must
 * start with a thinking block, ahead of the last calls and results (anomalyco/opencode#3077, where it names the turn's
 * first message, lbjlaq/Antigravity-Manager#139; read 2026-11-24). It does not specify which message of a longer loop
 * is checked: the double checks the one that opens the loop, since the model thinks there and not before each call.
 */
function openLoopFault(messages: JsonBody[]): Refusal | undefined {
  const answers = (turn: JsonBody): boolean => toolIds(turn, 'tool_result').length > 0;
  const turns = messages.map((turn, index) => ({ ...turn, index })).filter(({ role }) => role !== 'system');
  const lastQuestion = turns.findLastIndex((turn) => turn.role === 'user' && !answers(turn));
  const opening = turns[lastQuestion + 1];
  if (opening?.role !== 'assistant' || !turns.slice(lastQuestion + 1).some(answers)) return undefined;
  const type = Array.isArray(opening.content) ? opening.content[0].type : 'text';
  if (type === 'thinking' || type === 'redacted_thinking') return undefined;
  const at = `messages.${opening.index}.content.0.type`;
  const words = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`.`;
  return broken('a loop that begins without thinking', `${at}: ${words}`);
}

/** Turns of one side in a row are one: platform.claude.com/docs/en/api/messages, `messages`; read 2026-11-29. */
function joinedTurns(messages: JsonBody[]): JsonBody[] {
  const blocks = ({ content }: JsonBody): JsonBody[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const joined: JsonBody[] = [];
  for (const turn of messages) {
    const last = joined.at(-1);
    if (last?.role === turn.role) joined.splice(-1, 1, { ...last, content: [...blocks(last), ...blocks(turn)] });
    else joined.push(turn);
  }
  return joined;
}

const ID_OF = { tool_use: 'id', tool_result: 'tool_use_id' } as const;

function toolIds(turn: JsonBody, type: keyof typeof ID_OF): string[] {
  if (!Array.isArray(turn?.content)) return [];
  return turn.content.filter((each: JsonBody) => each.type === type).map((each: JsonBody) => each[ID_OF[type]]);
}

/**
 * Results directly follow their calls, each once, without text before them. Refusals: anthropics/claude-code#8210 and
 * #18947, anthropics/anthropic-sdk-typescript#653 (at the message's beginning), vectorize-io/hindsight#4250 (one result
 * each), trycua/cua#524 (unique ids; observed within a turn, here required of all).
 */
function toolFault(sent: JsonBody[]): Refusal | undefined {
  const seen = new Set<string>();
  const messages = joinedTurns(sent);
  for (const [index, turn] of messages.entries()) {
    for (const id of toolIds(turn, 'tool_use')) {
      if (seen.has(id)) return broken('an id twice', 'messages: `tool_use` ids must be unique');
      seen.add(id);
    }
    const called = turn.role === 'assistant' ? toolIds(turn, 'tool_use') : [];
    const next = messages[index + 1];
    const answered = next?.content[0]?.type === 'tool_result' ? toolIds(next, 'tool_result') : [];
    const open = called.filter((id) => !answered.includes(id));
    if (open.length > 0) {
      const words = '`tool_use` ids were found without `tool_result` blocks immediately after';
      return broken('a call without result', `messages.${index}: ${words}: ${open.join(', ')}.`);
    }
    const before = toolIds(messages[index - 1], 'tool_use');
    const results = toolIds(turn, 'tool_result');
    const stray = results.find((id) => !before.includes(id));
    if (stray) {
      const words = 'unexpected `tool_use_id` found in `tool_result` blocks';
      return broken('a stray result', `messages.${index}.content: ${words}: ${stray}.`);
    }
    // vellum-ai/vellum-assistant#18387
    const isMixed = ({ type, is_error: failed, content }: JsonBody): boolean =>
      type === 'tool_result' && failed === true && Array.isArray(content) && content.some((one) => one.type !== 'text');
    if (Array.isArray(turn.content) && turn.content.some(isMixed)) {
      const words = 'all content must be type "text" if "is_error" is true';
      return broken('a failed result of more than words', `messages.${index}.content: ${words}`);
    }
    const twice = results.find((id, position) => results.indexOf(id) !== position);
    if (twice) {
      const words = 'each tool_use must have a single result. Found multiple with id';
      return broken('a result twice', `messages.${index}.content: ${words}: ${twice}`);
    }
  }
  return undefined;
}

/**
 * The documentation of the tool (platform.claude.com, the advisor tool; read 2026-11-28); the wording is the author's.
 */
function adviceFault({ messages, tools = [] }: JsonBody): Refusal | undefined {
  if (tools.some(({ type }: JsonBody) => type?.startsWith('advisor_'))) return undefined;
  const holdsAdvice = ({ content }: JsonBody): boolean =>
    Array.isArray(content) && content.some(({ type }: JsonBody) => type === 'advisor_tool_result');
  const index = messages.findIndex(holdsAdvice);
  if (index < 0) return undefined;
  const words = '`advisor_tool_result` blocks need the advisor tool in `tools`';
  return broken('advice without its adviser', `messages.${index}.content: ${words}`);
}

/** Empty texts: anthropics/claude-code#59812; white space only: home-assistant/core#175637. */
function wordsFault(messages: JsonBody[]): Refusal | undefined {
  for (const [index, message] of messages.entries()) {
    const { role, content = [] } = message;
    const isLast = index === messages.length - 1;
    if (content.length === 0 && role === 'system' && message.output_config?.effort !== undefined) continue;
    if (content.length === 0 && !(isLast && role === 'assistant')) {
      const words = 'all messages must have non-empty content but the last of the assistant';
      return broken('a turn without content', `messages.${index}: ${words}`);
    }
    const blocks: JsonBody[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const texts = blocks.filter(({ type }) => type === 'text');
    if (texts.some((each) => each.text === '')) {
      return broken('an empty text', 'messages: text content blocks must be non-empty');
    }
    if (texts.length > 0 && texts.length === blocks.length && texts.every((each) => each.text.trim() === '')) {
      return broken('a text of space', 'messages: text content blocks must contain non-whitespace text');
    }
    const last = blocks.at(-1);
    if (isLast && role === 'assistant' && last?.type === 'text' && /\s$/.test(last.text)) {
      const words = 'messages: final assistant content cannot end with trailing whitespace';
      return broken('a last turn that ends in space', words);
    }
  }
  return undefined;
}

/**
 * Reasoning must be returned as signed: the refusal in anthropics/claude-code#10627, and its purpose in
 * anthropics/anthropic-sdk-python#1598. There the vendor states that another model's blocks are refused too, which this
 * double does not do: clients that switch between Claude's models keep them.
 */
function signatureFault(messages: JsonBody[]): Refusal | undefined {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    for (const [position, each] of content.entries()) {
      const at = `messages.${index}.content.${position}`;
      if (each.type === 'thinking' && each.signature !== signatureOf('anthropic', each.thinking)) {
        return broken('a foreign signature', `${at}: Invalid \`signature\` in \`thinking\` block`);
      }
      if (each.type === 'redacted_thinking' && unseal('anthropic', each.data) === undefined) {
        return broken('a foreign seal', `${at}: Invalid \`data\` in \`redacted_thinking\` block`);
      }
    }
  }
  return undefined;
}

/**
 * The clouds read no addresses: anthropics/anthropic-sdk-typescript#1038, whose refusal names that path for documents
 * as well, and platform.claude.com/docs/en/build-with-claude/vision for Bedrock and Google's cloud alike.
 */
function mediaFault(sent: JsonBody, platform: WireCall['platform']): Refusal | undefined {
  const named = blocksOf(sent).find(({ block: one }) => one.source?.type === 'url');
  if (named && (platform === 'vertex' || platform === 'bedrock')) {
    const words = `${named.at}.image.source.base64.data: URL sources are not supported`;
    return broken('an address on a cloud', words);
  }
  const large = blocksOf(sent).find(
    ({ block: one }) => one.type === 'image' && one.source.data?.length > IMAGE_BYTES_MAX,
  );
  if (!large) return undefined;
  const words = `image exceeds 5 MB maximum: ${large.block.source.data.length} bytes`;
  return broken('a picture of 6 MB', `${large.at}.image.source.base64: ${words}`);
}

/** Unions at the top: anthropics/claude-code#27337. No source was found for the others. */
function definitionFault({ body: sent, model, platform }: WireCall): Refusal | undefined {
  const { tools = [], tool_choice: choice, output_config: output } = sent;
  const names: string[] = tools.map(({ name }: JsonBody) => name);
  if (new Set(names).size !== names.length) return broken('a tool twice', 'tools: Tool names must be unique.');
  if (choice?.type === 'tool' && !names.includes(choice.name)) {
    return broken('a choice of an unknown tool', `Tool '${choice.name}' not found in provided tools`);
  }
  if (choice && tools.length === 0) {
    return broken('a choice among nothing', 'tool_choice: may only be specified while providing tools.');
  }
  const combined = tools.findIndex(({ input_schema: schema = {} }: JsonBody) =>
    ['oneOf', 'allOf', 'anyOf'].some((word) => word in schema),
  );
  if (combined >= 0) {
    const words = 'does not support oneOf, allOf, or anyOf at the top level';
    return broken('a schema of either', `tools.${combined}.custom.input_schema: ${words}`);
  }
  for (const [index, { input_schema: schema }] of tools.entries()) {
    const of = `tools.${index}.custom`;
    const fault = schema && (claudeToolFault(schema, of) ?? draftFault(withoutTopNulls(schema), of));
    if (fault) return fault;
  }
  if ((choice?.type === 'tool' || choice?.type === 'any') && isForcedRefused(model)) {
    const words = 'tool_choice: type "tool" and "any" are not supported for this model.';
    return broken('a forced tool of a model that is not forced', words);
  }
  return schemasFault(tools, output?.format, platform === 'bedrock' && refusesSchemas(model));
}

/** The vendor takes null for an absent keyword at the top (`completeSchema`, src/providers/dialects). */
const withoutTopNulls = (schema: JsonBody): JsonBody =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== null));

/** pydantic/pydantic-ai#5579, elie222/inbox-zero#2323; read 2026-11-29. */
const STRICT_TOOLS_MAX = 20;

function schemasFault(tools: JsonBody[], format: JsonBody, isUnknown: boolean): Refusal | undefined {
  const strict = [...tools.entries()].filter(([, tool]) => tool.strict === true);
  const [first] = strict;
  if (isUnknown && (first || format)) {
    const where = first ? `tools.${first[0]}.custom.strict` : 'output_config.format';
    return broken('a schema that the platform does not know', `${where}: Extra inputs are not permitted`);
  }
  if (strict.length > STRICT_TOOLS_MAX) {
    const words = `Too many strict tools (${strict.length}). The maximum number of strict tools supported is 20.`;
    return broken('twenty-one strict tools', words);
  }
  const schemas = [...strict.map(([, tool]) => tool.input_schema), ...(format ? [format.schema] : [])];
  const limit = limitsFault(schemas);
  if (limit) return limit;
  for (const [index, tool] of strict) {
    const fault = closedObjectFault(tool.input_schema, `tools.${index}.custom`);
    if (fault) return fault;
  }
  const of = 'output_config.format.schema';
  return format && (closedObjectFault(format.schema, of) ?? draftFault(format.schema, of));
}

const STOPS: Readonly<Record<DoubleStop, string>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  'output-limit': 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'refusal',
};

const FAILURES: Readonly<Record<DoubleFailureKind, readonly [status: number, type: string]>> = {
  invalid: [400, 'invalid_request_error'],
  unauthorised: [401, 'authentication_error'],
  'rate-limited': [429, 'rate_limit_error'],
  overloaded: [529, 'overloaded_error'],
  'server-error': [500, 'api_error'],
};

function contentOf(part: DoublePart): JsonBody {
  switch (part.type) {
    case 'thinking':
      return { type: 'thinking', thinking: part.text, signature: signatureOf('anthropic', part.text) };
    case 'image':
      throw new Error('No model of this vendor draws.');
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
    case 'text':
      return {
        type: 'text',
        text: part.text,
        ...(part.citations && {
          citations: part.citations.map(({ url, title, quote }) => ({
            type: 'web_search_result_location',
            url,
            title,
            cited_text: quote,
            encrypted_index: Buffer.from(url).toString('base64'),
          })),
        }),
      };
  }
}

function messageOf(reply: DoubleReply, { model }: WireCall): Record<string, JsonBody> {
  const stop = stopOf(reply);
  const usage = reply.usage === undefined ? DOUBLE_USAGE : reply.usage;
  return {
    id: 'msg_double',
    type: 'message',
    role: 'assistant',
    model,
    content: reply.parts.map(contentOf),
    stop_reason: STOPS[stop],
    stop_sequence: stop === 'stop-sequence' ? (reply.stopSequence ?? null) : null,
    ...(usage && {
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: usage.cached,
        output_tokens: usage.output,
        service_tier: 'standard',
      },
    }),
  };
}

const rulesOf = (shapes: Readonly<Record<WireCall['platform'], Shape>>): string[] => [
  ...new Set([
    ...Object.values(shapes).flatMap(({ rules }) => rules),
    ...RULES,
    ...CLOSED_RULES,
    ...LIMIT_RULES,
    ...CLAUDE_TOOL_RULES,
    DRAFT_RULE,
    ...PLATFORM_RULES,
    ...GENERATION_RULES.filter((rule) => rule !== 'a strict tool at Converse'),
  ]),
];

/** The refusals of a body, and the form of a reply, with a ping after its first event. */
export const anthropicMessages: DialectDouble = {
  lineEnd: '\n',
  ping: { event: 'ping', data: { type: 'ping' } },
  rules: rulesOf(SHAPES),
  refuse(call) {
    const fault = SHAPES[call.platform](call.body);
    return fault ? misshapen(fault) : faultOf(call, false);
  },
  reply(reply, call) {
    const whole = messageOf(reply, call);
    const events = readFrames(anthropicFrames(whole).join('')).map(({ event, data }) => ({
      event,
      data: JSON.parse(data!),
    }));
    const last = events.findIndex(({ event }) => event === 'message_delta');
    return { whole, events: events.slice(0, last), end: events.slice(last) };
  },
  failure(kind, words) {
    const [status, type] = FAILURES[kind];
    return {
      status,
      body: anthropicError(type, words),
      ...(kind === 'rate-limited' && { headers: { 'retry-after': '7' } }),
    };
  },
  // No output limit is needed, and fields that only an answer needs are unknown.
  counting: {
    rules: ['an unknown field', 'a field that is missing'],
    refuse(call) {
      const fault = COUNT_SHAPES[call.platform](call.body);
      return fault ? misshapen(fault) : faultOf(call, true);
    },
    reply: (input_tokens) => ({ input_tokens }),
  },
  failureEvent: (kind, words) => ({ event: 'error', data: anthropicError(FAILURES[kind][1], words) }),
};

function faultOf(call: WireCall, counts: boolean): Refusal | undefined {
  const { body: sent } = call;
  if (sent.messages.length === 0) return broken('no messages', 'messages: at least one message is required');
  return (
    missingBeta(call) ??
    platformFault(call, blocksOf(sent)) ??
    definitionFault(call) ??
    wordsFault(sent.messages) ??
    toolFault(sent.messages) ??
    adviceFault(sent) ??
    markerFault(sent) ??
    thinkingFault(sent, counts) ??
    mediaFault(sent, call.platform) ??
    signatureFault(sent.messages) ??
    generationFault({ model: call.model, fields: sent, betas: betasOf(call), atConverse: false })
  );
}

const betasOf = ({ body: sent, headers }: WireCall): string[] =>
  sent.anthropic_beta ?? String(headers['anthropic-beta'] ?? '').split(',');
