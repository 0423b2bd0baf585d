import { Untranslatable } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Target, UpstreamCall } from '../../../core/provider.js';
import type { RequestField } from '../../../core/translation.js';

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';
/**
 * The framing of a streamed answer, whatever its content
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html; read 2026-11-24).
 */
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/**
 * Fields of the Messages format that Bedrock takes at the top level of a body; each function gives the value to send.
 * It refuses any other field, and so every request of a client with a newer field. Source:
 * model-parameters-anthropic-claude-messages-request-response.html and structured-output.html of
 * docs.aws.amazon.com/bedrock/latest/userguide, read 2026-11-23.
 */
const FIELDS = new Map<string, (value: Json, target: Target) => Json | undefined>([
  ['max_tokens', asItIs],
  ['system', asItIs],
  ['messages', encodeMessages],
  ['temperature', asItIs],
  ['top_p', asItIs],
  ['top_k', asItIs],
  ['stop_sequences', asItIs],
  ['tools', encodeTools],
  ['tool_choice', asItIs],
  ['thinking', asItIs],
  ['output_config', encodeOutputConfig],
]);

/** Keys of the caller's own tools; the platform refuses others. */
const TOOL_KEYS: ReadonlySet<string> = new Set([
  'type', 'name', 'description', 'input_schema', 'strict', 'cache_control',
]); // oxfmt-ignore

/** Tools that the vendor only defines and the caller runs. The platform has none that the vendor runs. */
const CLIENT_TOOLS = /^(?:custom|(?:bash|text_editor|computer|memory)_\d+)$/;

/**
 * Betas that the platform's documentation names; it refuses others. Of fine-grained streaming and those
 * of thinking: github.com/vercel/ai/pull/17179; BerriAI/litellm, anthropic_beta_headers_config.json. Of efforts of
 * turns: platform.claude.com/docs/en/build-with-claude/effort-per-message. Read 2026-11-29.
 */
export const BETAS: ReadonlySet<string> = new Set([
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mid-conversation-output-config-2026-07-01',
  'output-128k-2025-02-19',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'token-efficient-tools-2025-02-19',
]);

/** Fields of a request that `adaptMessages` drops. */
const NOT_TAKEN: ReadonlySet<RequestField> = new Set<RequestField>([
  'context_management', 'inference_geo', 'metadata', 'task_budget', 'user',
]); // oxfmt-ignore

/** Whether a field reaches the model; undefined where the dialect decides. The leg's headers carry the tier. */
export function takesField(field: RequestField, target: Target): boolean | undefined {
  switch (field) {
    case 'service_tier':
      return target.tier !== 'standard';
    default:
      return NOT_TAKEN.has(field) ? false : undefined;
  }
}

/**
 * A call of the Messages format in the form of `InvokeModel`: the address carries the model and `stream`, and the body
 * carries the betas.
 * @throws Untranslatable for tools that only the vendor itself runs
 */
export function adaptMessages(call: UpstreamCall, target: Target): UpstreamCall {
  const { 'anthropic-beta': betas, 'anthropic-version': _version, ...rest } = call.headers;
  const headers = call.stream ? { ...rest, accept: EVENT_STREAM } : rest;
  const named = betas === undefined ? [] : betas.split(',').filter((beta) => BETAS.has(beta));
  const body: Record<string, Json> = { anthropic_version: ANTHROPIC_VERSION };
  if (named.length > 0) body['anthropic_beta'] = named;
  for (const [field, value] of Object.entries(call.body as JsonObject)) {
    const sent = value === undefined ? undefined : FIELDS.get(field)?.(value, target);
    if (sent !== undefined) body[field] = sent;
  }
  return { ...call, headers, body };
}

function asItIs(value: Json): Json {
  return value;
}

/** The task budget is left out: it is advice. */
function encodeOutputConfig(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const { format, effort } = value;
  const config: Record<string, Json> = {};
  if (format !== undefined) config['format'] = format;
  if (effort !== undefined) config['effort'] = effort;
  return Object.keys(config).length > 0 ? config : undefined;
}

function encodeTools(value: Json, target: Target): Json {
  if (!Array.isArray(value)) return value;
  return (value as readonly JsonObject[]).map((tool, index) => encodeTool(tool, index, target));
}

function encodeTool(tool: JsonObject, index: number, { model, endpoint }: Target): JsonObject {
  const type = tool['type'] ?? 'custom';
  if (typeof type !== 'string' || !CLIENT_TOOLS.test(type)) {
    const name = typeof type === 'string' ? type : 'unknown';
    throw new Untranslatable(
      `tools.${index}`,
      `the vendor's tool ${name} cannot be sent to ${model.id} at ${endpoint.provider.name}`,
    );
  }
  // Every key of a tool that the vendor defines is part of the definition.
  if (type !== 'custom' || Object.keys(tool).every((key) => TOOL_KEYS.has(key))) return tool;
  return Object.fromEntries(Object.entries(tool).filter(([key]) => TOOL_KEYS.has(key)));
}

/** Tool references become text: the platform defines all tools from the start. */
function encodeMessages(value: Json): Json {
  if (!Array.isArray(value)) return value;
  const messages = value as readonly JsonObject[];
  return messages.some(hasReference) ? messages.map(withoutReferences) : messages;
}

const blocksOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];

const isReference = (block: JsonObject): boolean => block['type'] === 'tool_reference';

const hasReference = ({ content }: JsonObject): boolean =>
  blocksOf(content).some((block) => blocksOf(block['content']).some(isReference));

function withoutReferences(message: JsonObject): JsonObject {
  if (!hasReference(message)) return message;
  const content = blocksOf(message['content']).map((block) => {
    const inner = blocksOf(block['content']);
    return inner.some(isReference) ? { ...block, content: inner.map(inWords) } : block;
  });
  return { ...message, content };
}

function inWords(block: JsonObject): JsonObject {
  const { tool_name: name, cache_control } = block;
  if (!isReference(block) || typeof name !== 'string') return block;
  return { type: 'text', text: `[Tool ${name} is available.]`, cache_control };
}
