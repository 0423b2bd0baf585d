import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import { definedOnly } from '../../../core/defined.js';
import { printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { pathSegment } from '../path-segment.js';
import { tierParameters } from '../service-tier.js';
import { markLastPart } from './cache-points.js';
import { EncodeContext } from './encode-context.js';
import { isSaid } from './encode-media.js';
import { encodeTools } from './encode-tools.js';
import { encodeTurns, isShownTo } from './encode-turns.js';
import { carriesParameter, encodeInference } from './parameters.js';
import type { SystemPart, ToolConfig, Turn } from './wire.js';

const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** What other formats call a tier that everybody has; others pass as they are. */
const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'default'],
  ['standard', 'default'],
  ['standard_only', 'default'],
  ['priority', 'priority'],
  ['flex', 'flex'],
]);

/** A Converse body. Keys that are undefined are left out when it is printed. */
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
 * The Converse call of a request. What it maps, drops and refuses is written in docs/translation/bedrock-converse.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function encodeConverse(request: ModelRequest, target: Target, media: FetchedMedia): UpstreamCall {
  return {
    path: `/model/${pathSegment(target.endpoint.upstreamModel)}/${request.stream ? 'converse-stream' : 'converse'}`,
    headers: { 'content-type': 'application/json', accept: request.stream ? EVENT_STREAM : 'application/json' },
    body: encodeBody(new EncodeContext(request, target, media)),
    stream: request.stream,
  };
}

/** @throws Untranslatable as `encodeConverse` does */
export function encodeBody(context: EncodeContext): ConverseBody {
  const { request, target, family } = context;
  const system = encodeSystem(context);
  const { toolConfig, ownChoice } = encodeTools(context);
  const turns = encodeTurns(context);
  const point = context.cachePoint(request.cacheMarker);
  if (point !== undefined) {
    const tools = toolConfig?.tools ?? [];
    markLastPart({ tools, system, turns }, point, context.cachePoint(request.cacheMarker, 'tools'));
  }
  const tellsStop = request.stopSequences?.length && carriesParameter('stop', target);
  const { serviceTier, speed } = tierParameters(request, target);
  const tier = serviceTier === undefined ? undefined : SERVICE_TIERS.get(serviceTier);
  return {
    system: system.length > 0 ? system : undefined,
    inferenceConfig: encodeInference(request, target),
    toolConfig,
    additionalModelRequestFields: additionalFields(context, ownChoice),
    additionalModelResponseFieldPaths: tellsStop ? family.stopSequencePaths : undefined,
    outputConfig: carriesParameter('structured_outputs', target) ? encodeFormat(request.outputFormat) : undefined,
    serviceTier: tier === undefined ? undefined : { type: tier },
    performanceConfig: speed === 'fast' ? { latency: 'optimized' } : undefined,
    messages: turns,
  };
}

function encodeSystem(context: EncodeContext): SystemPart[] {
  const parts: SystemPart[] = [];
  for (const { text, cacheMarker } of context.request.system) {
    if (isSaid(text)) parts.push({ text });
    const point = context.cachePoint(cacheMarker);
    if (point !== undefined && parts.length > 0) parts.push(point);
  }
  return parts;
}

/** What goes to the model behind the format in its own words. */
function additionalFields(context: EncodeContext, toolChoice: JsonObject | undefined): JsonObject | undefined {
  const { request, target, family } = context;
  const { topK } = request.sampling;
  const fields: JsonObject = {
    ...(topK !== undefined && carriesParameter('top_k', target) && family.topK?.(topK)),
    ...(carriesParameter('reasoning', target) && reasoningFields(context)),
    ...(toolChoice && { tool_choice: toolChoice }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function reasoningFields({ request, target, family }: EncodeContext): JsonObject | undefined {
  const { thinking, effort, reasoningSummary } = request;
  if (thinking === undefined && effort === undefined) return undefined;
  const asked = definedOnly({ thinking: thinking && shownThinking(request, target), effort, reasoningSummary });
  return family.reasoning?.(asked, target.endpoint.upstreamModel);
}

/** Claude demands its own reasoning at the beginning of an open loop of tools (`open-tool-loop.ts`). */
function shownThinking(request: ModelRequest, target: Target): ModelRequest['thinking'] {
  const turns = request.messages.map((message) => ({
    message,
    blocks: message.content.filter(
      (block) => (block.type !== 'thinking' && block.type !== 'redacted-thinking') || isShownTo(block, target),
    ),
  }));
  return thinkingThatFits(request, turns);
}

/** JSON without a schema has no word here and is left out: formats that have one want the prompt to ask for it too. */
function encodeFormat(format: OutputFormat | undefined): JsonObject | undefined {
  if (format?.type !== 'json-schema') return undefined;
  const { schema, name, description } = format;
  const jsonSchema = {
    schema: printJson(schema),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}
