import type { TextBlock } from '../../../core/conversation/content.js';
import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest, OutputFormat, Thinking } from '../../../core/conversation/request.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import { hasOnlyFunctions, type FunctionTool, type Tool, type VendorTool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../../../core/json/json.js';
import { endpointBeside } from '../../../core/money/advisors.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { claudeRulesOf } from '../../model-rules/claude-models.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { assertContinues, trimmedEnd } from '../../model-rules/prefill.js';
import { withResultsInFront } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, namesTools, toolWordsOf } from '../encode-context.js';
import { fieldEncoder, fieldNames } from '../encode-fields.js';
import { claudeToolSchema, isTakenByClaude, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { heldTools, openForm, restrictedForm, type AnswerForm } from '../schemas/held-schemas.js';
import { omitFields } from '../json-call.js';
import { sentChoice, sentTools } from '../sent-tools.js';
import { pricedBetas } from '../service-tier.js';
import { withObjectType } from '../schemas/tool-schema.js';
import { betasOf } from './betas.js';
import { markLastBlock, type Prompt } from './cache-marker.js';
import { withMembers } from './carried-members.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { encodeMarker, encodeSystem, encodeTurn, mayGoAsItCame, NAMING } from './encode-blocks.js';
import { allTurns, keptTurns, type KeptTurn } from './history.js';
import { placeInstructions } from './system-turns.js';
import { TABLE } from './table.js';

const WHOLE_HEADERS: UpstreamCall['headers'] = {
  'content-type': 'application/json',
  accept: 'application/json',
  'anthropic-version': '2023-06-01',
};
const STREAM_HEADERS: UpstreamCall['headers'] = { ...WHOLE_HEADERS, accept: 'text/event-stream' };
/** For requests without strict tools. */
const NONE_HELD: ReadonlySet<Tool> = new Set();
/** The vendor itself fetches addresses. */
const NO_MEDIA: FetchedMedia = new Map();

/** The vendor requires an output limit; this one applies where neither caller nor catalog states one. */
const OUTPUT_TOKENS_DEFAULT = 4096;

/** `none` is the default where thinking is not requested; `minimal` maps to the vendor's least effort. */
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
 * The vendor knows only whether capacity bought ahead may be used: `auto` (its default) and `standard_only`. A request
 * for priority is `auto`; `default`, `standard`, `flex` and names of other vendors have no meaning here and are left
 * out.
 */
const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'standard_only'],
  ['priority', 'auto'],
]);

const encodeFields = fieldEncoder(TABLE);
/** Fields that no unknown field may set, even where the request leaves them out. */
const MODELLED: ReadonlySet<string> = new Set(['model', ...fieldNames(TABLE)]);

/** The purpose of a call. */
export interface CallForm {
  readonly path: string;
  /** The only fields that it takes. Absent: it takes all of them, and its reply is a message, which may be streamed. */
  readonly fields?: ReadonlySet<string>;
}

const MESSAGE: CallForm = { path: '/v1/messages' };

/**
 * The call for one attempt. Values that came in this format are printed unchanged, so nothing is lost and equal
 * prefixes are equal bytes. The history comes last in the body for the same reason.
 * @throws Untranslatable for tools and blocks that the vendor has no form for
 */
export function* encodeMessages(
  requested: ModelRequest,
  target: Target,
  media = NO_MEDIA,
  { path, fields }: CallForm = MESSAGE,
): Steps<UpstreamCall> {
  const { hasImages, hasDocuments, hasOpaque, hasInstructions, hasLateResults } = traitsOf(requested.messages);
  const toolWords = namesTools(requested) ? yield* toolWordsOf(requested, target, NAMING) : undefined;
  const ordered = hasLateResults ? withResultsInFront(requested) : requested;
  const behind = hasImages ? moveAssistantImages(ordered, target) : ordered;
  const context = new EncodeContext(behind, target, media, TABLE, toolWords);
  const { request } = context;
  const turns = allTurns(request.messages) ?? (yield* keptTurns(request.messages, context));
  const thinking = request.thinking && thinkingThatFits(request, turns, (turn) => turn);
  const last = turns[turns.length - 1]!;
  if (last.message.role === 'assistant') {
    assertContinues(last.blocks, last.message, last.index, target);
    turns[turns.length - 1] = withTrimmedEnd(last);
  }
  const messages: JsonObject[] = [];
  for (const turn of hasInstructions ? placeInstructions(turns, context) : turns) {
    if (context.steps.isOver(turn.blocks.length)) yield;
    messages.push(asItCame(turn, context) ?? (yield* encodeTurn(turn, context)));
  }
  const form = request.outputFormat && (yield* formOf(request.outputFormat, target));
  const system = form?.words === undefined ? request.system : withWords(request.system, form.words);
  const plain: Prompt = {
    tools: request.tools.length > 0 ? yield* encodeTools(context) : undefined,
    system: system.length > 0 ? encodeSystem(system, context) : undefined,
    messages,
  };
  // docs/use/messages.md#cache-markers: the top-level marker means one on the last cacheable block.
  const prompt = request.cacheMarker ? markLastBlock(plain, request.cacheMarker) : plain;
  const modelled = encodeBody(context, thinking, prompt, encodeOutputConfig(request, form?.schema));
  const whole = requested.undeclared === undefined ? modelled : withMembers(modelled, requested);
  const body = fields ? definedFields(whole, fields) : whole;
  const named = request.betas.length > 0 ? pricedBetas(request, target) : request.betas;
  const own = (request.effort ?? request.verbosity) === undefined ? named : withEffortBeta(named, target);
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

/** The turn without white space at its end: its content is then printed from the blocks. */
function withTrimmedEnd(turn: KeptTurn): KeptTurn {
  const blocks = trimmedEnd(turn.blocks);
  return blocks === turn.blocks ? turn : { ...turn, blocks, message: { ...turn.message, content: [...blocks] } };
}

/**
 * The turn unchanged, if it came in this format, nothing of it is dropped, and the vendor accepts all of its blocks.
 */
function asItCame({ message, blocks }: KeptTurn, context: EncodeContext): JsonObject | undefined {
  const { origin, content } = message;
  if (origin?.vendor !== 'anthropic' || blocks !== content) return undefined;
  for (let index = 0; index < content.length; index++) {
    const block = content[index]!;
    // Most blocks are texts without citations.
    if ((block.type !== 'text' || block.citations !== undefined) && !mayGoAsItCame(block, context)) return undefined;
  }
  return origin.value;
}

/** One model takes the effort only with a beta. */
function withEffortBeta(betas: readonly string[], target: Target): readonly string[] {
  const beta = claudeRulesOf(target)?.effortBeta;
  return beta === undefined || betas.includes(beta) ? betas : [...betas, beta];
}

const definedFields = (body: JsonObject, fields: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => fields.has(field)));

function encodeBody(
  context: EncodeContext,
  thinking: Thinking | undefined,
  prompt: Prompt,
  outputConfig: JsonObject | undefined,
): JsonObject {
  const { request, target, tierWords: words } = context;
  // Unknown fields come first, so that the modelled ones override them, even with undefined, which is not sent.
  const body: Record<string, Json | undefined> = {
    model: target.endpoint.upstreamModel,
    ...(request.extras && encodeExtras(request.extras)),
    max_tokens: request.maxOutputTokens ?? defaultOutputTokens(thinking, target),
    stream: request.stream ? true : undefined,
    ...encodeFields(request, target),
    thinking: thinking && encodeThinking(thinking, request),
    output_config: outputConfig,
    context_management: request.contextManagement && encodeContextManagement(request, thinking),
    metadata: request.metadata || request.user !== undefined ? encodeMetadata(request) : undefined,
    service_tier: words.serviceTier === undefined ? undefined : SERVICE_TIERS.get(words.serviceTier),
    speed: words.speed,
    inference_geo: words.inferenceGeo,
    // Anthropic refuses a tool choice without tools ("may only be specified while providing tools").
    tool_choice: prompt.tools && encodeToolChoice(context),
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
  let areStrict = false;
  for (const tool of tools) areStrict ||= tool.type === 'function' && tool.strict === true;
  const held = areStrict ? yield* heldTools(tools, context) : NONE_HELD;
  const encoded: JsonObject[] = [];
  for (const tool of tools) {
    if (tool.type === 'vendor') encoded.push(encodeVendorTool(tool, context));
    else if (!areStrict && isTakenByClaude(tool.inputSchema)) {
      encoded.push(functionTool(tool, tool.inputSchema, false, context));
    } else {
      if (context.steps.isOver(SCHEMA_STEPS)) yield;
      const isStrict = held.has(tool);
      const { schema } = yield* claudeToolSchema(tool.inputSchema, context.target, isStrict);
      encoded.push(functionTool(tool, schema, isStrict, context));
    }
  }
  return encoded;
}

/**
 * @param schema in the target's form
 * @param isStrict whether the vendor enforces the schema
 */
function functionTool(tool: FunctionTool, schema: JsonObject, isStrict: boolean, { names }: EncodeContext): JsonObject {
  const { origin } = tool;
  const name = names.toWire(tool.name);
  const isKept = isStrict === (tool.strict === true);
  if (origin?.vendor === 'anthropic') {
    if (name === tool.name && schema === tool.inputSchema && isKept) return origin.value;
    const { strict: _strict, ...others } = origin.value;
    return { ...(isKept ? origin.value : others), name, input_schema: schema };
  }
  return {
    name,
    description: tool.description,
    input_schema: withObjectType(schema),
    strict: isStrict ? true : undefined,
    cache_control: encodeMarker(tool.cacheMarker),
  };
}

/** The tool unchanged, or as mapped from another name. A model that it consults gets this provider's name. */
function encodeVendorTool(tool: VendorTool, { request, target: { endpoint } }: EncodeContext): JsonObject {
  const { opaque, advisor, cacheMarker } = tool;
  if (!advisor) return cacheMarker ? { cache_control: encodeMarker(cacheMarker), ...opaque.value } : opaque.value;
  const beside = endpointBeside(advisor, endpoint);
  if (beside) return { ...opaque.value, model: beside.upstreamModel };
  throw new Untranslatable(
    `${tool.path ?? `tools.${request.tools.indexOf(tool)}`}.model`,
    `${endpoint.tag} does not serve ${advisor.id}, so it cannot be consulted; choose another model`,
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

/** The vendor has one value for summaries, whatever length another format's caller requests. */
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

function* formOf(format: OutputFormat, target: Target): Steps<AnswerForm> {
  return modelFamilyOf(target) === 'claude' ? yield* restrictedForm(format) : yield* openForm(format);
}

/** The text follows the caller's instructions, whose prefix stays the same. */
const withWords = (system: readonly TextBlock[], words: string): readonly TextBlock[] => [
  ...system,
  { type: 'text', text: words },
];

/** @param form the schema that the model must follow */
function encodeOutputConfig(request: ModelRequest, form: JsonObject | undefined): JsonObject | undefined {
  const { outputOrigin, effort, verbosity, outputFormat, taskBudget } = request;
  if (outputOrigin?.vendor === 'anthropic') return withForm(outputOrigin.value, form);
  // This vendor's effort is the number of tokens for all output, and its only counterpart of verbosity.
  const effortName = effort ? EFFORT_NAMES[effort] : verbosity;
  const format = outputFormat && form ? { type: 'json_schema', schema: form } : undefined;
  const task_budget = taskBudget && {
    type: 'tokens',
    total: taskBudget.totalTokens,
    remaining: taskBudget.remainingTokens,
  };
  return effortName || format || task_budget ? { effort: effortName, format, task_budget } : undefined;
}

/** The value unchanged, without a schema that the model cannot follow, and with one that had to change replaced. */
function withForm(value: JsonObject, form: JsonObject | undefined): JsonObject | undefined {
  const { format, ...others } = value;
  if (!isJsonObject(format) || format['schema'] === form) return value;
  if (form !== undefined) return { ...value, format: { ...format, schema: form } };
  return Object.keys(others).length > 0 ? others : undefined;
}

/**
 * Edits that clear thinking are refused where thinking is off, so they are dropped when this attempt omits thinking.
 */
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
  const hasUser = own?.['user_id'] !== undefined && own['user_id'] !== null;
  return user === undefined || hasUser ? own : { ...own, user_id: user };
}

function encodeExtras({ vendor, value }: Opaque): JsonObject | undefined {
  if (vendor !== 'anthropic') return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !MODELLED.has(name)));
}

/**
 * A derived limit must be valid: above the thinking budget, which counts towards it
 * (docs/contribute/reasons/translation.md#derived-values-are-valid).
 */
function defaultOutputTokens(thinking: Thinking | undefined, { endpoint, model }: Target): number {
  const known = endpoint.maxCompletionTokens ?? model.maxCompletionTokens;
  if (known !== undefined) return known;
  return OUTPUT_TOKENS_DEFAULT + (thinking?.type === 'enabled' ? thinking.budgetTokens : 0);
}
