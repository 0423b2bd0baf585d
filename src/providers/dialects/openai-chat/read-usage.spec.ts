// Goal: usage figures in every provider's spelling, without impossible ones. Method: tables.
import type { Json } from '../../../core/json/json.js';
import { readUsage } from './read-usage.js';

const figures = (value: Json | undefined): unknown => {
  const usage = readUsage(value);
  if (usage === undefined) return undefined;
  const { extras: _extras, ...rest } = usage;
  return rest;
};

describe('usage', () => {
  it.each<[string, Json, object]>([
    [
      'OpenAI',
      {
        prompt_tokens: 9,
        completion_tokens: 4,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      { inputTokens: 6, cacheReadTokens: 3, outputTokens: 4, reasoningTokens: 2 },
    ],
    [
      'DeepSeek',
      { prompt_tokens: 9, completion_tokens: 4, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 1 },
      { inputTokens: 1, cacheReadTokens: 8, outputTokens: 4 },
    ],
    [
      'Moonshot',
      { prompt_tokens: 9, completion_tokens: 4, cached_tokens: 5 },
      { inputTokens: 4, cacheReadTokens: 5, outputTokens: 4 },
    ],
    [
      'OpenRouter',
      {
        prompt_tokens: 9,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 3 },
        server_tool_use_details: { web_search_requests: 1 },
      },
      { inputTokens: 4, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4, webSearchRequests: 1 },
    ],
    [
      'OpenRouter, by the name of the Messages format',
      { prompt_tokens: 9, completion_tokens: 4, server_tool_use: { web_search_requests: 2 } },
      { inputTokens: 9, outputTokens: 4, webSearchRequests: 2 },
    ],
    [
      'Perplexity, which counts its queries',
      { prompt_tokens: 9, completion_tokens: 4, num_search_queries: 3 },
      { inputTokens: 9, outputTokens: 4, webSearchRequests: 3 },
    ],
    [
      'xAI, which counts the pages it used',
      { prompt_tokens: 9, completion_tokens: 4, num_sources_used: 5 },
      { inputTokens: 9, outputTokens: 4, webSearchRequests: 5 },
    ],
    [
      'fractions, which are not judged here',
      { prompt_tokens: 0.5, completion_tokens: 1.5 },
      { inputTokens: 0.5, outputTokens: 1.5 },
    ],
    [
      'xAI, whose reasoning is counted beside the completion',
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      { inputTokens: 32, outputTokens: 103, reasoningTokens: 94 },
    ],
    [
      'Mistral',
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, num_cached_tokens: 5 },
      { inputTokens: 4, cacheReadTokens: 5, outputTokens: 4 },
    ],
    [
      'Gemini, whose thoughts only the total includes',
      { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
      { inputTokens: 35, outputTokens: 74 },
    ],
    [
      'audio that is counted beside the prompt, which is no output',
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 388, prompt_tokens_details: { audio_tokens: 375 } },
      { inputTokens: 9, outputTokens: 4 },
    ],
    [
      'a total below its parts',
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 3 },
      { inputTokens: 9, outputTokens: 4 },
    ],
    ['a prompt of nothing', { prompt_tokens: 0, completion_tokens: 0 }, { inputTokens: 0, outputTokens: 0 }],
    ['half a report', { completion_tokens: 4 }, { outputTokens: 4 }],
    [
      'null details',
      { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: null, completion_tokens_details: null },
      { inputTokens: 1, outputTokens: 1 },
    ],
    [
      'more cached than there is',
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } },
      { inputTokens: 5, outputTokens: 1 },
    ],
    [
      'more written than is left',
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 } },
      { inputTokens: 1, cacheReadTokens: 4, outputTokens: 1 },
    ],
    [
      'more reasoning than output',
      { prompt_tokens: 5, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
      { inputTokens: 5, outputTokens: 1 },
    ],
  ])('of %s', (_, value, expected) => {
    expect(figures(value)).toEqual(expected);
  });

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['an empty object', {}],
    ['negative figures', { prompt_tokens: -1, completion_tokens: -5 }],
    ['texts', { prompt_tokens: '5', completion_tokens: '6' }],
    ['figures beyond exact integers', { prompt_tokens: 1e300, completion_tokens: 2 ** 53 }],
    ['nulls', { prompt_tokens: null, completion_tokens: null }],
  ])('of %s is absent', (_, value) => {
    expect(readUsage(value)).toBeUndefined();
  });

  it('keeps the provider’s own object beside the figures', () => {
    const value = { prompt_tokens: 1, completion_tokens: 1, cost: 0.5 };
    expect(readUsage(value)?.extras).toEqual({ vendor: 'openai', value });
  });
});
