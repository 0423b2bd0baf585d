/**
 * Goal: `require_parameters` reads what dialects encode by: a field is said to be carried exactly where setting it
 * changes what is sent. Method: each field a request can set, at every dialect, for targets that list it, that list
 * others, and with every quirk that decides.
 */
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';
import { routeNeeds } from '../../core/routing/route-needs.js';
import { NO_MEDIA } from '../provider-client.js';
import { DIALECTS } from './index.js';

const plain = modelRequest({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxOutputTokens: 5,
  tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }],
});

const sampling = (parts: ModelRequest['sampling']): Partial<ModelRequest> => ({ sampling: parts });
const FIELDS: Readonly<Record<string, Partial<ModelRequest>>> = {
  temperature: sampling({ temperature: 0.5 }),
  top_p: sampling({ topP: 0.5 }),
  top_k: sampling({ topK: 3 }),
  top_a: sampling({ topA: 0.5 }),
  min_p: sampling({ minP: 0.5 }),
  frequency_penalty: sampling({ frequencyPenalty: 1 }),
  presence_penalty: sampling({ presencePenalty: 1 }),
  repetition_penalty: sampling({ repetitionPenalty: 1.5 }),
  seed: sampling({ seed: 7 }),
  logit_bias: sampling({ logitBias: { '1': 2 } }),
  logprobs: sampling({ logprobs: true }),
  top_logprobs: sampling({ topLogprobs: 2 }),
  stop: { stopSequences: ['END'] },
  tool_choice: { toolChoice: { type: 'any' } },
  parallel_tool_calls: { parallelToolCalls: false },
  reasoning: { effort: 'high' },
  verbosity: { verbosity: 'high' },
  structured_outputs: { outputFormat: { type: 'json-schema', schema: { type: 'object' } } },
  response_format: { outputFormat: { type: 'json-object' } },
  task_budget: { taskBudget: { totalTokens: 100 } },
  context_management: { contextManagement: { vendor: 'anthropic', value: { edits: [] } } },
  cache_control: { cacheMarker: {} },
  metadata: { metadata: { vendor: 'anthropic', value: { team: 'x' } } },
};

const QUIRKS: readonly Quirks[] = [
  {},
  { reasoningStyle: 'reasoning_effort' },
  { reasoningStyle: 'reasoning_object', acceptsCacheMarkers: true },
  { omit: ['seed', 'temperature'] },
  { geminiGeneration: 'gemini-2.5' },
  { geminiGeneration: 'gemini-3' },
];

const targetOf = (supportedParameters: readonly string[], quirks: Quirks): Target => {
  const one = endpoint('p', { supportedParameters });
  const definition = { slug: 'p', credential: 'bearer', quirks } as const;
  return { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
};

describe.each(Object.values(DIALECTS))('$id', (dialect) => {
  it.each(Object.entries(FIELDS))('%s is carried exactly where it is sent', (name, parts) => {
    expect(routeNeeds({ ...plain, ...parts }, { models: new Map() }).parameters).toContain(name);
    for (const quirks of QUIRKS) {
      for (const listed of [[], [name], ['max_tokens', 'tools']]) {
        const target = targetOf(listed, quirks);
        const sent = (request: ModelRequest) => JSON.stringify(dialect.encode(request, target, NO_MEDIA).body);
        const isSent = sent({ ...plain, ...parts }) !== sent(plain);
        expect([quirks, listed, dialect.carries(name, target)]).toEqual([quirks, listed, isSent]);
      }
    }
  });
});
