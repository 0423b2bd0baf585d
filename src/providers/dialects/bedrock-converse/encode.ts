import type { ContentBlock } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import { definedOnly } from '../../../core/defined.js';
import { printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { restrictedForm } from '../schemas/held-schemas.js';
import { jsonCall } from '../json-call.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { pathSegment } from '../../../core/text/path-segment.js';
import { markLastPart } from './cache-points.js';
import { converseContext, converseToolWords, type ConverseContext } from './encode-context.js';
import { isNotBlank } from './encode-media.js';
import { encodeTools, type ToolFields } from './encode-tools.js';
import { encodeTurns } from './encode-turns.js';
import { TABLE } from './table.js';
import type { SystemPart, ToolConfig, Turn } from './wire.js';

const encodeInference = fieldEncoder(TABLE, 'inferenceConfig');
const NO_TOOLS: ToolFields = {};
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** Other formats' names of common tiers; other values are sent unchanged. */
const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'default'],
  ['standard', 'default'],
  ['standard_only', 'default'],
  ['priority', 'priority'],
  ['flex', 'flex'],
]);

/** A Converse body. Undefined keys are left out when it is printed. */
export interface ConverseBody {
  readonly system: readonly SystemPart[] | undefined;
  readonly inferenceConfig: Readonly<Record<string, Json>> | undefined;
  readonly toolConfig: ToolConfig | undefined;
  readonly additionalModelRequestFields: JsonObject | undefined;
  readonly additionalModelResponseFieldPaths: readonly string[] | undefined;
  readonly outputConfig: JsonObject | undefined;
  readonly serviceTier: JsonObject | undefined;
  readonly performanceConfig: JsonObject | undefined;
  readonly messages: readonly Turn[];
}

/**
 * The Converse call of a request. docs/use/translation/bedrock-converse.md lists what it maps, drops and refuses.
 * @throws Untranslatable when the request contains something that no rule permits to drop
 */
export function* encodeConverse(request: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const path = `${modelPath(target)}/${request.stream ? 'converse-stream' : 'converse'}`;
  const toolWords = namesTools(request) ? yield* converseToolWords(request, target) : undefined;
  const body = yield* encodeBody(converseContext(request, target, media, toolWords));
  return jsonCall(path, body, request.stream, EVENT_STREAM);
}

/** The path names the model; the body does not. */
export const modelPath = ({ endpoint }: Target): string => `/model/${pathSegment(endpoint.upstreamModel)}`;

/** @throws Untranslatable as `encodeConverse` does */
export function* encodeBody(context: ConverseContext): Steps<ConverseBody> {
  const { request, target, family } = context;
  const form = request.outputFormat && (yield* restrictedForm(request.outputFormat));
  const system = encodeSystem(context, form?.words);
  const hasTools = request.tools.length > 0 || traitsOf(request.messages).hasToolBlocks;
  const { toolConfig, ownChoice } = hasTools ? yield* encodeTools(context) : NO_TOOLS;
  const turns = yield* encodeTurns(context);
  const point = context.cachePoint(request.cacheMarker);
  if (point !== undefined) {
    const tools = toolConfig?.tools ?? [];
    const marksTools = context.admitsTool('cache_control', 'cache_control');
    markLastPart({ tools, system, turns }, point, marksTools, (part) => context.canPrecedeCachePoint(part));
  }
  const reportsStop = request.stopSequences?.length && context.carries('stop');
  const inference = encodeInference(request, target);
  const { serviceTier, speed } = context.tierWords;
  const tier = serviceTier === undefined ? undefined : SERVICE_TIERS.get(serviceTier);
  return {
    system: system.length > 0 ? system : undefined,
    inferenceConfig: Object.keys(inference).length > 0 ? inference : undefined,
    toolConfig,
    additionalModelRequestFields: additionalFields(context, ownChoice),
    additionalModelResponseFieldPaths: reportsStop ? family.stopSequencePaths : undefined,
    outputConfig: form?.schema && outputConfig(form.schema, context),
    serviceTier: tier === undefined ? undefined : { type: tier },
    performanceConfig: speed === 'fast' ? { latency: 'optimized' } : undefined,
    messages: turns,
  };
}

/** @param words appended to the caller's, whose prefix does not change */
function encodeSystem(context: ConverseContext, words: string | undefined): SystemPart[] {
  const parts: SystemPart[] = [];
  for (const { text, cacheMarker } of context.request.system) {
    if (isNotBlank(text)) parts.push({ text });
    const point = context.blockPoint(cacheMarker);
    if (point !== undefined && parts.length > 0) parts.push(point);
  }
  if (words !== undefined) parts.push({ text: words });
  return parts;
}

/** Fields that Converse passes to the model unchanged. */
function additionalFields(context: ConverseContext, toolChoice: JsonObject | undefined): JsonObject | undefined {
  const { request, family } = context;
  const { topK } = request.sampling;
  const fields: JsonObject = {
    ...(topK !== undefined && topK >= 0 && context.carries('top_k') && family.topK?.(topK)),
    ...reasoningFields(context),
    ...(toolChoice && { tool_choice: toolChoice }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function reasoningFields(context: ConverseContext): JsonObject | undefined {
  const { thinking, effort, reasoningSummary } = context.request;
  if (thinking === undefined && effort === undefined) return undefined;
  const requested = definedOnly({ thinking: thinking && shownThinking(context), effort, reasoningSummary });
  return context.family.reasoning?.(requested, context.target);
}

/** Claude requires its own reasoning at the beginning of an open tool loop (`open-tool-loop.ts`). */
function shownThinking(context: ConverseContext): ModelRequest['thinking'] {
  const isShown = (block: ContentBlock): boolean =>
    (block.type !== 'thinking' && block.type !== 'redacted-thinking') ||
    context.treatmentOf(context.reasoningForm(block)).type === 'mapped';
  return thinkingThatFits(context.request, context.request.messages, (message) => ({
    message,
    blocks: message.content.filter(isShown),
  }));
}

/** @param schema that the model must follow */
function outputConfig(schema: JsonObject, { request: { outputFormat } }: ConverseContext): JsonObject {
  const { name, description } = outputFormat?.type === 'json-schema' ? outputFormat : {};
  const jsonSchema = {
    schema: printJson(schema),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}
