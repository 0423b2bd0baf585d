// Goal: InvokeModel receives only what it takes, and no newer field or beta of a client fails the call. Method: bodies
// from the dialect, against whole expected bodies; dropped fields against the reported ones.
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import { Untranslatable } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { adaptMessages } from './invoke-body.js';

const OLDER = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const targetOf = (upstreamModel: string): Target => {
  const one = endpoint('amazon-bedrock', { upstreamModel });
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} } as const;
  return { model: model('anthropic/claude', [one]), endpoint: one, tier: 'standard', definition };
};

const printed = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

function adapted(body: JsonObject, headers: Record<string, string> = {}, upstreamModel = OLDER): JsonObject {
  const call = { path: '/v1/messages', headers, body, stream: true };
  return printed(adaptMessages(call, targetOf(upstreamModel)).body);
}

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const HEAD = { anthropic_version: 'bedrock-2023-05-31' };

it('puts model and stream into the address, its version and the betas into the body', () => {
  const call = {
    path: '/v1/messages',
    headers: {
      accept: 'x',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'interleaved-thinking-2025-05-14,a,b',
    },
    body: { model: 'm', stream: true, max_tokens: 5, messages: MESSAGES },
    stream: true,
  };
  expect(adaptMessages(call, targetOf(OLDER))).toEqual({
    path: '/v1/messages',
    headers: { accept: 'application/vnd.amazon.eventstream' },
    body: { ...HEAD, anthropic_beta: ['interleaved-thinking-2025-05-14'], max_tokens: 5, messages: MESSAGES },
    stream: true,
  });
});

it('requests the whole answer as the dialect does', () => {
  const call = { path: '/v1/messages', headers: { accept: 'application/json' }, body: {}, stream: false };
  expect(adaptMessages(call, targetOf(OLDER)).headers).toEqual({ accept: 'application/json' });
});

it('names no beta where none is known', () => {
  expect(adapted({ messages: MESSAGES }, { 'anthropic-beta': 'a,b' })).toEqual({ ...HEAD, messages: MESSAGES });
});

it('drops the fields that it would answer with an error', () => {
  const kept = {
    max_tokens: 5,
    system: 's',
    temperature: 1,
    top_k: 2,
    thinking: { type: 'adaptive' },
    messages: MESSAGES,
  };
  const dropped = {
    context_management: {},
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    speed: 'fast',
    a_new_one: 1,
  };
  expect(adapted({ ...dropped, ...kept })).toEqual({ ...HEAD, ...kept });
});

it.each<[string, JsonObject, JsonObject | undefined]>([
  ['format', { format: { type: 'json_schema' } }, { format: { type: 'json_schema' } }],
  ['effort', { effort: 'high' }, { effort: 'high' }],
  ['a budget of the task', { task_budget: { total: 5 } }, undefined],
])('output_config: %s', (_, config, sent) => {
  expect(adapted({ output_config: config })['output_config']).toEqual(sent);
});

it('defines tools at once, without the keys that it does not know', () => {
  const known = { name: 'f', description: 'd', input_schema: {}, cache_control: { type: 'ephemeral' }, strict: true };
  const editor = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 5 };
  const tool = { ...known, defer_loading: true, allowed_callers: ['direct'], input_examples: [] };
  expect(adapted({ tools: [tool, editor] })['tools']).toEqual([known, editor]);
});

it.each(['web_search_20250305', 'code_execution_20250825', 'advisor_20260301'])('refuses the tool %s', (type) => {
  expect(() =>
    adapted({
      tools: [
        { name: 'f', input_schema: {} },
        { type, name: 'x' },
      ],
    }),
  ).toThrow(
    expect.objectContaining({ constructor: Untranslatable, path: 'tools.1', reason: expect.stringContaining(type) }),
  );
});

it('names the tool of a result as text, and changes no other turn', () => {
  const result = (content: unknown) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c', content }],
  });
  const messages = [
    ...MESSAGES,
    result([
      { type: 'text', text: 'found' },
      { type: 'tool_reference', tool_name: 'f' },
    ]),
  ];
  expect(adapted({ messages: messages as never })['messages']).toEqual([
    ...MESSAGES,
    result([
      { type: 'text', text: 'found' },
      { type: 'text', text: '[Tool f is available.]' },
    ]),
  ]);
});
