import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';
import { ANTHROPIC_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { claudeRulesOf } from '../../model-rules/claude-models.js';
import { requestedEffort, EFFORT_DEFAULT, nearestEffort } from '../reasoning-effort.js';

/** The fields of a request that concern reasoning. */
export interface RequestedReasoning extends Pick<ModelRequest, 'effort' | 'reasoningSummary'> {
  /** The reasoning that this attempt may request. */
  readonly thinking?: Thinking | undefined;
}

/** Positions of cache points in a prompt. */
export interface Caching {
  readonly tools: boolean;
  /** Directly after a tool result. */
  readonly results: boolean;
  readonly ttl: boolean;
}

/**
 * Features that depend on the family of models: fields that Converse passes through in `additionalModelRequestFields`,
 * and parts of the format that only some models accept.
 */
export interface Family {
  readonly topK?: (topK: number) => JsonObject;
  /** Absent: no field requests reasoning. */
  readonly reasoning?: (requested: RequestedReasoning, target: Target) => JsonObject;
  /** Absent: a cache point fails the call. */
  readonly caching?: Caching;
  /** Whether tool results have a `status`; for other models a text marks the error. */
  readonly takesStatus: boolean;
  /** Whether it reads Anthropic's own `tool_choice` beside the format's, which has no `none`. */
  readonly takesOwnToolChoice?: boolean;
  /** Whether tool results may hold images. */
  readonly takesResultImages?: boolean;
  /** Whether results of failed calls may hold only text. */
  readonly wantsErrorsInWords?: boolean;
  /** Whether it reads search results as such. */
  readonly takesSearchResults?: boolean;
  /** Paths of the stop sequence that was met, in the model's own reply: whole or streamed. */
  readonly stopSequencePaths?: readonly string[];
}

const CLAUDE: Family = {
  topK: (topK) => ({ top_k: topK }),
  reasoning: claudeReasoning,
  caching: { tools: true, results: true, ttl: true },
  takesStatus: true,
  takesOwnToolChoice: true,
  takesResultImages: true,
  wantsErrorsInWords: true,
  takesSearchResults: true,
  stopSequencePaths: ['/stop_sequence', '/delta/stop_sequence'],
};

const NOVA: Family = {
  topK: (topK) => ({ inferenceConfig: { topK } }),
  // Nova refuses points among tools (NousResearch/hermes-agent, issue 97281) and directly after results
  // (aws-samples/bedrock-engineer, pull request 71; HolmesGPT/holmesgpt, issue 2332); read 2026-11-24.
  caching: { tools: false, results: false, ttl: false },
  takesStatus: true,
  takesResultImages: true,
};
const NOVA_2: Family = { ...NOVA, reasoning: novaReasoning };

const GPT_OSS: Family = {
  reasoning: (requested) => effortField('reasoning_effort', requested),
  takesStatus: false,
};

/** For models that are known to take nothing beyond the format. */
const PLAIN: Family = { takesStatus: false };

/**
 * By the author in the model's id, and by generation where generations differ. Sources: the pages of each family under
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, of Nova under docs.aws.amazon.com/nova (it
 * reasons from its second generation on: nova2-userguide), of prompt-caching.html and API_runtime_ToolResultBlock.html;
 * read 2026-11-23. Images in results: API_runtime_ToolResultContentBlock.html, read 2026-11-29.
 */
const FAMILIES: ReadonlyMap<string, Family | ((upstreamModel: string) => Family)> = new Map<
  string,
  Family | ((upstreamModel: string) => Family)
>([
  ['anthropic', CLAUDE],
  ['amazon', (upstreamModel) => (upstreamModel.includes('nova-2') ? NOVA_2 : NOVA)],
  ['openai', GPT_OSS],
  ['cohere', { ...PLAIN, topK: (topK) => ({ k: topK }) }],
  ['mistral', { ...PLAIN, topK: (topK) => ({ top_k: topK }) }],
  ...['ai21', 'deepseek', 'google', 'meta', 'minimax', 'moonshot', 'moonshotai', 'nvidia', 'qwen', 'writer', 'zai'].map(
    (author): [string, Family] => [author, PLAIN],
  ),
]);

/** For an unknown model, everything that the format has is sent as the caller requested it. */
const UNKNOWN: Family = { caching: { tools: true, results: true, ttl: true }, takesStatus: true };

/**
 * Matches `us.anthropic.claude-…`, `anthropic.claude-…`, `arn:aws:bedrock:…:inference-profile/eu.anthropic.claude-…`
 */
const AUTHOR_IN_MODEL = /(?:^|[./])([a-z0-9]+)(?=\.[^./])/g;

export function familyOf(target: Target): Family {
  const family = FAMILIES.get(authorOf(target)) ?? UNKNOWN;
  return typeof family === 'function' ? family(target.endpoint.upstreamModel) : family;
}

/**
 * The author of the model: from its id at the provider, or from the catalog's where that id is the account's own name.
 */
export function authorOf({ endpoint, model }: Target): string {
  for (const [, author] of endpoint.upstreamModel.matchAll(AUTHOR_IN_MODEL)) {
    if (author !== undefined && FAMILIES.has(author)) return author;
  }
  return model.id.slice(0, Math.max(0, model.id.indexOf('/')));
}

/** The mark of this target's reasoning. Claude's needs none, and is valid on every platform. */
export function markOf(target: Target): ReasoningMark {
  const author = authorOf(target);
  const provider = target.endpoint.provider.slug;
  return { format: author === 'anthropic' ? ANTHROPIC_REASONING : `bedrock-${author}`, provider };
}

function claudeReasoning({ thinking, effort, reasoningSummary }: RequestedReasoning, target: Target): JsonObject {
  const summarized = reasoningSummary === undefined ? undefined : 'summarized';
  const word = effort && CLAUDE_EFFORTS[effort];
  const beta = word && claudeRulesOf(target)?.effortBeta;
  return definedOnly({
    thinking: thinking && claudeThinking(thinking, summarized),
    output_config: word && { effort: word },
    anthropic_beta: beta && [beta],
  });
}

const CLAUDE_EFFORTS: Readonly<Record<Effort, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

function claudeThinking(thinking: Thinking, summarized: string | undefined): JsonObject {
  switch (thinking.type) {
    case 'enabled': {
      const display = thinking.display ?? summarized;
      return { type: 'enabled', budget_tokens: thinking.budgetTokens, ...(display !== undefined && { display }) };
    }
    case 'adaptive': {
      const display = thinking.display ?? summarized;
      return { type: 'adaptive', ...(display !== undefined && { display }) };
    }
    case 'disabled':
      return { type: thinking.origin?.vendor === 'anthropic' ? thinking.origin.value['type'] : 'disabled' };
  }
}

function novaReasoning({ thinking, effort }: RequestedReasoning): JsonObject {
  if (thinking?.type === 'disabled' || effort === 'none') return { reasoningConfig: { type: 'disabled' } };
  const requested = requestedEffort(definedOnly({ thinking, effort })) ?? EFFORT_DEFAULT;
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: nearestEffort(requested, LOW_TO_HIGH) } };
}

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

function effortField(field: string, { thinking, effort }: RequestedReasoning): JsonObject {
  const requested = requestedEffort(definedOnly({ thinking, effort }));
  return requested === undefined ? {} : { [field]: nearestEffort(requested, LOW_TO_HIGH) };
}
