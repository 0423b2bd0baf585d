import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';
import { ANTHROPIC_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { takesEffort } from '../claude-models.js';
import { askedEffort, nearestEffort } from '../reasoning-effort.js';

/** What a request says of reasoning. */
export interface AskedReasoning extends Pick<ModelRequest, 'effort' | 'reasoningSummary'> {
  /** As this attempt may ask for it. */
  readonly thinking?: Thinking | undefined;
}

/** How a prompt may be marked. */
export interface Caching {
  readonly tools: boolean;
  /** Right behind a result of a tool. */
  readonly results: boolean;
  readonly ttl: boolean;
}

/**
 * What Converse leaves to the model behind it: fields that go through in `additionalModelRequestFields`, and parts of
 * the format that only some models take.
 */
export interface Family {
  readonly topK?: (topK: number) => JsonObject;
  /** Absent: it is not asked to reason. */
  readonly reasoning?: (asked: AskedReasoning) => JsonObject;
  /** Whether it is told how much effort to make. */
  readonly takesEffort?: boolean;
  /** Absent: a cache point fails the call. */
  readonly caching?: Caching;
  /** Whether results of tools have a `status`; others are told of an error in words. */
  readonly takesStatus: boolean;
  /** Whether it reads Anthropic's own `tool_choice` beside the format's, which has no word for `none`. */
  readonly takesOwnToolChoice?: boolean;
  /** Whether it reads search results as such. */
  readonly takesSearchResults?: boolean;
  /** Where its own reply says which stop sequence was met: whole, and streamed. */
  readonly stopSequencePaths?: readonly string[];
}

const CLAUDE: Family = {
  topK: (topK) => ({ top_k: topK }),
  reasoning: claudeReasoning,
  caching: { tools: true, results: true, ttl: true },
  takesStatus: true,
  takesOwnToolChoice: true,
  takesSearchResults: true,
  stopSequencePaths: ['/stop_sequence', '/delta/stop_sequence'],
};
const CLAUDE_WITH_EFFORT: Family = { ...CLAUDE, takesEffort: true };

const NOVA: Family = {
  topK: (topK) => ({ inferenceConfig: { topK } }),
  // It refuses points among tools (NousResearch/hermes-agent, issue 97281) and right behind results
  // (aws-samples/bedrock-engineer, pull request 71; HolmesGPT/holmesgpt, issue 2332); read 2026-11-24.
  caching: { tools: false, results: false, ttl: false },
  takesStatus: true,
};
const NOVA_2: Family = { ...NOVA, reasoning: novaReasoning, takesEffort: true };

const GPT_OSS: Family = {
  reasoning: (asked) => effortField('reasoning_effort', asked),
  takesEffort: true,
  takesStatus: false,
};

/** Of whom nothing but the format itself is known to be taken. */
const PLAIN: Family = { takesStatus: false };

/**
 * By the author in the model's id, and its generation where these differ. Sources: the pages of each family under
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, of Nova under docs.aws.amazon.com/nova (it
 * reasons from its second generation on: nova2-userguide), of prompt-caching.html and API_runtime_ToolResultBlock.html;
 * read 2026-11-23.
 */
const FAMILIES: ReadonlyMap<string, Family | ((upstreamModel: string) => Family)> = new Map<
  string,
  Family | ((upstreamModel: string) => Family)
>([
  ['anthropic', (upstreamModel) => (takesEffort(upstreamModel) ? CLAUDE_WITH_EFFORT : CLAUDE)],
  ['amazon', (upstreamModel) => (upstreamModel.includes('nova-2') ? NOVA_2 : NOVA)],
  ['openai', GPT_OSS],
  ['cohere', { ...PLAIN, topK: (topK) => ({ k: topK }) }],
  ['mistral', { ...PLAIN, topK: (topK) => ({ top_k: topK }) }],
  ...['ai21', 'deepseek', 'google', 'meta', 'minimax', 'moonshot', 'moonshotai', 'nvidia', 'qwen', 'writer', 'zai'].map(
    (author): [string, Family] => [author, PLAIN],
  ),
]);

/** Of a model that nobody knows: what the format itself has is sent as the caller asked for it. */
const UNKNOWN: Family = { caching: { tools: true, results: true, ttl: true }, takesStatus: true };

/** `us.anthropic.claude-…`, `anthropic.claude-…`, `arn:aws:bedrock:…:inference-profile/eu.anthropic.claude-…` */
const AUTHOR_IN_MODEL = /(?:^|[./])([a-z0-9]+)(?=\.[^./])/g;

export function familyOf(target: Target): Family {
  const family = FAMILIES.get(authorOf(target)) ?? UNKNOWN;
  return typeof family === 'function' ? family(target.endpoint.upstreamModel) : family;
}

/** Whose model answers: by its id at the provider, and where that is a name of the account's own, by the catalog's. */
export function authorOf({ endpoint, model }: Target): string {
  for (const [, author] of endpoint.upstreamModel.matchAll(AUTHOR_IN_MODEL)) {
    if (author !== undefined && FAMILIES.has(author)) return author;
  }
  return model.id.slice(0, Math.max(0, model.id.indexOf('/')));
}

/** How reasoning of this target is told: Claude's needs no mark, and holds on every platform. */
export function markOf(target: Target): ReasoningMark {
  const author = authorOf(target);
  const provider = target.endpoint.provider.slug;
  return { format: author === 'anthropic' ? ANTHROPIC_REASONING : `bedrock-${author}`, provider };
}

function claudeReasoning({ thinking, effort, reasoningSummary }: AskedReasoning): JsonObject {
  const summarized = reasoningSummary === undefined ? undefined : 'summarized';
  return definedOnly({
    thinking: thinking && claudeThinking(thinking, summarized),
    output_config: effort && definedEffort(CLAUDE_EFFORTS[effort]),
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

const definedEffort = (effort: string | undefined): JsonObject | undefined =>
  effort === undefined ? undefined : { effort };

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
      return { type: 'disabled' };
  }
}

function novaReasoning({ thinking, effort }: AskedReasoning): JsonObject {
  if (thinking?.type === 'disabled' || effort === 'none') return { reasoningConfig: { type: 'disabled' } };
  const asked = askedEffort(definedOnly({ thinking, effort }));
  if (asked === undefined) return {};
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: nearestEffort(asked, LOW_TO_HIGH) } };
}

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

function effortField(field: string, { thinking, effort }: AskedReasoning): JsonObject {
  const asked = askedEffort(definedOnly({ thinking, effort }));
  return asked === undefined ? {} : { [field]: nearestEffort(asked, LOW_TO_HIGH) };
}
