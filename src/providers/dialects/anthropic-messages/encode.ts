import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest, Thinking, Verbosity } from '../../../core/conversation/request.js';
import type { Tool, VendorTool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import type { JsonObject, Opaque } from '../../../core/json/json.js';
import { endpointBeside } from '../../../core/money/advisors.js';
import type { Target, UpstreamCall } from '../../../core/provider.js';
import { pricedBetas, tierParameters } from '../service-tier.js';
import { betasOf } from './betas.js';
import { markLastBlock, type Prompt } from './cache-marker.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { ToolIds } from '../tool-ids.js';
import { encodeMarker, encodeSystem, encodeTurn, TOOL_ID_RULE, wireName } from './encode-blocks.js';
import { keptTurns } from './history.js';

const API_VERSION = '2023-06-01';

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

/** Words of other formats, which this one has no place for. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'frequency_penalty', 'presence_penalty', 'seed', 'logit_bias', 'logprobs', 'top_logprobs', 'top_a', 'min_p',
  'repetition_penalty', 'response_format',
]); // prettier-ignore

/** Whether a field that a request sets is sent to such a target: what `encodeBody` has a place for. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (parameter === 'verbosity') return effortOfVerbosity('low', target) !== undefined;
  return !NOT_SENT.has(parameter);
}

/**
 * The call for one attempt. Values that came in this format are printed as they came, so nothing is lost and equal
 * prefixes are equal bytes; the history stands last in the body, for the same reason.
 * @throws Untranslatable for tools and blocks the vendor has no form for
 */
export function encodeMessages(request: ModelRequest, target: Target): UpstreamCall {
  const body = encodeBody(request, target);
  const betas = betasOf(body, pricedBetas(request, target));
  return {
    path: '/v1/messages',
    headers: encodeHeaders(betas, request.stream ? 'text/event-stream' : 'application/json'),
    body,
    stream: request.stream,
  };
}

export const encodeHeaders = (betas: readonly string[], accept: string): UpstreamCall['headers'] => ({
  'content-type': 'application/json',
  accept,
  'anthropic-version': API_VERSION,
  ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
});

/** @throws Untranslatable as `encodeMessages` does */
export function encodeBody(request: ModelRequest, target: Target): JsonObject {
  const turns = keptTurns(request.messages);
  const ids = new ToolIds(request.messages, TOOL_ID_RULE);
  const thinking = request.thinking && thinkingThatFits(request, turns);
  const plain: Prompt = {
    tools: request.tools.length > 0 ? request.tools.map((tool, index) => encodeTool(tool, index, target)) : undefined,
    system: request.system.length > 0 ? encodeSystem(request.system, target, ids) : undefined,
    messages: turns.map((turn) => encodeTurn(turn, target, ids)),
  };
  // docs/wire/messages.md#cache-markers: the top-level marker stands for one on the last cacheable block.
  const prompt = request.cacheMarker ? markLastBlock(plain, request.cacheMarker) : plain;
  const words = tierParameters(request, target);
  // Unknown fields come before what is modelled, which overrides them, also where it is undefined and so not sent.
  return {
    model: target.endpoint.upstreamModel,
    ...(request.extras && encodeExtras(request.extras)),
    max_tokens: request.maxOutputTokens ?? defaultOutputTokens(thinking, target),
    stream: request.stream ? true : undefined,
    temperature: request.sampling.temperature,
    top_p: request.sampling.topP,
    top_k: request.sampling.topK,
    stop_sequences: request.stopSequences,
    thinking: thinking && encodeThinking(thinking, request),
    output_config: encodeOutputConfig(request, target),
    context_management: request.contextManagement && encodeContextManagement(request, thinking),
    metadata: request.metadata || request.user !== undefined ? encodeMetadata(request) : undefined,
    service_tier: words.serviceTier === undefined ? undefined : SERVICE_TIERS.get(words.serviceTier),
    speed: words.speed,
    inference_geo: words.inferenceGeo,
    tool_choice: request.tools.length > 0 || request.toolChoice ? encodeToolChoice(request) : undefined,
    tools: prompt.tools,
    system: prompt.system,
    messages: prompt.messages,
  };
}

function encodeTool(tool: Tool, index: number, target: Target): JsonObject {
  switch (tool.type) {
    case 'function':
      if (tool.origin?.vendor === 'anthropic') return tool.origin.value;
      return {
        name: tool.name,
        description: tool.description,
        // The vendor demands the type that other formats let their callers leave out.
        input_schema:
          tool.inputSchema['type'] === undefined ? { type: 'object', ...tool.inputSchema } : tool.inputSchema,
        strict: tool.strict === true ? true : undefined,
        cache_control: encodeMarker(tool.cacheMarker),
      };
    case 'vendor':
      if (tool.opaque.vendor === 'anthropic') return encodeVendorTool(tool, index, target);
      throw new Untranslatable(
        `tools.${index}`,
        `${target.endpoint.tag} does not offer the tool ${tool.name ?? wireName(tool.opaque.value)}`,
      );
    case 'service':
      throw new Untranslatable(
        `tools.${index}`,
        `the tool ${tool.id} is not one that ${target.endpoint.tag} runs; leave it out or choose another model`,
      );
  }
}

/** As it came; a model that it consults is named as this provider names it. */
function encodeVendorTool({ opaque, advisor }: VendorTool, index: number, { endpoint }: Target): JsonObject {
  if (!advisor) return opaque.value;
  const beside = endpointBeside(advisor, endpoint);
  if (beside) return { ...opaque.value, model: beside.upstreamModel };
  throw new Untranslatable(
    `tools.${index}.model`,
    `${endpoint.tag} does not serve ${advisor.id}, so that nobody could be asked nor charged; choose another model`,
  );
}

function encodeToolChoice({ toolChoice, parallelToolCalls, tools }: ModelRequest): JsonObject | undefined {
  if (toolChoice?.origin?.vendor === 'anthropic') return toolChoice.origin.value;
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) {
    return disable_parallel_tool_use && tools.length > 0 ? { type: 'auto', disable_parallel_tool_use } : undefined;
  }
  switch (toolChoice.type) {
    case 'none':
      return { type: 'none' };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, disable_parallel_tool_use };
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
function encodeOutputConfig(request: ModelRequest, target: Target): JsonObject | undefined {
  if (request.outputOrigin?.vendor === 'anthropic') return request.outputOrigin.value;
  const { effort, verbosity, outputFormat, taskBudget } = request;
  const effortName = effort ? EFFORT_NAMES[effort] : verbosity && effortOfVerbosity(verbosity, target);
  const format =
    outputFormat?.type === 'json-schema' ? { type: 'json_schema', schema: outputFormat.schema } : undefined;
  const task_budget = taskBudget && {
    type: 'tokens',
    total: taskBudget.totalTokens,
    remaining: taskBudget.remainingTokens,
  };
  return effortName || format || task_budget ? { effort: effortName, format, task_budget } : undefined;
}

/**
 * At this vendor effort is how many tokens the model spends on all it says, and the one word for verbosity
 * (docs/wire/routing.md#unsupported-parameters).
 */
function effortOfVerbosity(verbosity: Verbosity, { endpoint }: Target): string | undefined {
  const { supportedParameters } = endpoint;
  return supportedParameters.length === 0 || supportedParameters.includes('verbosity') ? verbosity : undefined;
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
  const { model: _modelled, ...unknown } = value;
  return unknown;
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
