// Goal: models of OpenAI, xAI, Google, Amazon and Mistral receive no field that they refuse, whatever the endpoint's
// list, and no effort that they do not know. Method: a request with all sampling fields, encoded for a model by its
// name at the provider or in the catalog; the fields that are sent, and those that are named as dropped.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { printJson, type JsonObject } from '../../core/json/json.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Dialect, Target } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';
import { doAtOnce } from '../../core/steps.js';
import { definitionOf } from '../catalog/index.js';
import { bedrockConverse } from '../dialects/bedrock-converse/dialect.js';
import { lostFields } from '../dialects/encode-context.js';
import { googleGemini } from '../dialects/google-gemini/dialect.js';
import { openaiChat } from '../dialects/openai-chat/dialect.js';
import { openaiResponses } from '../dialects/openai-responses/dialect.js';

const targetOf = (upstreamModel: string, quirks: Quirks, id = 'a/b', supportedParameters: string[] = []): Target => {
  const one = endpoint('p', { upstreamModel, supportedParameters });
  const definition = { slug: 'p', credential: 'bearer', quirks } as const;
  return { model: model(id, [one]), endpoint: one, tier: 'standard', definition };
};
const EFFORT: Quirks = {
  reasoningStyle: 'reasoning_effort',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
};
const HELLO = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] as const;
const bodyOf = (dialect: Dialect, parts: Partial<ModelRequest>, target: Target): JsonObject => {
  const { body } = doAtOnce(dialect.encode(modelRequest({ messages: HELLO, ...parts }), target, new Map()));
  return JSON.parse(printJson(body)) as JsonObject;
};

const SAMPLED: Partial<ModelRequest> = {
  sampling: {
    temperature: 0.2, topP: 0.9, presencePenalty: 1, frequencyPenalty: 1, logitBias: { '1': 1 }, logprobs: true, topLogprobs: 2, seed: 7,
  },
  stopSequences: ['END'],
}; // oxfmt-ignore
const FIELDS = [
  'temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'seed', 'stop',
]; // oxfmt-ignore
const REASONING_LEFT = ['seed'];
const MAY_REASON_LEFT = ['temperature', 'top_p', 'logprobs', 'top_logprobs', 'seed'];

it.each<[string, Partial<ModelRequest>, readonly string[]]>([
  ['gpt-4.1', {}, FIELDS],
  ['gpt-oss-120b', { effort: 'high' }, FIELDS],
  ['gpt-5-chat-latest', {}, FIELDS],
  ['o1', {}, ['seed', 'stop']],
  ['o3', {}, REASONING_LEFT],
  ['o4-mini-2025-04-16', {}, REASONING_LEFT],
  ['gpt-5', {}, REASONING_LEFT],
  ['gpt-5-mini-2025-08-07', {}, REASONING_LEFT],
  ['gpt-5.1', {}, MAY_REASON_LEFT],
  ['gpt-5.1', { effort: 'none' }, MAY_REASON_LEFT],
  ['gpt-5.1', { effort: 'low' }, REASONING_LEFT],
  ['gpt-5.4-mini', { thinking: { type: 'enabled', budgetTokens: 2_000 } }, REASONING_LEFT],
  ['gpt-5.4-mini', { thinking: { type: 'disabled' } }, MAY_REASON_LEFT],
  ['gpt-5.2-codex', {}, REASONING_LEFT],
  ['gpt-5.6-sol', {}, REASONING_LEFT],
  ['gpt-6-luna', {}, REASONING_LEFT],
  ['grok-3', {}, FIELDS],
  ['grok-4', {}, FIELDS.filter((field) => !/penalty|stop/.test(field))],
  ['grok-4-fast-non-reasoning', {}, FIELDS],
  ['mistral-large-2512', {}, FIELDS],
])('%s with %j is sent of sampling %j', (name, parts, left) => {
  const target = targetOf(name, EFFORT);
  const body = bodyOf(openaiChat, { ...SAMPLED, ...parts }, target);
  expect(FIELDS.filter((field) => body[field] !== undefined)).toEqual(left);
  const byId = bodyOf(openaiChat, { ...SAMPLED, ...parts }, targetOf('deployment-1', EFFORT, `openai/${name}`));
  expect(FIELDS.filter((field) => byId[field] !== undefined)).toEqual(left);
});

it('lets no list of an endpoint override what the model refuses', () => {
  const listed = targetOf('gpt-5', EFFORT, 'a/b', ['temperature', 'seed']);
  expect(bodyOf(openaiChat, SAMPLED, listed)).toMatchObject({ seed: 7 });
  expect(bodyOf(openaiChat, SAMPLED, listed)).not.toHaveProperty('temperature');
});

it('names what an effort takes away', () => {
  const request = modelRequest({ messages: HELLO, ...SAMPLED, effort: 'high' });
  for (const { table } of [openaiChat, openaiResponses]) {
    const dropped = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
    expect(lostFields(request, targetOf('gpt-5.2', EFFORT), table)).toEqual(dropped);
    expect(lostFields({ ...request, effort: 'none' }, targetOf('gpt-5.2', EFFORT), table)).toEqual([]);
  }
});

it.each<[string, string, string]>([
  ['gpt-5', 'none', 'minimal'],
  ['gpt-5', 'xhigh', 'high'],
  ['gpt-5-pro', 'low', 'high'],
  ['gpt-5-codex', 'minimal', 'low'],
  ['gpt-5.1', 'minimal', 'none'],
  ['gpt-5.1', 'xhigh', 'high'],
  ['gpt-5.1-codex-max', 'xhigh', 'xhigh'],
  ['gpt-5.2-pro', 'low', 'medium'],
  ['gpt-5.4', 'xhigh', 'xhigh'],
  ['o3', 'minimal', 'low'],
  ['gpt-6-luna', 'minimal', 'none'],
  ['gpt-6-luna', 'max', 'max'],
  ['gpt-5.6-sol', 'max', 'max'],
  ['gpt-5.5', 'max', 'xhigh'],
  ['gpt-5', 'max', 'high'],
  ['gpt-6-astra', 'minimal', 'low'],
  ['gpt-5.2-chat-latest', 'high', 'medium'],
  ['grok-3-mini', 'medium', 'low'],
  ['grok-4.3', 'none', 'none'],
])('%s: the effort %s is %s', (name, requested, effort) => {
  const target = targetOf(name, EFFORT);
  const parts = { effort: requested } as Partial<ModelRequest>;
  expect(bodyOf(openaiChat, parts, target)['reasoning_effort']).toBe(effort);
  expect(bodyOf(openaiResponses, parts, target)['reasoning']).toMatchObject({ effort });
});

it.each(['openai', 'azure'])('%s takes the highest effort of the models that have it', (slug) => {
  const { quirks } = definitionOf(slug, 'bearer');
  for (const [name, effort] of [['gpt-5.6-sol', 'max'], ['gpt-5.5', 'xhigh']] as const)
    expect(bodyOf(openaiResponses, { effort: 'max' }, targetOf(name, quirks))['reasoning']).toMatchObject({ effort });
}); // oxfmt-ignore

it.each([
  'grok-4', 'grok-code-fast-1', 'grok-4-1-fast-non-reasoning', 'gpt-4o', 'gpt-4o-mini-2024-07-18', 'chatgpt-4o-latest',
  'gpt-4.1', 'gpt-3.5-turbo', 'gpt-5-chat-latest',
])('requests no reasoning of %s, whatever its list has', (name) => {
  const target = targetOf(name, EFFORT, 'a/b', ['reasoning', 'reasoning_effort', 'include_reasoning']);
  const requested: Partial<ModelRequest>[] = [
    { effort: 'high' }, { thinking: { type: 'adaptive', display: 'summarized' } }, { thinking: { type: 'disabled' } }, {},
  ];
  for (const stream of [false, true]) {
    for (const parts of requested) {
      expect(bodyOf(openaiChat, { stream, ...parts }, target)).not.toHaveProperty('reasoning_effort');
      const responses = bodyOf(openaiResponses, { stream, ...parts }, target);
      expect([responses['reasoning'], responses['include']]).toEqual([undefined, undefined]);
    }
  }
}); // oxfmt-ignore

it('keeps to the efforts of the provider', () => {
  const target = targetOf('gpt-5.4', { reasoningStyle: 'reasoning_effort' });
  expect(bodyOf(openaiChat, { effort: 'xhigh' }, target)['reasoning_effort']).toBe('high');
});

it.each<[string, boolean]>([
  ['gemini-2.0-flash', true],
  ['gemini-2.5-pro', false],
  ['gemini-3-flash-preview', false],
])('%s takes penalties: %s', (name, takes) => {
  const config = bodyOf(googleGemini, SAMPLED, targetOf(name, {}))['generationConfig'] as JsonObject;
  expect([config['presencePenalty'] !== undefined, config['frequencyPenalty'] !== undefined]).toEqual([takes, takes]);
  expect(config).toMatchObject({ temperature: 0.2, topP: 0.9 });
});

it('holds temperatures to the bounds of the model', () => {
  const hot: Partial<ModelRequest> = { sampling: { temperature: 1.8 } };
  expect(bodyOf(openaiChat, hot, targetOf('mistral-large-2512', {}))['temperature']).toBe(1.5);
  expect(bodyOf(openaiChat, hot, targetOf('gpt-4.1', {}))['temperature']).toBe(1.8);
  const nova = bodyOf(bedrockConverse, hot, targetOf('us.amazon.nova-pro-v1:0', {}));
  expect(nova['inferenceConfig']).toEqual({ temperature: 1 });
});

describe('thinking without an amount', () => {
  const OFF: Partial<ModelRequest> = { thinking: { type: 'disabled' }, effort: 'high' };
  const ON: Partial<ModelRequest> = { thinking: { type: 'adaptive' } };

  it.each<[string, string, string]>([
    ['gpt-5', 'minimal', 'medium'],
    ['gpt-5-pro', 'high', 'high'],
    ['gpt-5.1', 'none', 'medium'],
    ['gpt-5.1-codex', 'low', 'medium'],
    ['gpt-5.5', 'none', 'medium'],
    ['gpt-6-luna', 'none', 'medium'],
    ['o3', 'low', 'medium'],
    ['grok-3-mini', 'low', 'low'],
    ['grok-4.3', 'none', 'medium'],
    ['gpt-oss-120b', 'low', 'medium'],
  ])('%s: off is %s, on is %s', (name, off, on) => {
    const target = targetOf(name, EFFORT);
    for (const stream of [false, true]) {
      for (const [parts, effort] of [[OFF, off], [ON, on]] as const) {
        const request = modelRequest({ messages: HELLO, stream, ...parts });
        expect(bodyOf(openaiChat, { stream, ...parts }, target)['reasoning_effort']).toBe(effort);
        expect(bodyOf(openaiResponses, { stream, ...parts }, target)['reasoning']).toEqual({ effort });
        for (const { table } of [openaiChat, openaiResponses]) expect(lostFields(request, target, table)).toEqual([]);
      }
    }
  }); // oxfmt-ignore

  it.each<[string, JsonObject, JsonObject]>([
    [
      'us.amazon.nova-2-lite-v1:0',
      { reasoningConfig: { type: 'disabled' } },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
    ],
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'low' }, { reasoning_effort: 'medium' }],
  ])('%s at Converse: off is %j, on is %j', (name, off, on) => {
    const target = targetOf(name, {});
    expect(bodyOf(bedrockConverse, OFF, target)['additionalModelRequestFields']).toEqual(off);
    expect(bodyOf(bedrockConverse, ON, target)['additionalModelRequestFields']).toEqual(on);
  });

  it('leaves sampling to a model that is not to think', () => {
    const target = targetOf('gpt-5.1', EFFORT);
    expect(bodyOf(openaiChat, { ...SAMPLED, ...OFF }, target)).toMatchObject({ temperature: 0.2 });
    expect(bodyOf(openaiChat, { ...SAMPLED, ...ON }, target)).not.toHaveProperty('temperature');
  });

  it('is named where no word of the model is known', () => {
    const target = targetOf('qwen-4', EFFORT);
    for (const { table } of [openaiChat, openaiResponses]) {
      const lost = (parts: Partial<ModelRequest>) =>
        lostFields(modelRequest({ messages: HELLO, ...parts }), target, table);
      expect(lost(OFF)).toEqual(['reasoning', 'reasoning_effort']);
      expect(lost(ON)).toEqual(['reasoning']);
      expect(lost({ ...ON, effort: 'high' })).toEqual([]);
    }
  });

  it('goes in the words of a provider that has some', () => {
    const target = targetOf('qwen-4', { reasoningStyle: 'reasoning_object' });
    expect(bodyOf(openaiChat, OFF, target)['reasoning']).toEqual({ enabled: false });
    expect(lostFields(modelRequest({ messages: HELLO, ...OFF }), target, openaiChat.table)).toEqual([]);
  });
});
