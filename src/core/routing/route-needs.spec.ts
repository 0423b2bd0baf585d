// The needs of a request are read completely and without its texts. Tables over each field.
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import type { ContentBlock, ToolResultContent } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import type { RouteNeeds } from './route-inputs.js';
import { routeNeeds } from './route-needs.js';

const requestOf = (...content: readonly ContentBlock[]): Partial<ModelRequest> => ({
  messages: [{ role: 'user', content }],
});
const result = (...content: readonly ToolResultContent[]): ContentBlock => ({
  type: 'tool-result',
  toolUseId: 't',
  content,
});
const url = { type: 'url', url: 'https://example.com' } as const;
const text = 'x'.repeat(6_000);
const NO_CATALOG = { models: new Map() };

describe('the models of a request', () => {
  it('are the first and its fallbacks, once each, with their own suffixes', () => {
    const models = ['c/d:floor', 'a/b:floor', 'c/d', 'e/f:free'];
    const needs = routeNeeds(
      modelRequest({ model: 'a/b:nitro', fallbackModels: { models, onRefusal: true } }),
      NO_CATALOG,
    );
    expect(needs.requested).toBe('a/b:nitro');
    expect(needs.models).toEqual([{ id: 'a/b', sort: 'throughput' }, { id: 'c/d', sort: 'price' }, { id: 'e/f:free' }]);
    expect(needs.movesOnRefusal).toBe(true);
  });

  it('are named by their ids, once each, whichever name was used; an unknown one as given', () => {
    const catalog = catalogOf(model('a/b', [], { aliases: ['bee'] }), model('c/d', []), model('e/d', []));
    const models = ['a/b', 'b:floor', 'd', 'unknown:floor'];
    const needs = routeNeeds(
      modelRequest({ model: 'bee:nitro', fallbackModels: { models, onRefusal: false } }),
      catalog,
    );
    expect(needs.requested).toBe('bee:nitro');
    expect(needs.models).toEqual([{ id: 'a/b', sort: 'throughput' }, { id: 'd' }, { id: 'unknown', sort: 'price' }]);
  });
});

describe('contexts that it is shortened for', () => {
  const short = { ...endpoint('p1'), contextLength: 700 };
  const shorter = { ...endpoint('p2'), contextLength: 400 };
  const catalog = catalogOf(model('a/b', [short, shorter]));
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  it.each<[string, number | undefined, number, RouteNeeds['shortensTo']]>([
    ['it is not shortened', undefined, 0, undefined],
    ['at least half of what it needs', 8_192, 100, [550, 700]],
    ['the largest', 8_192, 900, [700, 700]],
    ['so many at most', 500, 0, [500, 500]],
    ['none is short enough', 399, 0, undefined],
  ])('%s', (_, max, maxOutputTokens, expected) => {
    const needs = routeNeeds(modelRequest({ messages, maxOutputTokens }), catalog, undefined, max);
    expect(needs.shortensTo).toEqual(expected);
  });
});

describe('undeclared fields', () => {
  const extras = {
    vendor: 'openai',
    value: { owl: 1, hoot: null, ...Object.fromEntries(Object.entries(Array(99).fill(1))) },
  } as const;
  const undeclaredOf = (parts: Partial<ModelRequest>) => routeNeeds(modelRequest(parts), NO_CATALOG).undeclared;

  it('are needs where all are required, at most 64, without null ones', () => {
    const preferences = { requireParameters: true };
    expect(undeclaredOf({ extras: { vendor: 'openai', value: { owl: 1, hoot: null } }, preferences })).toEqual(['owl']);
    expect(undeclaredOf({ extras, preferences })).toHaveLength(64);
    expect(undeclaredOf({ extras })).toBeUndefined();
    expect(undeclaredOf({ preferences })).toBeUndefined();
  });
});

describe('the parameters of a request', () => {
  it.each<[string, Partial<ModelRequest>, readonly string[]]>([
    ['nothing', {}, []],
    ["the answer's length", { maxOutputTokens: 5 }, ['max_tokens']],
    [
      'sampling',
      { sampling: { temperature: 0, topP: 1, topK: 1, topA: 1, minP: 1, frequencyPenalty: 1, presencePenalty: 1 } },
      ['temperature', 'top_p', 'top_k', 'top_a', 'min_p', 'frequency_penalty', 'presence_penalty'],
    ],
    [
      'more sampling',
      { sampling: { repetitionPenalty: 1, seed: 0, logitBias: {}, logprobs: true, topLogprobs: 1 } },
      ['repetition_penalty', 'seed', 'logit_bias', 'logprobs', 'top_logprobs'],
    ],
    ['log-probabilities switched off', { sampling: { logprobs: false } }, []],
    ['stop sequences', { stopSequences: ['a'] }, ['stop']],
    ['no stop sequences', { stopSequences: [] }, []],
    [
      'tools',
      { tools: [{ type: 'function', name: 'f', inputSchema: {} }], parallelToolCalls: false },
      ['tools', 'parallel_tool_calls'],
    ],
    [
      'a choice of tool',
      { tools: [{ type: 'function', name: 'f', inputSchema: {} }], toolChoice: { type: 'auto' } },
      ['tools', 'tool_choice'],
    ],
    ['a choice among no tools', { toolChoice: { type: 'auto' } }, []],
    ['a forced choice among no tools', { toolChoice: { type: 'any' } }, ['tool_choice']],
    ['thinking', { thinking: { type: 'adaptive' } }, ['reasoning']],
    [
      'thinking and effort',
      { thinking: { type: 'enabled', budgetTokens: 9 }, effort: 'low' },
      ['reasoning', 'reasoning_effort'],
    ],
    ['thinking disabled', { thinking: { type: 'disabled' }, effort: 'none' }, []],
    ['effort', { effort: 'max' }, ['reasoning_effort']],
    ['a schema', { outputFormat: { type: 'json-schema', schema: {} } }, ['structured_outputs']],
    ['verbosity', { verbosity: 'low' }, ['verbosity']],
    ['any JSON', { outputFormat: { type: 'json-object' } }, ['response_format']],
  ])('%s', (_, parts, expected) => {
    expect(routeNeeds(modelRequest(parts), NO_CATALOG).parameters).toEqual(expected);
  });
});

describe('the content of a request', () => {
  it.each<[string, Partial<ModelRequest>, readonly string[]]>([
    ['text', requestOf({ type: 'text', text }), []],
    ['an image', requestOf({ type: 'image', source: url }), ['image']],
    ['an image in a result', requestOf(result({ type: 'image', source: url })), ['image']],
    [
      'an image that the model drew',
      { messages: [{ role: 'assistant', content: [{ type: 'image', source: url }] }] },
      [],
    ],
    ['a document by address', requestOf({ type: 'document', source: url }), ['file']],
    [
      'a document by id in a result',
      requestOf(result({ type: 'document', source: { type: 'file', fileId: 'f' } })),
      ['file'],
    ],
    ['a document of text', requestOf({ type: 'document', source: { type: 'text', text } }), []],
    [
      'a document of blocks',
      requestOf({ type: 'document', source: { type: 'blocks', blocks: [{ type: 'image', source: url }] } }),
      ['image'],
    ],
    [
      'several',
      requestOf(
        { type: 'video', source: url },
        { type: 'audio', format: 'wav', data: '' },
        { type: 'image', source: url },
      ),
      ['image', 'audio', 'video'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(routeNeeds(modelRequest(parts), NO_CATALOG).modalities).toEqual(expected);
  });

  it.each<[string, Partial<ModelRequest>, number]>([
    ['nothing', {}, 0],
    ['the system prompt', { system: [{ type: 'text', text }] }, 1_000],
    ['messages', requestOf({ type: 'text', text }, { type: 'text', text }), 2_000],
    ['arguments that are text', requestOf({ type: 'tool-use', id: 't', name: 'n', input: text }), 1_000],
    ['arguments that are not', requestOf({ type: 'tool-use', id: 't', name: 'n', input: { a: text } }), 0],
    ['results', requestOf(result({ type: 'text', text })), 1_000],
    [
      'results that may be cleared',
      {
        ...requestOf(result({ type: 'text', text }), { type: 'text', text }),
        contextManagement: { vendor: 'anthropic', value: {} },
      },
      1_000,
    ],
    [
      'search results',
      requestOf({ type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text }] }),
      1_000,
    ],
    ['documents of text', requestOf({ type: 'document', source: { type: 'text', text } }), 1_000],
    ['thinking, which may be left out', requestOf({ type: 'thinking', thinking: text }), 0],
    ['bytes of media', requestOf({ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: text } }), 0],
  ])('counts %s', (_, parts, expected) => {
    expect(routeNeeds(modelRequest(parts), NO_CATALOG).promptTokensMin).toBe(expected);
  });
});

describe('the tier of a request', () => {
  it.each([
    [{}, 'standard'],
    [{ speed: 'standard' }, 'standard'],
    [{ speed: 'fast' }, 'fast'],
    [{ serviceTier: 'fast' }, 'fast'],
    [{ serviceTier: 'priority' }, 'priority'],
    [{ serviceTier: 'flex' }, 'flex'],
    [{ serviceTier: 'auto' }, 'standard'],
    [{ serviceTier: 'auto', speed: 'fast' }, 'fast'],
    [{ serviceTier: 'priority', speed: 'standard' }, 'priority'],
    [{ serviceTier: 'priority', speed: 'fast' }, 'priority'],
  ] as const)('%j is %s', (parts, expected) => {
    expect(routeNeeds(modelRequest(parts), NO_CATALOG).tier).toBe(expected);
  });
});
