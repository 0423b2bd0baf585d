import { Untranslatable } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Target, UpstreamCall } from '../../../core/provider.js';
import type { RequestField } from '../../../core/translation.js';
import { takesEffort } from '../../dialects/claude-models.js';

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';
/**
 * What a streamed answer is framed in, whatever its pieces hold
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html; read 2026-11-24).
 */
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/**
 * What Bedrock takes of the Messages format, at the top level of a body: what stands behind the name makes what is
 * sent of the value. Anything else it answers with an error, and with it every request of a client that has learnt a
 * new field. By model-parameters-anthropic-claude-messages-request-response.html and structured-output.html of
 * docs.aws.amazon.com/bedrock/latest/userguide, read 2026-11-23.
 */
const FIELDS: ReadonlyMap<string, (value: Json, target: Target) => Json | undefined> = new Map([
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

/** Keys of the caller's own tools; of others the platform does not know. */
const TOOL_KEYS: ReadonlySet<string> = new Set([
  'type', 'name', 'description', 'input_schema', 'strict', 'cache_control',
]); // oxfmt-ignore

/** Tools that the vendor only defines, and the caller runs; those that the vendor runs are not there. */
const CLIENT_TOOLS = /^(?:custom|(?:bash|text_editor|computer|memory)_\d+)$/;

/** Betas that the platform's documentation names; it answers others with an error. */
export const BETAS: ReadonlySet<string> = new Set([
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
]);

/** What a request may say that `adaptMessages` drops. */
const NOT_TAKEN: ReadonlySet<RequestField> = new Set<RequestField>([
  'context_management', 'inference_geo', 'metadata', 'task_budget', 'user',
]); // oxfmt-ignore

/** Whether a field reaches the model, where the dialect does not say. How it is to serve, its leg tells in headers. */
export function takesField(field: RequestField, { endpoint, tier }: Target): boolean | undefined {
  switch (field) {
    case 'reasoning_effort':
    case 'verbosity':
      return takesEffort(endpoint.upstreamModel) ? undefined : false;
    case 'service_tier':
      return tier !== 'standard';
    default:
      return NOT_TAKEN.has(field) ? false : undefined;
  }
}

/**
 * A call of the Messages format as `InvokeModel` takes it: without model and `stream`, which the address says, with
 * betas in the body.
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

/** The form of the answer; how much effort goes to models that know the word. Budgets of tasks are advice. */
function encodeOutputConfig(value: Json, { endpoint }: Target): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const { format, effort } = value;
  const config: Record<string, Json> = {};
  if (format !== undefined) config['format'] = format;
  if (effort !== undefined && takesEffort(endpoint.upstreamModel)) config['effort'] = effort;
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
  // Of tools that the vendor defines every key is part of the definition.
  if (type !== 'custom' || Object.keys(tool).every((key) => TOOL_KEYS.has(key))) return tool;
  return Object.fromEntries(Object.entries(tool).filter(([key]) => TOOL_KEYS.has(key)));
}

/** Tools are defined at once here, so that naming one again needs no more than words. */
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
