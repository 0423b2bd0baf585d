// Goal: Gemini's vectors, as ai.google.dev/api/embeddings states them: one input by a separate call, more by a batch
// whose requests name the model; lengths, uses and media in its words. A reply has its numbers unchanged: it is
// normalised at the longest length alone. What it has no form for is refused by name.
import { geminiTarget } from '../../../../test/support/gemini.js';
import { modelRequest } from '../../../../test/support/model-request.js';
import type { ContentBlock } from '../../../core/conversation/content.js';
import type { TaskRequest } from '../../../core/conversation/task-request.js';
import { Untranslatable } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { EMBED } from './embed.js';

type Options = Partial<TaskRequest<'embeddings'>['task']>;

const LENGTHS = [3_072, 1_536, 768];
const NAME = 'gemini-embedding-001';
const targetOf = (dimensions?: readonly number[]): Target => {
  const target = geminiTarget(NAME);
  return dimensions ? { ...target, model: { ...target.model, dimensions } } : target;
};
const TARGET = targetOf(LENGTHS);
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `input ${index}`);
const embedding = (inputs: readonly (string | readonly ContentBlock[])[], options: Options = {}): TaskRequest<'embeddings'> =>
  modelRequest({
    messages: inputs.map((one) => ({ role: 'user', content: typeof one === 'string' ? [{ type: 'text', text: one }] : one })),
    task: { kind: 'embeddings', encoding: 'float', ...options },
  }) as TaskRequest<'embeddings'>; // oxfmt-ignore
const sent = (request: TaskRequest, target = TARGET) => doAtOnce(EMBED.encode(request, target, new Map()));
const contentOf = (text: string): object => ({ content: { parts: [{ text }] } });

describe('a call', () => {
  it('of one input has a path of its own', () => {
    const { path, body, stream } = sent(embedding(['A boat.'], { dimensions: 768, inputType: 'search_query' }));
    expect([path, stream]).toEqual([expect.stringMatching(/\/models\/gemini-embedding-001:embedContent$/), false]);
    expect(body).toEqual({ ...contentOf('A boat.'), taskType: 'RETRIEVAL_QUERY', outputDimensionality: 768 });
  });

  it.each([2, 100])('of %i inputs is a batch, each with the options and the model', (count) => {
    const { path, body } = sent(embedding(words(count), { dimensions: 1_536 }));
    expect(path).toMatch(/:batchEmbedContents$/);
    expect(body).toEqual({
      requests: words(count).map((text) => ({ model: `models/${NAME}`, ...contentOf(text), outputDimensionality: 1_536 })), // oxfmt-ignore
    });
  });

  it('has at most a hundred inputs: more are sent in several calls', () => {
    expect(EMBED.limits!(TARGET)).toEqual({ inputs: 100 });
  });

  it.each<[given: string | undefined, taskType: string | undefined]>([
    [undefined, undefined],
    ['search_query', 'RETRIEVAL_QUERY'],
    ['query', 'RETRIEVAL_QUERY'],
    ['search_document', 'RETRIEVAL_DOCUMENT'],
    ['document', 'RETRIEVAL_DOCUMENT'],
    ['passage', 'RETRIEVAL_DOCUMENT'],
    ['clustering', 'CLUSTERING'],
    ['CODE_RETRIEVAL_QUERY', 'CODE_RETRIEVAL_QUERY'],
  ])('names the use %s as %s', (inputType, taskType) => {
    const { body } = sent(embedding(['a'], inputType === undefined ? {} : { inputType }));
    expect((body as JsonObject)['taskType']).toBe(taskType);
  });

  it('is the same for base64, which the gateway writes', () => {
    expect(sent(embedding(['a'], { encoding: 'base64' })).body).toEqual(contentOf('a'));
  });

  it('joins the parts of an input', () => {
    const parts: ContentBlock[] = [
      { type: 'text', text: 'See' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ];
    expect(sent(embedding([parts])).body).toEqual({
      content: { parts: [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    });
  });

  it.each<[name: string, target: Target, request: TaskRequest<'embeddings'>, field: string]>([
    ['token ids', TARGET, embedding([], { tokens: [[1]] }), 'input'],
    ['a length above the longest', TARGET, embedding(['a'], { dimensions: 3_073 }), 'dimensions'],
    ['another length than the only one', targetOf([3_072]), embedding(['a'], { dimensions: 768 }), 'dimensions'],
  ])('refuses %s', (_name, target, request, field) => {
    expect(() => sent(request, target)).toThrow(Untranslatable);
    expect(() => sent(request, target)).toThrow(`${field}: `);
  });

  it.each([3_072, 768, 1, 700])('takes the length %i, as any up to the longest', (dimensions) => {
    expect(sent(embedding(['a'], { dimensions })).body).toMatchObject({ outputDimensionality: dimensions });
  });
});

describe('a reply', () => {
  const read = (body: JsonObject, count: number, options: Options = {}) =>
    doAtOnce(EMBED.decodeWhole(body, { request: embedding(words(count), options), target: TARGET }));
  const vectors = (count: number, length = 4): number[][] =>
    Array.from({ length: count }, (_, row) => Array.from({ length }, (__, index) => row + index / 8));
  const values = (all: readonly number[][]): JsonObject[] => all.map((one) => ({ values: one }));

  it.each([1, 2, 100])('of %i inputs has their vectors in order, unchanged', (count) => {
    const all = vectors(count);
    const body = count === 1 ? { embedding: { values: all[0]! } } : { embeddings: values(all) };
    const events = read({ ...body, usageMetadata: { promptTokenCount: 9 } }, count);
    expect(events[1]).toEqual({ type: 'usage', usage: { inputTokens: 9, outputTokens: 0 } });
    expect(events[2]).toMatchObject({ computed: { kind: 'embeddings', vectors: all } });
  });

  it('may lack usage, and be a batch of one', () => {
    const events = read({ embeddings: values(vectors(1)) }, 1);
    expect(events[1]).toEqual({ type: 'usage', usage: { outputTokens: 0 } });
    expect(events[2]).toMatchObject({ computed: { vectors: vectors(1) } });
  });

  it.each<[name: string, body: JsonObject, options: Options]>([
    ['with a vector too few', { embeddings: values(vectors(1)) }, {}],
    ['with a vector too many', { embeddings: values(vectors(3)) }, {}],
    ['of another length than was requested', { embeddings: values(vectors(2)) }, { dimensions: 768 }],
    ['of two lengths', { embeddings: values([...vectors(1), ...vectors(1, 5)]) }, {}],
    ['without values', { embeddings: [{}, {}] }, {}],
    ['with one vector for two inputs', { embedding: { values: [1, 2] } }, {}],
  ])('%s is malformed', (_name, body, options) => {
    expect(() => read(body, 2, options)).toThrow(expect.objectContaining({ kind: 'malformed-reply' }));
  });
});
