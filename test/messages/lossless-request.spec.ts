/**
 * Checks that a request to a provider of the same format arrives unchanged, unknown keys included. A body with
 * strange keys in every object is read and encoded again; only what is the gateway's own business may differ.
 */
import { createHash } from 'node:crypto';
import { printJson } from '../../src/core/json/json.js';
import type { Model } from '../../src/core/routing/catalog.js';
import type { Target } from '../../src/core/provider.js';
import { doAtOnce } from '../../src/core/steps.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest } from '../../src/faces/messages/read-request.js';
import { anthropicMessages } from '../../src/providers/dialects/anthropic-messages/dialect.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';

const strange = { strange_key: { of: ['any', 'shape', 1.5, null] } };
const spoken = {
  max_tokens: 4096,
  system: [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h', ...strange }, ...strange },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look', ...strange },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA', ...strange }, ...strange },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 't', ...strange },
      ],
      ...strange,
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln', ...strange },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'look',
          input: { constructor: 1, nested: { __proto__x: [] } },
          ...strange,
        },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: 'seen', ...strange }],
          ...strange,
        },
      ],
    },
  ],
  tools: [{ name: 'look', input_schema: { type: 'object', properties: { a: { const: 1, ...strange } } }, ...strange }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true, ...strange },
  thinking: { type: 'enabled', budget_tokens: 2048, ...strange },
  output_config: { effort: 'high', ...strange },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all', ...strange }], ...strange },
  metadata: { user_id: 'u1', ...strange },
  stop_sequences: ['END'],
  temperature: 1,
  top_p: 0.9,
  top_k: 40,
  ...strange,
};
const ours = {
  model: 'test/model',
  models: ['test/other'],
  provider: { order: ['a'] },
  plugins: [{ id: 'web' }],
  session_id: 's',
  user: 'someone',
  trace: { trace_id: 't' },
};

const provider = {
  slug: 'p',
  name: 'P',
  dialect: 'anthropic-messages',
  baseUrl: 'http://127.0.0.1:1',
  policy: { collectsData: true, zeroDataRetention: false },
} as const;
const endpoint = {
  tag: 'p',
  provider,
  upstreamModel: 'upstream-model',
  pricing: null,
  quantization: 'unknown',
  contextLength: 200_000,
  supportedParameters: [],
} as const;
const model: Model = {
  id: 'test/model',
  name: 'Test',
  contextLength: 200_000,
  inputModalities: ['text'],
  outputModalities: ['text'],
  scores: {},
  endpoints: [endpoint],
};
const target: Target = {
  model,
  endpoint,
  tier: 'standard',
  definition: { slug: 'p', credential: 'x-api-key', quirks: {} },
};

const sent = (body: object): unknown => {
  const request = readRequest(readBody(structuredClone(body), CreateMessageDto), { betas: [] });
  return JSON.parse(printJson(doAtOnce(anthropicMessages.encode(request, target, new Map())).body));
};

describe('a Messages request to a Messages provider', () => {
  it('arrives unchanged', () => {
    expect(sent({ ...ours, ...spoken })).toEqual({ ...spoken, model: 'upstream-model' });
  });

  it('is the same bytes each time', () => {
    const digest = () =>
      createHash('sha256')
        .update(JSON.stringify(sent({ ...ours, ...spoken })))
        .digest('hex');
    expect(digest()).toBe(digest());
  });
});
