import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import { hasOnlyFunctions, type FunctionTool, type VendorTool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Json, JsonObject, Opaque } from '../../../core/json/json.js';
import { endpointBeside } from '../../../core/money/advisors.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { withImagesBehind } from '../drawn-images.js';
import { EncodeContext, namesTools, toolWordsOf } from '../encode-context.js';
import { fieldEncoder, fieldNames } from '../encode-fields.js';
import { omitFields } from '../json-call.js';
import { sentChoice, sentTools } from '../sent-tools.js';
import { pricedBetas } from '../service-tier.js';
import { withObjectType } from '../tool-schema.js';
import { betasOf } from './betas.js';
import { markLastBlock, type Prompt } from './cache-marker.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { encodeMarker, encodeSystem, encodeTurn, mayGoAsItCame, NAMING } from './encode-blocks.js';
import { allTurns, keptTurns, type KeptTurn } from './history.js';
import { TABLE } from './table.js';

const WHOLE_HEADERS: UpstreamCall['headers'] = {
  'content-type': 'application/json',
  accept: 'application/json',
  'anthropic-version': '2023-06-01',
};
const STREAM_HEADERS: UpstreamCall['headers'] = { ...WHOLE_HEADERS, accept: 'text/event-stream' };
/** Addresses are the vendor's to fetch. */
const NO_MEDIA: FetchedMedia = new Map();

/** The vendor demands an output limit; this one holds where neither caller nor catalog says any. */
const OUTPUT_TOKENS_DEFAULT = 4096;

/** `none` asks for what is the default where thinking is not asked for; `minimal` is the least the vendor knows. */
const EFFORT_NAMES: Readonly<Record<Effort, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/**
 * The vendor knows only whether capacity bought ahead may be used: `auto` (its default) and `standard_only`. A wish for
 * priority is `auto`; `default`, `standard`, `flex` and names of other vendors say nothing here and are left out.
 */
const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'standard_only'],
  ['priority', 'auto'],
]);

const encodeFields = fieldEncoder(TABLE);
/** What no unknown field may say, also where the request does not say it. */
const MODELLED: ReadonlySet<string> = new Set(['model', ...fieldNames(TABLE)]);

/** What a call is made for. */
export interface CallForm {
  readonly path: string;
  /** The only fields that it takes. Absent: it takes all, and is answered by a message, which may be streamed. */
  readonly fields?: ReadonlySet<string>;
}

const MESSAGE: CallForm = { path: '/v1/messages' };

/**
 * The call for one attempt. Values that came in this format are printed as they came, so nothing is lost and equal
 * prefixes are equal bytes; the history stands last in the body, for the same reason.
 * @throws Untranslatable for tools and blocks the vendor has no form for
 */
export function* encodeMessages(
  asked: ModelRequest,
  target: Target,
  media = NO_MEDIA,
  { path, fields }: CallForm = MESSAGE,
): Steps<UpstreamCall> {
  const { hasImages, hasDocuments, hasOpaque } = traitsOf(asked.messages);
  const toolWords = namesTools(asked) ? yield* toolWordsOf(asked, target, NAMING) : undefined;
  const behind = hasImages ? withImagesBehind(asked, target) : asked;
  const context = new EncodeContext(behind, target, media, TABLE, toolWords);
  const { request } = context;
  const turns = allTurns(request.messages) ?? (yield* keptTurns(request.messages, context));
  const thinking = request.thinking && thinkingThatFits(request, turns, (turn) => turn);
  const messages: JsonObject[] = [];
  for (const turn of turns) {
    if (context.steps.isOver(turn.blocks.length)) yield;
    messages.push(asItCame(turn, context) ?? (yield* encodeTurn(turn, context)));
  }
  const plain: Prompt = {
    tools: request.tools.length > 0 ? yield* encodeTools(context) : undefined,
    system: request.system.length > 0 ? encodeSystem(request.system, context) : undefined,
    messages,
  };
  // docs/wire/messages.md#cache-markers: the top-level marker stands for one on the last cacheable block.
  const prompt = request.cacheMarker ? markLastBlock(plain, request.cacheMarker) : plain;
  const whole = encodeBody(context, thinking, prompt);
  const body = fields ? definedFields(whole, fields) : whole;
  const own = request.betas.length > 0 ? pricedBetas(request, target) : request.betas;
  const hasVendorTools = request.tools.length > 0 && !hasOnlyFunctions(request.tools);
  const betas = betasOf(body, own, hasImages || hasDocuments || hasOpaque, hasVendorTools);
  const stream = request.stream && fields === undefined;
  const headers = stream ? STREAM_HEADERS : WHOLE_HEADERS;
  return {
    path,
    headers: betas.length > 0 ? { ...headers, 'anthropic-beta': betas.join(',') } : headers,
    body,
    stream,
  };
}

/** A turn that came in this format, where nothing of it is dropped and its vendor would refuse no block. */
function asItCame({ message, blocks }: KeptTurn, context: EncodeContext): JsonObject | undefined {
  const { origin, content } = message;
  if (origin?.vendor !== 'anthropic' || blocks !== content) return undefined;
  for (let place = 0; place < content.length; place++) {
    const block = content[place]!;
    // Most are texts that cite nothing.
    if ((block.type !== 'text' || block.citations !== undefined) && !mayGoAsItCame(block, context)) return undefined;
  }
  return origin.value;
}

const definedFields = (body: JsonObject, fields: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => fields.has(field)));

function encodeBody(context: EncodeContext, thinking: Thinking | undefined, prompt: Prompt): JsonObject {
  const { request, target, tierWords: words } = context;
  // Unknown fields come before what is modelled, which overrides them, also where it is undefined and so not sent.
  const body: Record<string, Json | undefined> = {
    model: target.endpoint.upstreamModel,
    ...(request.extras && encodeExtras(request.extras)),
    max_tokens: request.maxOutputTokens ?? defaultOutputTokens(thinking, target),
    stream: request.stream ? true : undefined,
    ...encodeFields(request, target),
    thinking: thinking && encodeThinking(thinking, request),
    output_config: encodeOutputConfig(request),
    context_management: request.contextManagement && encodeContextManagement(request, thinking),
    metadata: request.metadata || request.user !== undefined ? encodeMetadata(request) : undefined,
    service_tier: words.serviceTier === undefined ? undefined : SERVICE_TIERS.get(words.serviceTier),
    speed: words.speed,
    inference_geo: words.inferenceGeo,
    tool_choice: request.tools.length > 0 || request.toolChoice ? encodeToolChoice(context) : undefined,
    tools: prompt.tools,
    system: prompt.system,
    messages: prompt.messages,
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return body;
}

function* encodeTools(context: EncodeContext): Steps<JsonObject[] | undefined> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === 'anthropic');
  if (tools.length === 0) return undefined;
  return tools.map((tool) => (tool.type === 'vendor' ? encodeVendorTool(tool, context) : functionTool(tool, context)));
}

function functionTool(tool: FunctionTool, { names }: EncodeContext): JsonObject {
  const name = names.toWire(tool.name);
  if (tool.origin?.vendor === 'anthropic') {
    return name === tool.name ? tool.origin.value : { ...tool.origin.value, name };
  }
  return {
    name,
    description: tool.description,
    input_schema: withObjectType(tool.inputSchema),
    strict: tool.strict === true ? true : undefined,
    cache_control: encodeMarker(tool.cacheMarker),
  };
}

/** As it came, or was asked for by another name; a model that it consults is named as this provider names it. */
function encodeVendorTool(tool: VendorTool, { request, target: { endpoint } }: EncodeContext): JsonObject {
  const { opaque, advisor, cacheMarker } = tool;
  if (!advisor) return cacheMarker ? { cache_control: encodeMarker(cacheMarker), ...opaque.value } : opaque.value;
  const beside = endpointBeside(advisor, endpoint);
  if (beside) return { ...opaque.value, model: beside.upstreamModel };
  throw new Untranslatable(
    `tools.${request.tools.indexOf(tool)}.model`,
    `${endpoint.tag} does not serve ${advisor.id}, so that nobody could be asked nor charged; choose another model`,
  );
}

function encodeToolChoice(context: EncodeContext): JsonObject | undefined {
  const { names, request } = context;
  const { parallelToolCalls, tools } = request;
  const toolChoice = sentChoice(context);
  if (toolChoice?.origin?.vendor === 'anthropic') {
    const { value } = toolChoice.origin;
    return toolChoice.type === 'tool' ? { ...value, name: names.toWire(toolChoice.name) } : value;
  }
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) {
    return disable_parallel_tool_use && tools.length > 0 ? { type: 'auto', disable_parallel_tool_use } : undefined;
  }
  switch (toolChoice.type) {
    case 'none':
      return { type: 'none' };
    case 'tool':
      return { type: 'tool', name: names.toWire(toolChoice.name), disable_parallel_tool_use };
    case 'auto':
    case 'any':
      return { type: toolChoice.type, disable_parallel_tool_use };
  }
}

/** However long the summary is to be that a caller of another format asks for: the vendor has one word for all. */
function encodeThinking(thinking: Thinking, { reasoningSummary }: ModelRequest): JsonObject {
  if (thinking.origin?.vendor === 'anthropic') return thinking.origin.value;
  const summarized = reasoningSummary === undefined ? undefined : 'summarized';
  switch (thinking.type) {
    case 'enabled':
      return { type: 'enabled', budget_tokens: thinking.budgetTokens, display: thinking.display ?? summarized };
    case 'adaptive':
      return { type: 'adaptive', display: thinking.display ?? summarized };
    case 'disabled':
      return { type: 'disabled' };
  }
}

/**
 * JSON without a schema has no counterpart and is left out: formats that know it demand that the
 * prompt asks for JSON, too.
 */
function encodeOutputConfig(request: ModelRequest): JsonObject | undefined {
  const { outputOrigin, effort, verbosity, outputFormat, taskBudget } = request;
  if (outputOrigin?.vendor === 'anthropic') return outputOrigin.value;
  // At this vendor effort is how many tokens the model spends on all it says, and the one word for verbosity.
  const effortName = effort ? EFFORT_NAMES[effort] : verbosity;
  const format =
    outputFormat?.type === 'json-schema' ? { type: 'json_schema', schema: outputFormat.schema } : undefined;
  const task_budget = taskBudget && {
    type: 'tokens',
    total: taskBudget.totalTokens,
    remaining: taskBudget.remainingTokens,
  };
  return effortName || format || task_budget ? { effort: effortName, format, task_budget } : undefined;
}

/** Edits that clear thinking are refused where thinking is off: they go when this attempt had to go without. */
function encodeContextManagement(request: ModelRequest, thinking: Thinking | undefined): JsonObject | undefined {
  if (request.contextManagement?.vendor !== 'anthropic') return undefined;
  const { value } = request.contextManagement;
  const edits = value['edits'];
  if (thinking === request.thinking || !Array.isArray(edits)) return value;
  const kept = (edits as readonly JsonObject[]).filter((edit) => edit['type'] !== 'clear_thinking_20251015');
  if (kept.length === edits.length) return value;
  return kept.length > 0 ? { ...value, edits: kept } : undefined;
}

function encodeMetadata({ metadata, user }: ModelRequest): JsonObject | undefined {
  const own = metadata?.vendor === 'anthropic' ? metadata.value : undefined;
  const saysWho = own?.['user_id'] !== undefined && own['user_id'] !== null;
  return user === undefined || saysWho ? own : { ...own, user_id: user };
}

function encodeExtras({ vendor, value }: Opaque): JsonObject | undefined {
  if (vendor !== 'anthropic') return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !MODELLED.has(name)));
}

/**
 * A derived limit must be valid: above the thinking budget, which counts towards it
 * (docs/reasons/translation.md#derived-values-are-valid).
 */
function defaultOutputTokens(thinking: Thinking | undefined, { endpoint, model }: Target): number {
  const known = endpoint.maxCompletionTokens ?? model.maxCompletionTokens;
  if (known !== undefined) return known;
  return OUTPUT_TOKENS_DEFAULT + (thinking?.type === 'enabled' ? thinking.budgetTokens : 0);
}
