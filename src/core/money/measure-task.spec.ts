// Goal: the bound of a task covers every charge of it, input by input. Method: sizes whose tokens are known, and the
// figures that vendors would report at most.
import type { ModelRequest } from '../conversation/request.js';
import type { Message } from '../conversation/content.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { Pricing } from '../routing/catalog.js';
import { boundOf, sizedTokens } from './bound.js';
import { judgeUsage } from './judge-usage.js';
import { measurePrompt } from './measure-prompt.js';
import { costOf } from './pricing.js';

const text = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const embedding = (messages: readonly Message[], tokens?: number[][]): ModelRequest =>
  modelRequest({ messages, task: { kind: 'embeddings', encoding: 'float', ...(tokens && { tokens }) } });
const ranking = (query: string, ...documents: string[]): ModelRequest =>
  modelRequest({ messages: [query, ...documents].map(text), task: { kind: 'rerank' } });

const leg = (prices: Omit<Pricing, 'tiers'>) => {
  const own = endpoint('p', { contextLength: 100, pricing: { tiers: [], ...prices } });
  return { model: model('a/b', [own], { task: 'embeddings' }), endpoint: own, tier: 'standard' as const };
};

describe('embeddings', () => {
  it('give each input a context of its own, and no output', () => {
    const prompt = measurePrompt(embedding(Array.from({ length: 5 }, () => text('x'.repeat(1_000)))));
    expect(prompt).toMatchObject({ inputs: 5, maxOutputTokens: 0 });
    expect(sizedTokens(prompt, leg({ prompt: 1n, completion: 1n }))).toEqual({ input: 500, output: 0 });
  });

  it('count token ids', () => {
    expect(measurePrompt(embedding([], [[1, 2, 3], [4]]))).toMatchObject({ inputs: 2, textTokens: 4 });
  });

  it('are charged as reported up to all contexts together, and capped beyond', () => {
    const request = embedding(Array.from({ length: 5 }, () => text('x'.repeat(1_000))));
    const judge = (inputTokens: number) =>
      judgeUsage({
        reported: { inputTokens, outputTokens: 0 },
        isReportFinal: true,
        request,
        prompt: measurePrompt(request),
        leg: leg({ prompt: 1n, completion: 1n }),
        estimatePrompt: () => 0,
        wantsHourCache: () => false,
        outputBytes: 0,
        ranVendorTool: false,
        citesPages: false,
        searchCalls: 0,
        end: 'whole',
      });
    expect(judge(490)).toMatchObject({ usage: { inputTokens: 490 }, isPlausible: true });
    expect(judge(490).usage.estimated).toBeUndefined();
    expect(costOf(judge(490).usage, leg({ prompt: 1n, completion: 1n })).total).toBe(490n);
    expect(judge(5_000_000).isPlausible || judge(5_000_000).usage.inputTokens! <= 2_000).toBe(true);
  });
});

describe('rankings', () => {
  const price = leg({ prompt: 0n, completion: 0n, request: 7n });
  it.each([
    ['one short document', ranking('q', 'a'), 1],
    ['a hundred', ranking('q', ...Array.from({ length: 100 }, () => 'a')), 1],
    ['a hundred and one', ranking('q', ...Array.from({ length: 101 }, () => 'a')), 2],
    // 100,000 bytes are at most 50,000 tokens: 101 pieces of 499.
    ['a long one', ranking('q', 'a'.repeat(100_000)), 2],
    ['a long query', ranking('q'.repeat(2_000), 'a'.repeat(50_000)), 1],
  ])('bound the units of search of %s', (_what, request, units) => {
    expect(measurePrompt(request).searchUnits).toBe(units);
    expect(boundOf(measurePrompt(request), price)).toBe(BigInt(units) * 7n);
  });

  it('read the query with every document', () => {
    const one = measurePrompt(ranking('query of words', 'a')).textTokens;
    const two = measurePrompt(ranking('query of words', 'a', 'a')).textTokens;
    // A frame, half a token of the document, and seven of the query.
    expect(two - one).toBe(64 + 7);
  });
});
