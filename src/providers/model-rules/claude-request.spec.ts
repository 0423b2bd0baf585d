// Goal: thinking, effort and sampling of a request reach each generation of Claude in a form that it has. Method:
// neutral requests encoded in both formats with which Claude is called; tables of what is sent, side by side.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { printJson, type JsonObject } from '../../core/json/json.js';
import type { ModelRequest, Thinking } from '../../core/conversation/request.js';
import type { FunctionTool } from '../../core/conversation/tools.js';
import type { Target } from '../../core/provider.js';
import { doAtOnce } from '../../core/steps.js';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.js';
import { bedrockConverse } from '../dialects/bedrock-converse/dialect.js';

const targetOf = (upstreamModel: string, maxCompletionTokens?: number): Target => {
  const one = endpoint('p', { upstreamModel, ...(maxCompletionTokens !== undefined && { maxCompletionTokens }) });
  const definition = { slug: 'p', credential: 'bearer', quirks: {} } as const;
  return { model: model('anthropic/claude', [one]), endpoint: one, tier: 'standard', definition };
};
const HELLO = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] as const;
const bodyOf = (dialect: typeof anthropicMessages, parts: Partial<ModelRequest>, target: Target): JsonObject => {
  const request = modelRequest({ messages: HELLO, maxOutputTokens: 20_000, ...parts });
  const { body, headers } = doAtOnce(dialect.encode(request, target, new Map()));
  return JSON.parse(printJson({ ...body, beta: headers['anthropic-beta'] })) as JsonObject;
};

/** Thinking, effort and beta of each format, under the names of the Messages format. */
function sent(parts: Partial<ModelRequest>, name: string): [JsonObject, JsonObject] {
  const own = bodyOf(anthropicMessages, parts, targetOf(name));
  const { additionalModelRequestFields: fields = {} } = bodyOf(
    bedrockConverse,
    parts,
    targetOf(`us.anthropic.${name}`),
  ) as { additionalModelRequestFields?: JsonObject };
  const { thinking, output_config, anthropic_beta: betas } = fields;
  const plain = (one: JsonObject): JsonObject => JSON.parse(JSON.stringify(one)) as JsonObject;
  return [
    plain({ thinking: own['thinking'], output_config: own['output_config'], beta: own['beta'] }),
    plain({ thinking, output_config, beta: (betas as readonly string[] | undefined)?.[0] }),
  ];
}

const budget = (budgetTokens: number): { thinking: Thinking } => ({ thinking: { type: 'enabled', budgetTokens } });
const ADAPTIVE: { thinking: Thinking } = { thinking: { type: 'adaptive' } };
const OFF: { thinking: Thinking } = { thinking: { type: 'disabled' } };
const enabled = (budget_tokens: number): JsonObject => ({ thinking: { type: 'enabled', budget_tokens } });
const adaptive = { thinking: { type: 'adaptive' } };
const disabled = { thinking: { type: 'disabled' } };
const effort = (word: string): JsonObject => ({ output_config: { effort: word } });
const BETA = { beta: 'effort-2025-11-24' };

it.each<[string, Partial<ModelRequest>, JsonObject]>([
  ['claude-sonnet-4-5', { effort: 'high' }, enabled(16_000)],
  ['claude-sonnet-4-5', { effort: 'medium' }, enabled(8_192)],
  ['claude-sonnet-4-5', { effort: 'minimal' }, enabled(1_024)],
  ['claude-sonnet-4-5', { effort: 'max' }, enabled(16_000)],
  ['claude-sonnet-4-5', { effort: 'high', maxOutputTokens: 500 }, {}],
  ['claude-sonnet-4-5', { effort: 'none' }, {}],
  ['claude-sonnet-4-5', ADAPTIVE, enabled(8_192)],
  ['claude-sonnet-4-5', { ...ADAPTIVE, effort: 'low' }, enabled(1_024)],
  ['claude-sonnet-4-5', budget(2_000), enabled(2_000)],
  ['claude-sonnet-4-5', budget(100), enabled(1_024)],
  ['claude-sonnet-4-5', budget(50_000), enabled(16_000)],
  ['claude-sonnet-4-5', OFF, disabled],
  ['claude-3-5-sonnet-20241022', { effort: 'high' }, {}],
  ['claude-3-5-sonnet-20241022', budget(2_000), {}],
  ['claude-opus-4-5', { effort: 'high' }, { ...effort('high'), ...BETA }],
  ['claude-opus-4-5', { effort: 'max' }, { ...effort('high'), ...BETA }],
  ['claude-opus-4-5', { ...ADAPTIVE, effort: 'low' }, { ...enabled(1_024), ...effort('low'), ...BETA }],
  ['claude-sonnet-4-6', { effort: 'xhigh' }, effort('high')],
  ['claude-sonnet-4-6', budget(2_000), enabled(2_000)],
  ['claude-sonnet-4-6', ADAPTIVE, adaptive],
  ['claude-opus-4-7', { effort: 'xhigh' }, effort('xhigh')],
  ['claude-opus-4-7', budget(2_000), { ...adaptive, ...effort('low') }],
  ['claude-opus-4-7', budget(20_000), { ...adaptive, ...effort('high') }],
  ['claude-opus-4-7', { ...budget(20_000), effort: 'low' }, { ...adaptive, ...effort('low') }],
  ['claude-opus-4-7', { effort: 'none' }, {}],
  ['claude-opus-4-7', OFF, disabled],
  ['claude-opus-5', { effort: 'none' }, disabled],
  ['claude-opus-5', { ...OFF, effort: 'max' }, { ...disabled, ...effort('high') }],
  ['claude-sonnet-5-5', OFF, { thinking: { type: 'between_tools' } }],
  ['claude-sonnet-5-5', { ...OFF, effort: 'xhigh' }, { thinking: { type: 'between_tools' }, ...effort('high') }],
  ['claude-opus-5-5', OFF, effort('low')],
  ['claude-opus-5-5', { ...OFF, effort: 'high' }, effort('high')],
  ['claude-opus-5-5', { effort: 'none' }, effort('low')],
  ['claude-fable-5', budget(5_000), { ...adaptive, ...effort('medium') }],
])('%s: %j', (name, parts, expected) => {
  expect(sent(parts, name)).toEqual([expected, expected]);
}); // oxfmt-ignore

it('fits a budget into what the endpoint gives at most, where the request has no limit', () => {
  const { maxOutputTokens: _none, ...request } = modelRequest({ messages: HELLO, effort: 'high' });
  const { body } = doAtOnce(anthropicMessages.encode(request, targetOf('claude-sonnet-4-5', 10_000), new Map()));
  expect(body).toMatchObject({ max_tokens: 10_000, thinking: { budget_tokens: 8_000 } });
});

/** As the Messages face reads it. */
const native = (value: JsonObject, thinking: Thinking): { thinking: Thinking } => ({
  thinking: { ...thinking, origin: { vendor: 'anthropic', value } },
});

const BETWEEN = native({ type: 'between_tools' }, { type: 'disabled' });

it.each<[string, string, { thinking: Thinking }, JsonObject]>([
  ['keeps a budget unchanged', 'claude-sonnet-4-5', native({ type: 'enabled', budget_tokens: 100, a: 1 }, { type: 'enabled', budgetTokens: 100 }), { type: 'enabled', budget_tokens: 100, a: 1 }],
  ['keeps the form of a model that thinks of tools alone', 'claude-sonnet-5-5', BETWEEN, { type: 'between_tools' }],
  ['gives its own form a model that thinks of nothing', 'claude-opus-4-7', BETWEEN, { type: 'disabled' }],
  ['gives its own form a model that thinks where it is requested', 'claude-sonnet-4-5', BETWEEN, { type: 'disabled' }],
  ['gives the form of a model that thinks of tools alone', 'claude-sonnet-5-5', native({ type: 'disabled' }, { type: 'disabled' }), { type: 'between_tools' }],
  ['leaves a model that is not known its form', 'claude-next', BETWEEN, { type: 'between_tools' }],
  ['gives another form what else was there', 'claude-opus-4-7', native({ type: 'enabled', budget_tokens: 5_000, display: 'summarized', a: 1 }, { type: 'enabled', budgetTokens: 5_000, display: 'summarized' }), { type: 'adaptive', display: 'summarized', a: 1 }],
])('%s', (_name, name, parts, expected) => {
  expect(bodyOf(anthropicMessages, parts, targetOf(name))['thinking']).toEqual(expected);
}); // oxfmt-ignore

it("gives the common form of thinking that is off to a model of another vendor's", () => {
  const target = { ...targetOf('minimax-m3'), model: model('minimax/m3', []) };
  expect(bodyOf(anthropicMessages, BETWEEN, target)['thinking']).toEqual({ type: 'disabled' });
});

it('takes no effort unchanged that the model does not know', () => {
  const origin = {
    vendor: 'anthropic',
    value: { effort: 'max', format: { type: 'json_schema', schema: {} } },
  } as const;
  const parts = { effort: 'max', outputFormat: { type: 'json-schema', schema: {} }, outputOrigin: origin } as const;
  const configOf = (name: string) => bodyOf(anthropicMessages, parts, targetOf(name))['output_config'];
  expect(configOf('claude-opus-4-7')).toEqual(origin.value);
  expect(configOf('claude-opus-4-5')).toEqual({ ...origin.value, effort: 'high' });
});

const tool: FunctionTool = { type: 'function', name: 'f', inputSchema: { type: 'object' } };
const forced = { tools: [tool], toolChoice: { type: 'any' } } as const;

it.each<[string, Partial<ModelRequest>, JsonObject]>([
  ['claude-opus-4-7', { sampling: { temperature: 0.2, topP: 0.9, topK: 3 } }, {}],
  ['claude-3-7-sonnet', { sampling: { temperature: 1.5, topP: 0.9, topK: 3 } }, { temperature: 1, top_p: 0.9, top_k: 3 }],
  ['claude-sonnet-4-5', { sampling: { temperature: 0.2, topP: 0.9, topK: 3 } }, { temperature: 0.2, top_k: 3 }],
  ['claude-sonnet-4-5', { sampling: { topP: 0.9 } }, { top_p: 0.9 }],
  ['claude-sonnet-4-6', { ...ADAPTIVE, sampling: { temperature: 0.2, topP: 0.96, topK: 3 } }, { top_p: 0.96 }],
  ['claude-sonnet-4-6', { ...ADAPTIVE, sampling: { temperature: 1, topP: 0.5 } }, { temperature: 1 }],
  ['claude-sonnet-4-6', { ...OFF, sampling: { temperature: 0.2 } }, { temperature: 0.2 }],
  ['claude-sonnet-4-6', { ...ADAPTIVE, ...forced, sampling: { temperature: 0.2 } }, { temperature: 0.2, tool_choice: { type: 'any' } }],
  ['claude-opus-5-5', forced, {}],
  ['claude-opus-5-5', { ...forced, parallelToolCalls: false }, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
])('%s: sampling and choice of %j', (name, parts, expected) => {
  const { temperature, top_p, top_k, tool_choice } = bodyOf(anthropicMessages, parts, targetOf(name));
  expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k, tool_choice }))).toEqual(expected);
}); // oxfmt-ignore
