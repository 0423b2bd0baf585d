import type { JsonBody } from '../recorded-request.js';
import type { Refusal } from './double.js';

// What OpenAI refuses by the model that is called, in both of its formats. Read 2026-11-29.

/** developers.openai.com/api/docs/guides/latest-model (#gpt-54-parameter-compatibility) for those from gpt-5.1 on. */
const ALWAYS_REASONS = /^(?:o\d|gpt-5(?![.\d]|-chat)|gpt-5\.\d-(?:pro|codex)|gpt-5\.[5-9]|gpt-[6-9])/;
const MAY_REASON = /^gpt-5\.[1-4](?!-chat)/;
const SAMPLED = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
/** nextai-translator/nextai-translator, issue 1781; FlowiseAI/Flowise, issue 5046. */
const NEVER = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'stop'];

/** openai/openai-agents-python, issue 2089; learn.microsoft.com, ReasoningEffort of @azure/ai-projects. */
const EFFORTS: readonly (readonly [model: RegExp, words: readonly string[]])[] = [
  [/^o\d/, ['low', 'medium', 'high']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5(?![.\d])/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(?!-codex-max)/, ['none', 'low', 'medium', 'high']],
  // anomalyco/opencode, issue 36141
  [/^gpt-(?:5\.[6-9]|6-(?!astra))/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-5\.\d/, ['none', 'low', 'medium', 'high', 'xhigh']],
  // UKGovernmentBEIS/inspect_ai, pull request 5254
  [/^gpt-6-astra/, ['low', 'medium', 'high', 'xhigh', 'max']],
];
/**
 * What chat completions refuse beside functions: livekit/agents, issue 5084 (any word); BerriAI/litellm, pull request
 * 34569 (all but `none`, which has to be there); genkit-ai/genkit-dart, pull request 423 (functions).
 */
const WORDLESS_WITH_TOOLS = /^gpt-5\.4(?!-pro)/;
const NONE_WITH_TOOLS = /^gpt-(?:5\.[56](?!-pro)|6)/;

export const CHAT_REASONING_RULE = 'an effort beside functions';
export const REASONING_RULES = ['sampling of models that reason', 'an effort of other models'] as const;
const broken = (rule: (typeof REASONING_RULES)[number], message: string): Refusal => ({ rule, message });

/** @param effort as the body has it */
export function reasoningFault(model: string, sent: JsonBody, effort: string | undefined): Refusal | undefined {
  const words = EFFORTS.find(([name]) => name.test(model))?.[1];
  if (effort !== undefined && words?.includes(effort) === false) {
    const known = words.map((word) => `'${word}'`).join(', ');
    const rest = `is not supported with the '${model}' model. Supported values are: ${known}.`;
    return broken('an effort of other models', `Unsupported value: '${effort}' ${rest}`);
  }
  const isReasoning = ALWAYS_REASONS.test(model) || (MAY_REASON.test(model) && (effort ?? 'none') !== 'none');
  const refused = isReasoning ? [...SAMPLED, ...NEVER] : MAY_REASON.test(model) ? NEVER : [];
  const field = refused.find((name) => sent[name] !== undefined && sent[name] !== null);
  if (field === undefined) return undefined;
  return broken(
    'sampling of models that reason',
    `Unsupported parameter: '${field}' is not supported with this model.`,
  );
}

/** The words: LibreChat, issue 14355. */
export function toolEffortFault(model: string, sent: JsonBody): Refusal | undefined {
  const effort: string | undefined = sent.reasoning_effort ?? undefined;
  if (!(sent.tools?.length > 0)) return undefined;
  const isTaken = WORDLESS_WITH_TOOLS.test(model)
    ? effort === undefined
    : !NONE_WITH_TOOLS.test(model) || (effort === 'none' && !model.includes('astra'));
  if (isTaken) return undefined;
  const way = "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
  const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${way}`;
  return { rule: CHAT_REASONING_RULE, message };
}
