import type { Effort } from '../../core/conversation/effort.js';
import type { Target } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import { modelFamilyOf } from './model-family.js';

type ModelAtEndpoint = Pick<Target, 'endpoint' | 'model'>;

/** Fields and values of a request that one of Anthropic's models accepts, on every platform. Others cause a 400. */
export interface ClaudeRules {
  /** `both`: `temperature` and `top_p` together; `one`: either of them; `none`: only the defaults, of `top_k` too. */
  readonly sampling: 'both' | 'one' | 'none';
  /** The types of `thinking` that switch it on. Empty: the model does not think. */
  readonly thinking: readonly ('enabled' | 'adaptive')[];
  /** The type of `thinking` that switches it off; absent: the model always thinks. */
  readonly off?: 'disabled' | 'between_tools';
  /** Whether it thinks when a request has no `thinking`. */
  readonly thinksByDefault: boolean;
  /** The values of `output_config.effort`. Empty: it is an unknown field. */
  readonly efforts: readonly Effort[];
  /** The highest effort with thinking off. Absent: any. */
  readonly effortWhenOff?: Effort;
  /** The beta without which `effort` is an unknown field. */
  readonly effortBeta?: string;
  /** Whether `messages` may have turns of the role `system`. */
  readonly systemTurns: boolean;
  /** Whether such a turn may set the effort (`output_config.effort`), with a beta. */
  readonly turnEfforts: boolean;
  /** Whether the last turn may be the assistant's, which the model then continues (prefill). */
  readonly prefill: boolean;
  /** When `tool_choice` may be `any` or `tool`. */
  readonly forcedTools: 'always' | 'without thinking' | 'never';
  /** Whether a tool may be `strict`. Bedrock has its own list (`strict-tools.ts`). */
  readonly strictTools: boolean;
  /** Whether the answer may have a schema (`output_config.format`). Bedrock has the same list as for tools. */
  readonly answerSchemas: boolean;
}

const UP_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];
const WITH_MAX: readonly Effort[] = [...UP_TO_HIGH, 'max'];
const ALL: readonly Effort[] = [...UP_TO_HIGH, 'xhigh', 'max'];

/** Claude 3.5 and older. */
const WITHOUT_THINKING: ClaudeRules = {
  sampling: 'both',
  thinking: [],
  off: 'disabled',
  thinksByDefault: false,
  efforts: [],
  systemTurns: false,
  turnEfforts: false,
  prefill: true,
  forcedTools: 'always',
  strictTools: false,
  answerSchemas: false,
};
const WITH_BUDGET: ClaudeRules = { ...WITHOUT_THINKING, thinking: ['enabled'], forcedTools: 'without thinking' };
const SONNET_4_5: ClaudeRules = { ...WITH_BUDGET, sampling: 'one', strictTools: true, answerSchemas: true };
const CLAUDE_4_6: ClaudeRules = {
  ...SONNET_4_5,
  thinking: ['enabled', 'adaptive'],
  efforts: WITH_MAX,
  prefill: false,
};
const OPUS_4_7: ClaudeRules = {
  ...CLAUDE_4_6,
  sampling: 'none',
  thinking: ['adaptive'],
  efforts: ALL,
};
const OPUS_4_8: ClaudeRules = { ...OPUS_4_7, systemTurns: true };
const HAIKU_5_5: ClaudeRules = { ...OPUS_4_8, turnEfforts: true, thinksByDefault: true, effortWhenOff: 'high' };
const { off: _always, ...OPUS_4_8_THINKING } = OPUS_4_8;
const FABLE_5: ClaudeRules = { ...OPUS_4_8_THINKING, thinksByDefault: true };
const FABLE_5_1: ClaudeRules = { ...FABLE_5, turnEfforts: true, forcedTools: 'never' };

/**
 * Each model by its name without vendor, date and platform. Read 2026-11-29, in platform.claude.com/docs/en unless
 * another page is named:
 * - sampling: models/haiku-4-5/migration-guide (one of the two), about-claude/models/migration-guide (none from Opus
 *   4.7 on); Opus 4.1: open-webui/functions, pull request 9.
 * - thinking: build-with-claude/adaptive-thinking, models/<model>/migration-guide and whats-new of each; the table of
 *   anthropics/skills, claude-api/references/thinking-effort.md.
 * - effort: build-with-claude/effort and that table; with thinking off: models/opus-5/migration-guide,
 *   models/sonnet-5-5/whats-new-sonnet-5-5, Haiku 5.5: docs.apiyi.com/en/live/2026-11/claude-thinking-guide-refresh.
 * - system turns: build-with-claude/mid-conversation-system-messages, anthropics/skills,
 *   claude-api/references/mid-conversation-system-messages.md (which excludes Sonnet 5), langchain-ai/langchainjs,
 *   release @langchain/anthropic 1.5.13 (the 5.5 models); the clouds: BerriAI/litellm, pull requests 32831 and 33807.
 * - efforts of turns: build-with-claude/effort-per-message (models and platforms at its head).
 * - prefill: about-claude/models/migration-guide (none from 4.6 on).
 * - forced tools: build-with-claude/extended-thinking, models/fable-5-1, opus-5-5 and sonnet-5-5/migration-guide.
 * - strict tools: agents-and-tools/tool-use/strict-tool-use.
 * - answer schemas: build-with-claude/structured-outputs, refused by models before it: dhyansraj/mcp-mesh, issue 1341,
 *   envoyproxy/ai-gateway, pull request 1846; Opus 4.1: pydantic/pydantic-ai, profiles/anthropic.py.
 */
const MODELS: ReadonlyMap<string, ClaudeRules> = new Map<string, ClaudeRules>([
  ['sonnet-3.7', WITH_BUDGET],
  ['sonnet-4', WITH_BUDGET],
  ['opus-4', WITH_BUDGET],
  ['opus-4.1', SONNET_4_5],
  ['sonnet-4.5', SONNET_4_5],
  ['haiku-4.5', SONNET_4_5],
  ['opus-4.5', { ...SONNET_4_5, efforts: UP_TO_HIGH, effortBeta: 'effort-2025-11-24' }],
  ['sonnet-4.6', CLAUDE_4_6],
  ['opus-4.6', CLAUDE_4_6],
  ['opus-4.7', OPUS_4_7],
  ['opus-4.8', OPUS_4_8],
  ['sonnet-5', { ...OPUS_4_7, thinksByDefault: true }],
  ['opus-5', HAIKU_5_5],
  ['haiku-5.5', HAIKU_5_5],
  ['sonnet-5.5', { ...HAIKU_5_5, off: 'between_tools', forcedTools: 'never' }],
  ['opus-5.5', FABLE_5_1],
  ['fable-5', FABLE_5],
  ['fable-5.1', FABLE_5_1],
  ['fable-5.2', FABLE_5_1],
  ['mythos-preview', { ...FABLE_5, efforts: WITH_MAX, systemTurns: false }],
  ['mythos-5', FABLE_5],
  ['mythos-5.1', FABLE_5_1],
  ['mythos-5.2', FABLE_5_1],
]);

/**
 * The version from which unlisted models have the rules of the newest model; those before it have the rules of the
 * oldest.
 */
const SINCE = { major: 4, minor: 6 };
const NEWEST = FABLE_5_1;
const OLDEST = WITHOUT_THINKING;

/** Matches `claude-opus-4-7`, `claude-opus-4.7`, `claude-sonnet-4-20250514`, `claude-mythos-preview`. */
const TIER_FIRST = /claude-([a-z]+)-(?:(preview)|(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?)/;
/** Matches `claude-3-7-sonnet-20250219`, `claude-4.7-opus`, `claude-2.1`, `claude-v2`. */
const VERSION_FIRST = /claude-v?(\d)(?!\d)(?:[.-](\d{1,2})(?!\d))?(?:-([a-z]+))?/;

function rulesByName(name: string): ClaudeRules | undefined {
  const [, tier, preview, major, minor] = TIER_FIRST.exec(name) ?? [];
  if (preview !== undefined) return MODELS.get(`${tier}-${preview}`) ?? NEWEST;
  if (tier !== undefined) return rulesOfVersion(tier, major!, minor);
  const [, first, second, behind = ''] = VERSION_FIRST.exec(name) ?? [];
  return first === undefined ? undefined : rulesOfVersion(behind, first, second);
}

function rulesOfVersion(tier: string, major: string, minor: string | undefined): ClaudeRules {
  const known = MODELS.get(minor === undefined ? `${tier}-${major}` : `${tier}-${major}.${minor}`);
  if (known !== undefined) return known;
  const ahead = Number(major) - SINCE.major || Number(minor ?? 0) - SINCE.minor;
  return ahead >= 0 ? NEWEST : OLDEST;
}

const UNKNOWN = Symbol('no rules');
/** Endpoints live as long as their catalog. */
const byEndpoint = new WeakMap<Endpoint, ClaudeRules | typeof UNKNOWN>();

/** The rules of a target's model; undefined where it is none of Anthropic's, or none of its names states a version. */
export function claudeRulesOf(target: ModelAtEndpoint): ClaudeRules | undefined {
  let rules = byEndpoint.get(target.endpoint);
  if (rules === undefined) {
    const { endpoint, model } = target;
    const isClaude = modelFamilyOf(target) === 'claude';
    rules = (isClaude ? (rulesByName(endpoint.upstreamModel) ?? rulesByName(model.id)) : undefined) ?? UNKNOWN;
    byEndpoint.set(endpoint, rules);
  }
  return rules === UNKNOWN ? undefined : rules;
}

/** Whether the model can be forced to call a tool. */
export const takesForcedChoice = (target: ModelAtEndpoint): boolean => claudeRulesOf(target)?.forcedTools !== 'never';
