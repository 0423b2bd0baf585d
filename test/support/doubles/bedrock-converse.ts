import type { JsonBody } from '../recorded-request.js';
import { generationFault, GENERATION_RULES, type ClaudeCall } from './claude-generations.js';
import { slices } from '../upstream-answers.js';
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
  type DoubleUsage,
  type Refusal,
  type Signer,
  type WireEvent,
} from './double.js';
import { CLAUDE_TOOL_RULES, claudeToolFault, CLOSED_RULES, closedObjectFault, DRAFT_RULE, draftFault, LIMIT_RULES, limitsFault } from './json-schemas.js'; // oxfmt-ignore
import { isForcedRefused, refusesSchemas } from './claude-models.js';
import {
  anything,
  base64,
  boolean,
  bracketed,
  dotted,
  integer,
  list,
  number,
  object,
  constant,
  oneOf,
  record,
  string,
  text,
  union,
  type Fields,
  type ShapeFault,
} from './wire-shape.js';

// Amazon Bedrock's Converse and ConverseStream. Members by the request types of @aws-sdk/client-bedrock-runtime
// 3.1164.0. A rule names the page of docs.aws.amazon.com/bedrock/latest that states it, or the thread in which its
// refusal is quoted; these were read on 2026-11-24. Where none is named, no source was found: the rule is the author's
// knowledge of the service.

/** Claude's own bound (tghamm/Anthropic.SDK#50); that the other families have the same is an assumption. */
const CACHE_POINTS_MAX = 4;
/** APIReference/API_runtime_ToolUseBlock.html, for both. */
const TOOL_ID = string({ rule: 'an id of other characters', min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
const TOOL_NAME = string({ rule: 'a name of other characters', min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
/** APIReference/API_runtime_DocumentBlock.html: letters, digits, single white space, hyphens, brackets. */
const DOCUMENT_NAME = string({
  rule: 'a document of another name',
  min: 1,
  max: 200,
  pattern: /^(?!.*\s\s)[a-zA-Z0-9\s\-()[\]]+$/,
});
/**
 * Limit of an image in all messages: APIReference/API_runtime_Message.html. For the same operations
 * userguide/inference-api-restrictions.html states that images are bounded only by their models, and documents too,
 * except PDFs of Claude 4 and later and PDFs and DOCX of Nova: of the two pages the double follows the stricter for
 * images, the later for documents.
 */
const IMAGE_BYTES_MAX = 3.75 * 1024 * 1024;
const DOCUMENT_BYTES_MAX = 4.5 * 1024 * 1024;
const IMAGES_MAX = 20;
const DOCUMENTS_MAX = 5;
/** Models whose documents of some formats may be larger. */
const UNBOUNDED_FORMATS: readonly { readonly model: RegExp; readonly formats: readonly string[] }[] = [
  { model: /anthropic\.claude-(?!3)/, formats: ['pdf'] },
  { model: /amazon\.nova/, formats: ['pdf', 'docx'] },
];

const cachePoint = object({ type: constant('default'), 'ttl?': oneOf('a point of another life', '5m', '1h') });
const image = object({
  format: oneOf('a picture of another type', 'png', 'jpeg', 'gif', 'webp'),
  source: union({ bytes: base64, s3Location: record }),
});
const document = object({
  name: DOCUMENT_NAME,
  'format?': oneOf('a document of another type', 'pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'),
  source: union({
    bytes: base64,
    text,
    content: list(union({ text }), { rule: 'a document of no blocks', min: 1 }),
    s3Location: record,
  }),
  'context?': text,
  'citations?': object({ enabled: boolean }),
});
const video = object({ format: text, source: union({ bytes: base64, s3Location: record }) });
const searchResult = object({
  source: text,
  title: text,
  content: list(object({ text }), { rule: 'a search result of nothing', min: 1 }),
  'citations?': object({ enabled: boolean }),
});
const content = union({
  text,
  image,
  document,
  video,
  searchResult,
  cachePoint,
  reasoningContent: union({ reasoningText: object({ text, 'signature?': text }), redactedContent: base64 }),
  toolUse: object({ toolUseId: TOOL_ID, name: TOOL_NAME, input: record }),
  toolResult: object({
    toolUseId: TOOL_ID,
    content: list(union({ text, json: anything, image, document, video, searchResult })),
    'status?': oneOf('an unknown status', 'success', 'error'),
  }),
});
const named: Fields = { name: TOOL_NAME };
/** `system` is a role of later versions of the API (APIReference/API_runtime_Message.html), which is not supported. */
const body = object({
  messages: list(
    object({
      role: oneOf('a foreign role', 'user', 'assistant'),
      content: list(content, { rule: 'a turn of nothing', min: 1 }),
    }),
    { rule: 'no messages', min: 1 },
  ),
  'system?': list(
    union({ text: string({ rule: 'instructions of no words', min: 1 }), cachePoint, guardContent: record }),
    {
      rule: 'no instructions',
      min: 1,
    },
  ),
  'inferenceConfig?': object({
    'maxTokens?': integer({ rule: 'no token of output', min: 1 }),
    'temperature?': number({ rule: 'a temperature above one', min: 0, max: 1 }),
    'topP?': number({ rule: 'a topP above one', min: 0, max: 1 }),
    'stopSequences?': list(string({ rule: 'an empty stop sequence', min: 1 })),
  }),
  'toolConfig?': object({
    tools: list(
      union({
        toolSpec: object({
          ...named,
          'description?': string({ rule: 'an empty description', min: 1 }),
          inputSchema: object({ json: record }),
          'strict?': boolean,
        }),
        cachePoint,
      }),
      { rule: 'no tools', min: 1 },
    ),
    'toolChoice?': union({ auto: object({}), any: object({}), tool: object(named) }),
  }),
  'additionalModelRequestFields?': record,
  'additionalModelResponseFieldPaths?': list(text),
  'outputConfig?': object({
    'textFormat?': object({
      type: constant('json_schema'),
      structure: union({ jsonSchema: object({ schema: text, 'name?': text, 'description?': text }) }),
    }),
  }),
  'performanceConfig?': object({ latency: oneOf('an unknown latency', 'standard', 'optimized') }),
  'serviceTier?': object({ type: oneOf('an unknown tier', 'priority', 'default', 'flex', 'reserved') }),
  'requestMetadata?': record,
  'guardrailConfig?': record,
  'promptVariables?': record,
});
/** Fields of Claude's own. The error for others is known from the vendor's own address. */
const claudeFields = object({
  'thinking?': record,
  'top_k?': integer(),
  'tool_choice?': record,
  'anthropic_beta?': list(text),
  'output_config?': record,
});

/** APIReference/API_runtime_CountTokensInput.html */
const countShape = object({
  input: union({
    converse: object({ 'messages?': list(record), 'system?': list(record), 'toolConfig?': record }),
    invokeModel: record,
  }),
});
/** Claude's only by the id of the model itself, not of a profile: alchemy.run/providers/aws/bedrock/counttokens. */
const COUNTED_MODEL = /^anthropic\.claude/;
const UNCOUNTED = 'a model that is not counted';

const FORM_WORDS: Readonly<Record<ShapeFault['problem'], (where: string, wanted: string) => string>> = {
  unknown: (where) => `Value at '${where}' is not a known member.`,
  missing: (where) => `Value null at '${where}': Member must not be null`,
  invalid: (where, wanted) => `Value at '${where}' failed to satisfy constraint: Member must be ${wanted}`,
};

const misshapen = ({ path, problem, wanted, rule }: ShapeFault): Refusal => ({
  rule,
  message: `1 validation error detected: ${FORM_WORDS[problem](bracketed(path), wanted)}`,
});

/** In addition to those of the form. */
const RULES = [
  'a field that Claude does not know',
  'a first turn of the model',
  'two turns of one side',
  'a blank text',
  'a blank result',
  'an empty result of an error',
  'a picture in a result',
  'a failed result of more than words',
  'a document without words',
  'media of the model',
  'blank instructions',
  'calls without tools',
  'a call without result',
  'a last turn of calls',
  'a result too many',
  'a call of the user',
  'an id twice',
  'five points',
  'a point for a family without caches',
  'a point where Nova takes none',
  'a point behind what is not cached',
  'a life of a point that is not of Claude',
  'twenty-one pictures',
  'six documents',
  'a picture of 4 MB',
  'a document of 5 MB',
  'a name of a document twice',
  'a small budget',
  'a budget over the limit',
  'thinking with a temperature',
  'thinking with a forced tool',
  'reasoning for a model without any',
  'a foreign signature',
  'a form of the answer that is no JSON',
  'a strict tool of a model that knows none',
  'a forced tool of a model that is not forced',
  'a union at the top of a schema',
  'a schema of more than Nova takes',
  'a schema of no object',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

const blocks = (turns: JsonBody[], member: string): JsonBody[] =>
  turns
    .flatMap((turn) => turn.content)
    .flatMap((each: JsonBody) => [...(each[member] ? [each[member]] : []), ...inResult(each, member)]);

const inResult = ({ toolResult }: JsonBody, member: string): JsonBody[] =>
  (toolResult?.content ?? []).flatMap((each: JsonBody) => (each[member] ? [each[member]] : []));

/** Turns alternate, and begin with the user's. */
function rolesFault(turns: JsonBody[]): Refusal | undefined {
  if (turns[0].role !== 'user') {
    return broken('a first turn of the model', 'A conversation must start with a user message.');
  }
  const twice = turns.findIndex(({ role }, index) => role === turns[index - 1]?.role);
  if (twice < 0) return undefined;
  const words = `A conversation must alternate between user and assistant roles. (messages.${twice})`;
  return broken('two turns of one side', words);
}

/**
 * "is blank": earendil-works/pi#4975; within results, in the model's own words:
 * aws-samples/generative-ai-use-cases#1685; empty results of errors:
 * aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15; documents without words:
 * archestra-ai/archestra#4220; media of the user alone: userguide/inference-api-restrictions.html.
 */
/**
 * Pictures: APIReference/API_runtime_ToolResultContentBlock.html. Failed results of Claude:
 * vellum-ai/vellum-assistant#18387. Both read 2026-11-29.
 */
function resultsFault(turns: JsonBody[], model: string): Refusal | undefined {
  const results = turns.flatMap(({ content }) => content.flatMap((each: JsonBody) => each.toolResult ?? []));
  if (
    !/anthropic\.|amazon\.nova/.test(model) &&
    results.some(({ content }) => content.some((one: JsonBody) => one.image))
  ) {
    return broken('a picture in a result', "This model doesn't support the image field of toolResult.");
  }
  const isMixed = ({ status, content }: JsonBody): boolean =>
    status === 'error' && content.some((one: JsonBody) => one.text === undefined);
  if (!/anthropic\./.test(model) || !results.some(isMixed)) return undefined;
  return broken('a failed result of more than words', 'all content must be type "text" if "is_error" is true');
}

function wordsFault(turns: JsonBody[], system: JsonBody[]): Refusal | undefined {
  for (const [index, turn] of turns.entries()) {
    for (const [position, each] of turn.content.entries()) {
      const at = `messages.${index}.content.${position}`;
      if (each.text !== undefined && each.text.trim() === '') {
        return broken('a blank text', `The text field in the ContentBlock object at ${at} is blank.`);
      }
      const result = each.toolResult;
      if (result?.content.some((one: JsonBody) => one.text?.trim() === '')) {
        return broken('a blank result', 'messages: text content blocks must be non-empty');
      }
      if (result?.status === 'error' && result.content.length === 0) {
        const words = `The content field at ${at}.toolResult cannot be empty when status value is error.`;
        return broken('an empty result of an error', words);
      }
    }
    const has = (member: string): boolean => turn.content.some((each: JsonBody) => each[member]);
    if (has('document') && !has('text')) {
      return broken('a document without words', 'A text block must be included when using documents.');
    }
    if (turn.role === 'assistant' && (has('image') || has('document'))) {
      const words = `messages.${index}: images and documents can only be in messages with user role.`;
      return broken('media of the model', words);
    }
  }
  return system.some((each) => each.text?.trim() === '')
    ? broken('blank instructions', 'The text field in the SystemContentBlock is blank.')
    : undefined;
}

/**
 * Results of a turn's calls are all in the next one: camel-ai/camel#3954. Earlier calls require tools:
 * vxcontrol/pentagi#196.
 */
function toolsFault(turns: JsonBody[], hasTools: boolean): Refusal | undefined {
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const calls = turn.content.flatMap((each: JsonBody) => (each.toolUse ? [each.toolUse.toolUseId] : []));
    const results = turn.content.flatMap((each: JsonBody) => (each.toolResult ? [each.toolResult.toolUseId] : []));
    if ((calls.length > 0 || results.length > 0) && !hasTools) {
      const words = 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
      return broken('calls without tools', words);
    }
    const before = (turns[index - 1]?.content ?? []).flatMap((each: JsonBody) =>
      each.toolUse ? [each.toolUse.toolUseId] : [],
    );
    const open = before.filter((id: string) => !results.includes(id));
    if (open.length > 0) {
      const words = `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join(', ')}`;
      return broken('a call without result', words);
    }
    if (results.length > before.length || results.some((id: string) => !before.includes(id))) {
      const words = `The number of toolResult blocks at messages.${index} exceeds the number of toolUse blocks before.`;
      return broken('a result too many', words);
    }
    if (turn.role === 'user' && calls.length > 0) {
      const words = `messages.${index}: toolUse blocks can only be in messages with assistant role.`;
      return broken('a call of the user', words);
    }
    for (const id of calls) {
      if (seen.has(id)) return broken('an id twice', 'messages: `tool_use` ids must be unique');
      seen.add(id);
    }
  }
  const last = turns.at(-1);
  return last.content.some((each: JsonBody) => each.toolUse)
    ? broken('a last turn of calls', 'Expected toolResult blocks behind the last message.')
    : undefined;
}

/** The positions where cache points are allowed differ by family. */
const isNova = (model: string): boolean => /amazon\.nova/.test(model);
/** Families that were observed to refuse any cache point. */
const UNCACHED = /(?:^|\.)(?:ai21|cohere|deepseek|google|meta|mistral|nvidia|openai|qwen)\./;

/**
 * The number of cache points, and that each follows something cacheable. Some families accept none
 * (BerriAI/litellm#39210); Nova accepts none among tools (NousResearch/hermes-agent#97281), nor right after a result
 * (aws-samples/bedrock-engineer#71; observed as the first thing of a message in HolmesGPT/holmesgpt#2332).
 */
function pointsFault({ messages, system = [], toolConfig }: JsonBody, model: string): Refusal | undefined {
  const lists: JsonBody[][] = [toolConfig?.tools ?? [], system, ...messages.map((turn: JsonBody) => turn.content)];
  const points = lists.flat().filter((each) => each.cachePoint);
  if (points.length > CACHE_POINTS_MAX) {
    const words = `A maximum of 4 blocks with cache_control may be provided. Found ${points.length}.`;
    return broken('five points', words);
  }
  if (points.length > 0 && UNCACHED.test(model)) {
    const words = 'You invoked an unsupported model or your request did not allow prompt caching.';
    return broken('a point for a family without caches', words);
  }
  if (isNova(model)) {
    const misplaced = lists.some((each, position) =>
      each.some((one, index) => one.cachePoint && (position === 0 || each[index - 1]?.toolResult)),
    );
    const words = 'Malformed input request: extraneous key [cachePoint] is not permitted';
    if (misplaced) return broken('a point where Nova takes none', words);
  }
  for (const each of lists) {
    for (const [index, one] of each.entries()) {
      const before = each[index - 1];
      if (one.cachePoint && (!before || before.cachePoint || before.reasoningContent)) {
        const words = 'A cachePoint must stand behind a block that can be cached.';
        return broken('a point behind what is not cached', words);
      }
    }
  }
  return !CLAUDE.test(model) && points.some(({ cachePoint: { ttl } }) => ttl)
    ? broken('a life of a point that is not of Claude', 'ttl is not supported for this model.')
    : undefined;
}

/** The number of documents, and their names: aws-samples/generative-ai-use-cases#1685, maximhq/bifrost#7003. */
function mediaFault(turns: JsonBody[], model: string): Refusal | undefined {
  const [images, documents] = [blocks(turns, 'image'), blocks(turns, 'document')];
  if (images.length > IMAGES_MAX) {
    const words = `The model returned the following errors: too many images: ${images.length} > 20`;
    return broken('twenty-one pictures', words);
  }
  if (documents.length > DOCUMENTS_MAX) {
    return broken('six documents', "You can't include more than 5 documents in a request.");
  }
  const bytesOf = ({ source: { bytes = '' } }: JsonBody): number => Buffer.byteLength(bytes, 'base64');
  if (images.some((each) => bytesOf(each) > IMAGE_BYTES_MAX)) {
    return broken('a picture of 4 MB', 'The image size exceeds the limit of 3.75 MB.');
  }
  const unbounded = UNBOUNDED_FORMATS.find((one) => one.model.test(model))?.formats ?? [];
  if (documents.some((each) => bytesOf(each) > DOCUMENT_BYTES_MAX && !unbounded.includes(each.format))) {
    return broken('a document of 5 MB', 'The document size exceeds the limit of 4.5 MB.');
  }
  const names = documents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return undefined;
  const words = "Messages can't contain duplicate document names. Rename the document and retry your request.";
  return broken('a name of a document twice', words);
}

const CLAUDE = /anthropic\.claude/;

/** As at the vendor's own address; a forced tool with thinking is quoted for Bedrock: can1357/oh-my-pi#341. */
function thinkingFault(sent: JsonBody): Refusal | undefined {
  const { additionalModelRequestFields: own = {}, inferenceConfig: config = {}, toolConfig } = sent;
  const { thinking } = own;
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return undefined;
  if (thinking.type === 'enabled' && !(thinking.budget_tokens >= 1024)) {
    return broken('a small budget', 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (thinking.type === 'enabled' && thinking.budget_tokens >= config.maxTokens) {
    return broken('a budget over the limit', '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (config.temperature !== undefined && config.temperature !== 1) {
    const words = '`temperature` may only be set to 1 when thinking is enabled.';
    return broken('thinking with a temperature', words);
  }
  const choice = toolConfig?.toolChoice;
  return choice?.any || choice?.tool
    ? broken('thinking with a forced tool', 'Thinking may not be enabled when tool_choice forces tool use.')
    : undefined;
}

/** Reasoning returns unchanged to its signer; that models without reasoning accept none is an assumption. */
function signatureFault(turns: JsonBody[], signer: Signer | undefined): Refusal | undefined {
  for (const [index, turn] of turns.entries()) {
    for (const [position, { reasoningContent: reasoning }] of turn.content.entries()) {
      if (!reasoning) continue;
      const at = `messages.${index}.content.${position}`;
      if (signer === undefined) {
        return broken('reasoning for a model without any', `${at}: reasoningContent is not supported.`);
      }
      const { reasoningText: words, redactedContent: sealed } = reasoning;
      const isOwn = words ? words.signature === signatureOf(signer, words.text) : unseal(signer, sealed) !== undefined;
      if (!isOwn) {
        return broken('a foreign signature', `${at}: Invalid \`signature\` in \`thinking\` block`);
      }
    }
  }
  return undefined;
}

const NOVA = /(?:^|\.)amazon\.nova-/;
const NOVA_KEYWORDS = ['type', 'properties', 'required'];

/**
 * Schemas of tools. The type: APIReference/API_runtime_ToolInputSchema.html; Nova: zed-industries/zed#28521,
 * pydantic/pydantic-ai#1623; the others as at the vendor's own address.
 */
function definitionsFault({ toolConfig }: JsonBody, model: string): Refusal | undefined {
  const { any, tool: one } = toolConfig?.toolChoice ?? {};
  if ((any || one) && isForcedRefused(model)) {
    const words = 'tool_choice: type "tool" and "any" are not supported for this model.';
    return broken('a forced tool of a model that is not forced', words);
  }
  const specs: JsonBody[] = (toolConfig?.tools ?? []).flatMap(({ toolSpec }: JsonBody) => toolSpec ?? []);
  for (const [index, { inputSchema, strict }] of specs.entries()) {
    const schema = inputSchema.json;
    const at = `tools.${index}.custom`;
    if (schema.type !== 'object') {
      return broken(
        'a schema of no object',
        `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of the following: object.`,
      );
    }
    if (NOVA.test(model)) {
      const strange = Object.keys(schema).find((keyword) => !NOVA_KEYWORDS.includes(keyword));
      const where = `#/toolConfig/tools/${index}/toolSpec/inputSchema/json`;
      if (strange !== undefined) {
        return broken('a schema of more than Nova takes', `${where}: extraneous key [${strange}] is not permitted`);
      }
    }
    if (model.includes('claude') && ['oneOf', 'allOf', 'anyOf'].some((word) => word in schema)) {
      const words = 'input_schema does not support oneOf, allOf, or anyOf at the top level';
      return broken('a union at the top of a schema', `${at}.input_schema: ${words}`);
    }
    const form = model.includes('claude') && claudeToolFault(schema, at);
    const fault = form || draftFault(schema, at);
    if (fault) return fault;
    if (strict !== true) continue;
    if (NOVA.test(model) || refusesSchemas(model)) {
      return broken('a strict tool of a model that knows none', `${at}.strict: Extra inputs are not permitted`);
    }
    const open = closedObjectFault(schema, at);
    if (open) return open;
  }
  return undefined;
}

function formatFault({ outputConfig }: JsonBody): Refusal | undefined {
  const format = outputConfig?.textFormat?.structure.jsonSchema;
  if (!format) return undefined;
  try {
    const schema = JSON.parse(format.schema);
    const of = 'outputConfig.textFormat.structure.jsonSchema.schema';
    return limitsFault([schema]) ?? closedObjectFault(schema, of) ?? draftFault(schema, of);
  } catch {
    const words = 'outputConfig.textFormat.structure.jsonSchema.schema: is no JSON';
    return broken('a form of the answer that is no JSON', words);
  }
}

const STOPS: Readonly<Record<DoubleStop, string>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  'output-limit': 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'guardrail_intervened',
};

const FAILURES: Readonly<Record<DoubleFailureKind, readonly [status: number, type: string]>> = {
  invalid: [400, 'ValidationException'],
  unauthorised: [403, 'AccessDeniedException'],
  'rate-limited': [429, 'ThrottlingException'],
  overloaded: [503, 'ServiceUnavailableException'],
  'server-error': [500, 'InternalServerException'],
};

/** Absent: it emits no reasoning. */
const signerOf = (model: string): Signer | undefined => {
  if (CLAUDE.test(model)) return 'anthropic';
  return isNova(model) ? 'amazon' : undefined;
};

/** The parts of a reply that a model with such a signer would emit. */
const emittedBy = ({ parts }: DoubleReply, signer: Signer | undefined): readonly DoublePart[] =>
  signer === undefined ? parts.filter(({ type }) => type !== 'thinking') : parts;

function blockOf(part: DoublePart, signer: Signer | undefined): JsonBody {
  switch (part.type) {
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: part.text, signature: signatureOf(signer!, part.text) } } };
    case 'image':
      return { image: { format: 'png', source: { bytes: part.data } } };
    case 'call':
      return { toolUse: { toolUseId: part.id, name: part.name, input: part.input } };
    case 'text': {
      if (!part.citations) return { text: part.text };
      return { citationsContent: { content: [{ text: part.text }], citations: citationsOf(part.citations) } };
    }
  }
}

const citationsOf = (citations: NonNullable<Extract<DoublePart, { type: 'text' }>['citations']>): JsonBody[] =>
  citations.map(({ url, title, quote }) => ({
    title,
    sourceContent: [{ text: quote }],
    location: { web: { url, domain: new URL(url).host } },
  }));

function eventsOf(part: DoublePart, contentBlockIndex: number, signer: Signer | undefined): WireEvent[] {
  const delta = (value: JsonBody): WireEvent => ({
    event: 'contentBlockDelta',
    data: { contentBlockIndex, delta: value },
  });
  const stop = { event: 'contentBlockStop', data: { contentBlockIndex } };
  switch (part.type) {
    case 'thinking': {
      const words = slices(part.text).map((words) => delta({ reasoningContent: { text: words } }));
      return [...words, delta({ reasoningContent: { signature: signatureOf(signer!, part.text) } }), stop];
    }
    case 'call': {
      const start = { toolUse: { toolUseId: part.id, name: part.name } };
      const pieces = slices(JSON.stringify(part.input)).map((input) => delta({ toolUse: { input } }));
      return [{ event: 'contentBlockStart', data: { contentBlockIndex, start } }, ...pieces, stop];
    }
    case 'image': {
      // Pieces of the bytes, each in base64 by itself (docs.aws.amazon.com, ImageBlockStart, ImageBlockDelta).
      const bytes = Buffer.from(part.data, 'base64');
      const cut = Math.ceil(bytes.length / 2) | 1;
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((piece) =>
        delta({ image: { source: { bytes: piece.toString('base64') } } }),
      );
      const start = { image: { format: 'png' } };
      return [{ event: 'contentBlockStart', data: { contentBlockIndex, start } }, ...pieces, stop];
    }
    case 'text':
      return [
        ...slices(part.text).map((words) => delta({ text: words })),
        ...citationsOf(part.citations ?? []).map((citation) => delta({ citation })),
        stop,
      ];
  }
}

const usageOf = ({ input, cached, output }: DoubleUsage): JsonBody => ({
  inputTokens: input,
  outputTokens: output,
  totalTokens: input + cached + output,
  cacheReadInputTokens: cached,
  cacheWriteInputTokens: 0,
});

function ownFieldsFault({ additionalModelRequestFields: own = {} }: JsonBody, model: string): Refusal | undefined {
  const foreign = CLAUDE.test(model) ? claudeFields(own) : undefined;
  if (!foreign) return undefined;
  const words = `The model returned the following errors: ${dotted(foreign.path)}: Extra inputs are not permitted`;
  return broken('a field that Claude does not know', words);
}

/** Roles of instructions are none of this format's. */
const UNSPOKEN: readonly string[] = [
  'a role of newer models',
  'instructions at a wrong position',
  'an effort of a turn',
];

function callOf(sent: JsonBody, model: string): ClaudeCall {
  const { messages, inferenceConfig: config = {}, additionalModelRequestFields: own = {}, toolConfig } = sent;
  const { any, tool } = toolConfig?.toolChoice ?? {};
  const fields = {
    ...own,
    messages,
    temperature: config.temperature,
    top_p: config.topP,
    tool_choice: any || tool ? { type: any ? 'any' : 'tool' } : own.tool_choice,
    tools: toolConfig?.tools.map(({ toolSpec }: JsonBody) => toolSpec ?? {}),
  };
  return { model, fields, betas: own.anthropic_beta ?? [], atConverse: true };
}

export const bedrockConverse: DialectDouble = {
  lineEnd: '\n',
  rules: [
    ...new Set([
      ...body.rules,
      ...RULES,
      ...CLOSED_RULES,
      ...LIMIT_RULES,
      ...CLAUDE_TOOL_RULES,
      DRAFT_RULE,
      ...GENERATION_RULES.filter((rule) => !UNSPOKEN.includes(rule)),
    ]),
  ],
  refuse({ body: sent, model }) {
    const fault = body(sent);
    if (fault) return misshapen(fault);
    return (
      ownFieldsFault(sent, model) ??
      rolesFault(sent.messages) ??
      wordsFault(sent.messages, sent.system ?? []) ??
      resultsFault(sent.messages, model) ??
      toolsFault(sent.messages, sent.toolConfig !== undefined) ??
      pointsFault(sent, model) ??
      mediaFault(sent.messages, model) ??
      thinkingFault(sent) ??
      formatFault(sent) ??
      definitionsFault(sent, model) ??
      signatureFault(sent.messages, signerOf(model)) ??
      (CLAUDE.test(model) ? generationFault(callOf(sent, model)) : undefined)
    );
  },
  reply(reply, { model, body: sent }) {
    const signer = signerOf(model);
    const emitted = emittedBy(reply, signer);
    const stopReason = STOPS[stopOf(reply)];
    // Fields of the model's own are returned on request.
    const isRequested = sent.additionalModelResponseFieldPaths?.includes('/stop_sequence') === true;
    const more = isRequested ? { additionalModelResponseFields: { stop_sequence: reply.stopSequence ?? null } } : {};
    const { usage = DOUBLE_USAGE } = reply;
    const reported = usage && { usage: usageOf(usage) };
    const metrics = { latencyMs: 5 };
    return {
      whole: {
        output: { message: { role: 'assistant', content: emitted.map((part) => blockOf(part, signer)) } },
        stopReason,
        ...more,
        ...reported,
        metrics,
      },
      events: [
        { event: 'messageStart', data: { role: 'assistant' } },
        ...emitted.flatMap((part, index) => eventsOf(part, index, signer)),
      ],
      end: [
        { event: 'messageStop', data: { stopReason, ...more } },
        { event: 'metadata', data: { ...reported, metrics } },
      ],
    };
  },
  counting: {
    rules: ['an unknown field', 'several kinds at once', UNCOUNTED],
    refuse(call) {
      const fault = countShape(call.body);
      if (fault) return misshapen(fault);
      if (!COUNTED_MODEL.test(call.model)) {
        return { rule: UNCOUNTED, message: "The provided model doesn't support counting tokens." };
      }
      return bedrockConverse.refuse({ ...call, body: call.body.input.converse });
    },
    reply: (inputTokens) => ({ inputTokens }),
  },
  failure(kind, message) {
    const [status, type] = FAILURES[kind];
    return { status, headers: { 'x-amzn-errortype': type }, body: { message } };
  },
  failureEvent(kind, message) {
    const [, type] = FAILURES[kind];
    return { event: `${type[0]!.toLowerCase()}${type.slice(1)}`, data: { message } };
  },
};
