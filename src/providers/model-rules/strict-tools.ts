import type { Target } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import { claudeRulesOf } from './claude-models.js';
import { modelFamilyOf } from './model-family.js';

/**
 * The Claude models for which Bedrock enforces the schemas of strict tools and of answers, by Converse and by
 * InvokeModel. Newer models do not always have it. For other models the whole request fails
 * ("tools.0.custom.strict: Extra inputs are not permitted", "output_config.format: Extra inputs are not permitted").
 * Models without a source get neither field. Sources, read 2026-11-29:
 * - accepted: docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html (Haiku 4.5, Sonnet 4.5, Opus 4.5,
 *   4.6); vercel/ai, issue 18199 (Opus 4.6 tried); BerriAI/litellm, pull requests 31923 and 39115 (Sonnet 4.6 tried)
 * - refused: Opus 4.7 and 4.8 (vercel/ai, issue 16121; litellm, issue 31582), Sonnet 5 (litellm, issue 33193;
 *   vercel/ai, issue 18199), Sonnet 4 (litellm, pull request 31943), Fable 5 (litellm, pull request 32455)
 * - Opus 5: accepted by the operators' reports that were found, refused by vercel/ai, pull request 17919
 * - schemas of answers are refused: Opus 4.7 (anomalyco/models.dev, pull request 1765; Converse: truefoundry/models,
 *   pull request 1314), Opus 4.8 and Sonnet 5 (anthropics/anthropic-sdk-python, issue 1759; vercel/ai, pull requests
 *   15288 and 17919)
 */
const CLAUDE_AT_BEDROCK = /claude-(?:haiku-4-5|sonnet-4-[56]|opus-4-[56]|opus-5)(?![-.\d]*\d)/;

/** A date or a version after the name: `-20250929-v1:0`, `-v1`. */
const VERSION = /-\d{8}(?=-|$)|-v\d+(?::\d+)?$/g;

/** Endpoints live as long as their catalog. */
const atBedrock = new WeakMap<Endpoint, boolean>();

const takes =
  (rule: 'strictTools' | 'answerSchemas') =>
  (target: Target): boolean =>
    claudeRulesOf(target)?.[rule] !== false &&
    (target.endpoint.provider.platform !== 'bedrock' || takesSchemasAtBedrock(target));

/** Whether the target takes `strict` on a tool. */
export const takesStrictTools = takes('strictTools');

/** Whether the target takes the schema of the answer. */
export const takesAnswerSchemas = takes('answerSchemas');

/**
 * Whether a target at Bedrock takes both. Amazon's own models do not: they are not on the list of that page, and refuse
 * `outputConfig.textFormat` (langchain4j/langchain4j, pull request 4552; read 2026-11-29).
 */
export function takesSchemasAtBedrock(target: Target): boolean {
  const { endpoint } = target;
  let takes = atBedrock.get(endpoint);
  if (takes === undefined) {
    takes = ruleOf(target);
    atBedrock.set(endpoint, takes);
  }
  return takes;
}

function ruleOf({ endpoint, model }: Target): boolean {
  switch (modelFamilyOf({ endpoint, model })) {
    case 'claude':
      return [endpoint.upstreamModel, model.id.replaceAll('.', '-')].some((name) =>
        CLAUDE_AT_BEDROCK.test(name.replaceAll(VERSION, '')),
      );
    case 'nova':
      return false;
    default:
      return true;
  }
}
