// Goal: a count sends the right fields, and only plausible answers are taken. Method: a request with every field beside
// the message call that it would make; a table of replies.
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import { decodeCount, encodeCount } from './count.js';
import { encodeMessages } from './encode.js';

const one = endpoint('anthropic', { upstreamModel: 'claude-upstream' });
const TARGET: Target = {
  model: model('anthropic/claude', [one]),
  endpoint: one,
  tier: 'standard',
  definition: { slug: 'anthropic', credential: 'x-api-key', quirks: {} },
};
const REQUEST = modelRequest({
  model: 'anthropic/claude',
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  stream: true,
  maxOutputTokens: 2_000,
  sampling: { temperature: 1, topP: 1, topK: 1 },
  stopSequences: ['x'],
  tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
  toolChoice: { type: 'auto' },
  thinking: { type: 'enabled', budgetTokens: 1_024 },
  effort: 'low',
  contextManagement: { vendor: 'anthropic', value: { edits: [] } },
  metadata: { vendor: 'anthropic', value: { user_id: 'u' } },
  serviceTier: 'auto',
  speed: 'fast',
  betas: ['b'],
  extras: { vendor: 'anthropic', value: { mcp_servers: [], container: 'c', newest: 1 } },
});

describe('encodeCount', () => {
  it('sends the prompt of the message itself, and nothing that only an answer needs', () => {
    const call = doAtOnce(encodeCount(REQUEST, TARGET));
    const message = JSON.parse(printJson(doAtOnce(encodeMessages(REQUEST, TARGET)).body)) as JsonObject;
    const counted = JSON.parse(printJson(call.body)) as JsonObject;
    expect(Object.keys(counted).sort()).toEqual([
      'context_management',
      'mcp_servers',
      'messages',
      'model',
      'output_config',
      'system',
      'thinking',
      'tool_choice',
      'tools',
    ]);
    for (const [field, value] of Object.entries(counted)) expect([field, value]).toEqual([field, message[field]]);
    expect(call).toMatchObject({
      path: '/v1/messages/count_tokens',
      stream: false,
      headers: {
        accept: 'application/json',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'b,context-management-2025-06-27',
      },
    });
  });
});

describe('decodeCount', () => {
  it.each([0, 1, 2_000_000])('believes %d', (count) => {
    expect(decodeCount({ input_tokens: count, other: true })).toEqual({ inputTokens: count });
  });

  it.each([
    undefined,
    null,
    7,
    [],
    {},
    { input_tokens: '7' },
    { input_tokens: -1 },
    { input_tokens: 1.5 },
    { input_tokens: 1e300 },
  ])('does not believe %j', (body) => {
    expect(() => decodeCount(body)).toThrow("The provider's reply has no count.");
  });
});
