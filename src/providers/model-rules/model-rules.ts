import type { Effort } from '../../core/conversation/effort.js';
import type { Target } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import type { RequestField } from '../../core/translation.js';
import { claudeRulesOf } from './claude-models.js';
import { modelFamilyOf, type ModelFamily } from './model-family.js';

type ModelAtEndpoint = Pick<Target, 'endpoint' | 'model'>;

/** Fields and values of its format that a model refuses. */
export interface ModelRules {
  /** Fields that the model refuses with any value. */
  readonly refuses?: ReadonlySet<string>;
  /** Fields that the model refuses beside an effort other than `none`. */
  readonly refusesWithEffort?: readonly RequestField[];
  /** Efforts of the model. Absent: those of the provider. */
  readonly efforts?: readonly Effort[];
  readonly temperatureMax?: number;
  /**
   * The only effort beside functions at chat completions, where the model is restricted there. `unsaid`: the field has
   * to be absent. `never`: there is no such effort, and functions are refused.
   */
  readonly effortWithTools?: 'unsaid' | 'none' | 'never';
}

interface Row extends ModelRules {
  readonly name: RegExp;
}

const SAMPLED: readonly RequestField[] = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
const NEVER_SAMPLED: readonly RequestField[] = ['presence_penalty', 'frequency_penalty', 'logit_bias'];
const REASONS_ALWAYS: ReadonlySet<string> = new Set([...SAMPLED, ...NEVER_SAMPLED, 'stop']);
const MAY_REASON: Pick<Row, 'refuses' | 'refusesWithEffort'> = {
  refuses: new Set([...NEVER_SAMPLED, 'stop']),
  refusesWithEffort: SAMPLED,
};
const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning'] as const;
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const UP_TO_XHIGH: readonly Effort[] = [...EFFORTS, 'xhigh'];

/**
 * OpenAI's models. Sources, read 2026-11-29:
 * - sampling: developers.openai.com/api/docs/guides/latest-model (#gpt-54-parameter-compatibility)
 * - penalties: nextai-translator/nextai-translator, issue 1781
 * - `stop`: openai (npm) 6.49.0 (o3, o4-mini); crewAIInc/crewAI, pull request 5144 (gpt-5)
 * - efforts: learn.microsoft.com, type ReasoningEffort of @azure/ai-projects; openai/openai-agents-python, issue 2089
 *   (gpt-5.1); docs.rs, meerkat-core 0.6.25, model_profile/capabilities/openai.rs (codex, gpt-5.4, gpt-5.5);
 *   egoist/chatwise-releases, issue 1257 (gpt-5.2-chat); anomalyco/opencode, issue 36141 (gpt-5.6 and later);
 *   UKGovernmentBEIS/inspect_ai, pull request 5254 (gpt-6-astra)
 * - models that do not reason ("Unsupported parameter: 'reasoning.effort'"): BoundaryML/baml, pull request 2708
 *   (gpt-4.1); Laisky/one-api, issue 120 (gpt-5-chat)
 * - functions with an effort at chat completions ("Function tools with reasoning_effort are not supported for gpt-5.4
 *   in /v1/chat/completions"):
 *   - gpt-5.4, where also `none` is refused, and the default is not to think: pipecat-ai/pipecat, issue 4043;
 *     openai/openai-openapi, issue 541; livekit/agents, issue 5084
 *   - gpt-5.5, refused also without an effort: jeffdafoe/llm-memory-api, pull request 178
 *   - gpt-5.6 and gpt-6-sol, which take `none` alone: BerriAI/litellm, pull request 34569; onyx-dot-app/onyx, issue
 *     15008
 *   - gpt-6-astra, refused at every effort: genkit-ai/genkit-dart, pull request 423
 */
const GPT: readonly Row[] = [
  { name: /\bgpt-5\.\d+-chat/, efforts: ['medium'] },
  { name: /\bgpt-(?:3\.5|4)|\bchatgpt-4|\bgpt-5-chat|\bchat-latest/, refuses: new Set(REASONING) },
  { name: /\bo1\b|\bo3-mini/, refuses: new Set([...SAMPLED, ...NEVER_SAMPLED]), efforts: EFFORTS },
  { name: /\bo\d/, refuses: REASONS_ALWAYS, efforts: EFFORTS },
  { name: /\bgpt-5-pro/, refuses: REASONS_ALWAYS, efforts: ['high'] },
  { name: /\bgpt-5(?:\.1)?-codex(?!-max)/, refuses: REASONS_ALWAYS, efforts: EFFORTS },
  { name: /\bgpt-5\.\d-codex/, refuses: REASONS_ALWAYS, efforts: UP_TO_XHIGH },
  { name: /\bgpt-5\.\d-pro/, refuses: REASONS_ALWAYS, efforts: ['medium', 'high', 'xhigh'] },
  { name: /\bgpt-5\.1/, ...MAY_REASON, efforts: ['none', ...EFFORTS] },
  { name: /\bgpt-5\.4/, ...MAY_REASON, efforts: ['none', ...UP_TO_XHIGH], effortWithTools: 'unsaid' },
  { name: /\bgpt-5\.[23]/, ...MAY_REASON, efforts: ['none', ...UP_TO_XHIGH] },
  { name: /\bgpt-5\.5/, refuses: REASONS_ALWAYS, efforts: ['none', ...UP_TO_XHIGH], effortWithTools: 'none' },
  { name: /\bgpt-5(?!\.)/, refuses: REASONS_ALWAYS, efforts: ['minimal', ...EFFORTS] },
  { name: /\bgpt-\d.*-astra/, refuses: REASONS_ALWAYS, efforts: [...UP_TO_XHIGH, 'max'], effortWithTools: 'never' },
  {
    name: /\bgpt-(?:5\.|[6-9]|\d\d)/,
    refuses: REASONS_ALWAYS,
    efforts: ['none', ...UP_TO_XHIGH, 'max'],
    effortWithTools: 'none',
  },
];

const PENALTIES = ['presence_penalty', 'frequency_penalty'] as const;

/**
 * xAI's models. Sources, read 2026-11-29: docs.x.ai/docs/guides/reasoning (penalties, `stop`, and which older models
 * take an effort); vercel/ai, releases @ai-sdk/xai 4.0.8 (grok-4.20) and 4.0.0-canary.61 (grok-4.3);
 * anomalyco/opencode, issue 39448 (grok-4.5).
 */
const GROK: readonly Row[] = [
  { name: /\bgrok-3-mini/, refuses: new Set([...PENALTIES, 'stop']), efforts: ['low', 'high'] },
  { name: /\bgrok-(?:[23]\b|.*non-reasoning)/, refuses: new Set(REASONING) },
  { name: /\bgrok-4[.-]3\b/, refuses: new Set([...PENALTIES, 'stop']), efforts: ['none', ...EFFORTS] },
  { name: /\bgrok-4[.-][5-9]\b/, refuses: new Set([...PENALTIES, 'stop']), efforts: EFFORTS },
  { name: /\bgrok-(?:4|code)/, refuses: new Set([...PENALTIES, 'stop', ...REASONING]) },
];

const ROWS: Readonly<Record<Exclude<ModelFamily, 'claude'>, readonly Row[]>> = {
  gpt: GPT,
  grok: GROK,
  // google-gemini/cookbook, issue 1290; vercel/ai, issue 8943. Gemini 2.0 takes them. Read 2026-11-29.
  gemini: [{ name: /\bgemini-(?!2\.0|1)/, refuses: new Set(PENALTIES) }],
  // huggingface.co/openai/gpt-oss-120b: it always reasons. Read 2026-11-29.
  'gpt-oss': [{ name: /\bgpt-oss\b/, efforts: EFFORTS }],
  // docs.aws.amazon.com/nova/latest/userguide/complete-request-schema.html; read 2026-11-29.
  nova: [{ name: /\bnova-/, temperatureMax: 1 }],
  // modelparams.dev/models/mistral/devstral-latest, after docs.mistral.ai/api; read 2026-11-29.
  mistral: [{ name: /./, temperatureMax: 1.5 }],
};

const SAMPLING_REFUSED: ModelRules = { refuses: new Set(['temperature', 'top_p', 'top_k']) };
const CANNOT_THINK: ModelRules = { refuses: new Set([...REASONING, 'verbosity']) };
const WITHOUT_EFFORT: ModelRules = { refuses: new Set(['verbosity']) };
const NO_RULES: ModelRules = {};

function claudeRules(target: ModelAtEndpoint): ModelRules {
  const rules = claudeRulesOf(target);
  if (rules === undefined) return NO_RULES;
  if (rules.sampling === 'none') return SAMPLING_REFUSED;
  return rules.thinking.length === 0 ? CANNOT_THINK : rules.efforts.length === 0 ? WITHOUT_EFFORT : NO_RULES;
}

const byEndpoint = new WeakMap<Endpoint, ModelRules>();

/** The known rules of a target's model, wherever it is served. */
export function modelRulesOf(target: ModelAtEndpoint): ModelRules {
  let rules = byEndpoint.get(target.endpoint);
  if (rules === undefined) {
    rules = findRules(target);
    byEndpoint.set(target.endpoint, rules);
  }
  return rules;
}

function findRules(target: ModelAtEndpoint): ModelRules {
  const family = modelFamilyOf(target);
  if (family === undefined) return NO_RULES;
  if (family === 'claude') return claudeRules(target);
  const named = (name: string): Row | undefined => ROWS[family].find((row) => row.name.test(name));
  return named(target.endpoint.upstreamModel) ?? named(target.model.id) ?? NO_RULES;
}
