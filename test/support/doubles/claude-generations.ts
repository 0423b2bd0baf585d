import type { JsonBody } from '../recorded-request.js';
import type { Refusal } from './double.js';

// What Anthropic refuses by the model that is called, on its own address and on the clouds. By the vendor's migration
// guides (platform.claude.com/docs/en/models/<model>/migration-guide, about-claude/models/migration-guide), its pages
// on effort, extended thinking and system messages within a conversation, and the issues named; read 2026-11-29. Names
// as they are in addresses: `claude-opus-4-7`, `us.anthropic.claude-opus-4-7`, `claude-opus-4-7@default`.

/** A call of either format, under the names of the Messages format. */
export interface ClaudeCall {
  readonly model: string;
  readonly fields: JsonBody;
  readonly betas: readonly string[];
  readonly atConverse: boolean;
}

const SAMPLING_REMOVED = /claude-(?:opus-(?:4-[78]|5)|sonnet-5|haiku-5|fable-|mythos-)/;
const ONE_SAMPLER = /claude-(?:opus-4-[156](?!\d)|sonnet-4-[56]|haiku-4-5)/;
const THINKING: readonly (readonly [model: RegExp, types: readonly string[]])[] = [
  [/claude-(?:opus|sonnet)-4-6/, ['enabled', 'adaptive', 'disabled']],
  [/claude-sonnet-5-5/, ['adaptive', 'between_tools']],
  [/claude-(?:opus-5-5|fable-|mythos-)/, ['adaptive']],
  [/claude-(?:opus-(?:4-[78]|5)|sonnet-5|haiku-5-5)/, ['adaptive', 'disabled']],
  [/claude-(?:3-7|[a-z]+-4)/, ['enabled', 'disabled']],
];
const EFFORTS: readonly (readonly [model: RegExp, words: readonly string[]])[] = [
  [/claude-opus-4-5/, ['low', 'medium', 'high']],
  [/claude-(?:opus-4-6|sonnet-4-6|mythos-preview)/, ['low', 'medium', 'high', 'max']],
  [/claude-(?:opus-(?:4-[78]|5)|sonnet-5|haiku-5|fable-|mythos-)/, ['low', 'medium', 'high', 'xhigh', 'max']],
];
const EFFORT_BETA = { model: /claude-opus-4-5/, beta: 'effort-2025-11-24' };
/** Beside thinking that is off: models/opus-5/migration-guide, models/sonnet-5-5/whats-new-sonnet-5-5. */
const HIGH_AT_MOST = /claude-(?:opus-5(?!-5)|sonnet-5-5|haiku-5-5)/;
const SYSTEM_ROLE = /claude-(?:opus-4-8|opus-5|sonnet-5-5|haiku-5-5|fable-5|mythos-5)/;
/** platform.claude.com/docs/en/build-with-claude/effort-per-message; the words: "messages.2.output_config: Extra …". */
const TURN_EFFORTS = {
  model: /claude-(?:opus-5|sonnet-5-5|haiku-5-5|(?:fable|mythos)-5-[12])/,
  beta: 'mid-conversation-output-config-2026-07-01',
};
const PREFILL_REMOVED = /claude-(?:[a-z]+-4-[678](?!\d)|[a-z]+-5|mythos-)/;
/** BerriAI/litellm, issue 31582 and pull request 33196. */
const LAX_AT_CONVERSE = /claude-(?:opus-4-[78]|sonnet-5(?!-5))/;

export const GENERATION_RULES = [
  'a sampling field of older models',
  'two samplers at once',
  'thinking of another generation',
  'an effort of another generation',
  'an effort without its beta',
  'an effort of a turn',
  'a high effort without thinking',
  'a strict tool at Converse',
  'a role of newer models',
  'instructions at a wrong position',
  'a beginning of the answer',
] as const;
const broken = (rule: (typeof GENERATION_RULES)[number], message: string): Refusal => ({ rule, message });

const rowOf = (rows: readonly (readonly [RegExp, readonly string[]])[], model: string): readonly string[] | undefined =>
  rows.find(([name]) => name.test(model))?.[1];

export function generationFault(call: ClaudeCall): Refusal | undefined {
  if (!/claude-.*(?:\d|preview)/.test(call.model)) return undefined;
  return samplingFault(call) ?? thinkingFault(call) ?? effortFault(call) ?? toolFault(call) ?? turnFault(call);
}

/** The words: Comfy-Org/ComfyUI, issue 13923; open-webui/functions, pull request 9. */
function samplingFault({ model, fields }: ClaudeCall): Refusal | undefined {
  const removed = ['temperature', 'top_p', 'top_k'].find((field) => fields[field] !== undefined);
  if (removed !== undefined && SAMPLING_REMOVED.test(model)) {
    return broken('a sampling field of older models', `\`${removed}\` is deprecated for this model.`);
  }
  if (ONE_SAMPLER.test(model) && fields.temperature !== undefined && fields.top_p !== undefined) {
    const words = '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
    return broken('two samplers at once', words);
  }
  return undefined;
}

/** The words: NousResearch/hermes-agent, issue 11137. */
function thinkingFault({ model, fields }: ClaudeCall): Refusal | undefined {
  const type = fields.thinking?.type;
  const types = rowOf(THINKING, model);
  if (type === undefined || types === undefined || types.includes(type)) return undefined;
  return broken('thinking of another generation', `"thinking.type.${type}" is not supported for this model.`);
}

function effortFault({ model, fields, betas }: ClaudeCall): Refusal | undefined {
  const effort = fields.output_config?.effort;
  if (effort === undefined || effort === null) return undefined;
  const words = rowOf(EFFORTS, model);
  if (words === undefined || !words.includes(effort)) {
    return broken('an effort of another generation', `This model does not support the effort parameter "${effort}".`);
  }
  if (EFFORT_BETA.model.test(model) && !betas.includes(EFFORT_BETA.beta)) {
    return broken('an effort without its beta', 'output_config: Extra inputs are not permitted');
  }
  const isOff = fields.thinking?.type === 'disabled' || fields.thinking?.type === 'between_tools';
  if (isOff && HIGH_AT_MOST.test(model) && (effort === 'xhigh' || effort === 'max')) {
    return broken('a high effort without thinking', `effort "${effort}" is not supported with thinking off.`);
  }
  return undefined;
}

/** The words: run-llama/llama_index, issue 23207; BerriAI/litellm, issue 31582. */
function toolFault({ model, fields, atConverse }: ClaudeCall): Refusal | undefined {
  if (atConverse && LAX_AT_CONVERSE.test(model) && fields.tools?.some(({ strict }: JsonBody) => strict !== undefined)) {
    return broken('a strict tool at Converse', 'tools.0.custom.strict: Extra inputs are not permitted');
  }
  return undefined;
}

/** The words: BerriAI/litellm, pull requests 31364 and 32831; JobRunr/JavaClaw, issue 36. */
function turnFault({ model, fields, betas }: ClaudeCall): Refusal | undefined {
  // With `between_tools` there is one effort: models/sonnet-5-5/whats-new-sonnet-5-5.
  const mayChange = TURN_EFFORTS.model.test(model) && fields.thinking?.type !== 'between_tools';
  const isTaken = mayChange && betas.includes(TURN_EFFORTS.beta);
  const setting = fields.messages.findIndex(({ output_config: config }: JsonBody) => config?.effort !== undefined);
  if (setting >= 0 && !(isTaken && fields.messages[setting].role === 'system'))
    return broken('an effort of a turn', `messages.${setting}.output_config: Extra inputs are not permitted`);
  // A turn that only sets the effort may be anywhere.
  const messages = fields.messages.filter(
    (message: JsonBody) => message.role !== 'system' || !setsEffortAlone(message),
  );
  const roles: string[] = messages.map(({ role }: JsonBody) => role);
  const first = roles.indexOf('system');
  if (first === 0) {
    const words = "messages.0: use the top-level 'system' parameter for the initial system prompt";
    return broken('instructions at a wrong position', words);
  }
  if (first > 0 && !SYSTEM_ROLE.test(model)) {
    return broken('a role of newer models', `messages.${first}: role 'system' is not supported on this model`);
  }
  const stray = roles.findIndex((role, index) => role === 'system' && !isInPlace(messages, index));
  if (stray > 0) {
    const words = "role 'system' must follow a user turn and precede an assistant turn";
    return broken('instructions at a wrong position', `messages.${stray}: ${words}`);
  }
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !PREFILL_REMOVED.test(model) || isPaused(last)) return undefined;
  const words = 'This model does not support assistant message prefill. The conversation must end with a user message.';
  return broken('a beginning of the answer', words);
}

/** A paused run of the vendor's own tools is sent back unchanged. */
const isPaused = ({ content }: JsonBody): boolean =>
  Array.isArray(content) && content.some(({ type }: JsonBody) => type === 'server_tool_use');

const setsEffortAlone = ({ content, output_config: config }: JsonBody): boolean =>
  config?.effort !== undefined && (content === undefined || content.length === 0);

function isInPlace(messages: JsonBody[], index: number): boolean {
  const [before, after] = [messages[index - 1], messages[index + 1]];
  const isBehindServerTool = Array.isArray(before.content) && before.content.at(-1)?.type === 'server_tool_use';
  if (before.role !== 'user' && !isBehindServerTool) return false;
  return after === undefined || after.role === 'assistant';
}
