// Goal: of a request with a budget and an effort for thinking each target is sent what it has, and the measure that the
// other stands for is named. Method: one request, encoded for a model of each kind in each dialect.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { printJson, type Json, type JsonObject } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';
import type { DialectId } from '../../core/routing/catalog.js';
import { doAtOnce } from '../../core/steps.js';
import { DIALECTS } from '../dialects/index.js';
import { droppedNames, firstUnmet } from './dropped-names.js';
import { direct } from '../platforms/direct.js';

const BUDGET = 'thinking.budget_tokens';
const EFFORT = 'output_config.effort';
const WORDS: Quirks = { reasoningStyle: 'reasoning_effort' };
const SWITCH: Quirks = { reasoningStyle: 'thinking_object' };
const enabled = { type: 'enabled', budget_tokens: 5_000 };
const low = { effort: 'low' };

/** The fields of a body that concern thinking. */
function measuresOf(body: JsonObject): JsonObject {
  const { thinking, output_config, additionalModelRequestFields, generationConfig, reasoning, reasoning_effort } = body;
  const { thinkingConfig } = (generationConfig ?? {}) as { thinkingConfig?: Json };
  const all = { thinking, output_config, additionalModelRequestFields, thinkingConfig, reasoning, reasoning_effort };
  return JSON.parse(printJson(all)) as JsonObject;
}

const ROWS: readonly (readonly [DialectId, string, Quirks, JsonObject, readonly string[]])[] = [
  ['anthropic-messages', 'claude-sonnet-4-5', {}, { thinking: enabled }, [EFFORT]],
  ['anthropic-messages', 'claude-opus-4-5', {}, { thinking: enabled, output_config: low }, []],
  ['anthropic-messages', 'claude-opus-4-7', {}, { thinking: { type: 'adaptive' }, output_config: low }, [BUDGET]],
  ['bedrock-converse', 'us.anthropic.claude-sonnet-4-5', {}, { additionalModelRequestFields: { thinking: enabled } }, [EFFORT]],
  ['bedrock-converse', 'us.anthropic.claude-opus-4-7', {}, { additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: low } }, [BUDGET]],
  ['bedrock-converse', 'us.amazon.nova-2-lite-v1:0', {}, { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } } }, [BUDGET]],
  ['google-gemini', 'gemini-2.5-flash', {}, { thinkingConfig: { thinkingBudget: 5_000, includeThoughts: true } }, [EFFORT]],
  ['google-gemini', 'gemini-3-flash-preview', {}, { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } }, [BUDGET]],
  ['cohere-chat', 'command-a-reasoning', {}, { thinking: { type: 'enabled', token_budget: 5_000 } }, [EFFORT]],
  ['openai-responses', 'gpt-5', WORDS, { reasoning: low }, [BUDGET]],
  ['openai-chat', 'gpt-5', WORDS, { reasoning_effort: 'low' }, [BUDGET]],
  ['openai-chat', 'kimi-k2.6', SWITCH, { thinking: { type: 'enabled' } }, [BUDGET, EFFORT]],
  ['openai-chat', 'deepseek-v4-pro', { ...SWITCH, efforts: ['low', 'high'] }, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, [BUDGET]],
  ['openai-chat', 'qwen-4', { reasoningStyle: 'reasoning_object' }, { reasoning: low }, [BUDGET]],
]; // oxfmt-ignore

describe.each(ROWS)('%s: %s', (id, upstreamModel, quirks, measures, names) => {
  const one = endpoint('p', { upstreamModel });
  const definition = { slug: 'p', credential: 'bearer', quirks } as const;
  const target: Target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
  const dialect = DIALECTS[id];
  const access = { dialect, platform: direct };
  const requestOf = (parts: Partial<ModelRequest>): ModelRequest =>
    modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], maxOutputTokens: 20_000, ...parts }); // oxfmt-ignore
  const both = requestOf({ thinking: { type: 'enabled', budgetTokens: 5_000 }, effort: 'low' });

  it(`is sent ${JSON.stringify(measures)}`, () => {
    for (const stream of [false, true]) {
      const { body } = doAtOnce(dialect.encode({ ...both, stream }, target, new Map()));
      expect(measuresOf(JSON.parse(printJson(body)) as JsonObject)).toEqual(measures);
    }
  });

  it(`names ${names.join() || 'nothing'}`, () => {
    expect(droppedNames(both, target, access)).toEqual(names);
    expect(firstUnmet(both, target, access)).toBe(names[0]);
  });

  it('names nothing where one of them is alone', () => {
    expect(droppedNames(requestOf({ effort: 'low' }), target, access)).toEqual([]);
    expect(droppedNames(requestOf({ thinking: both.thinking! }), target, access)).toEqual([]);
  });
});
