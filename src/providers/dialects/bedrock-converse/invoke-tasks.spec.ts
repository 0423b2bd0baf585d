// Goal: vectors of Titan by `InvokeModel`, as docs.aws.amazon.com/bedrock, model-parameters-titan-embed-text, states
// them: one text a call, the lengths of each version, float numbers, normalisation as by default. What it has no form
// for is refused by name; a reply that does not fit is malformed. Method: tables of requests and of replies.
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ContentBlock } from '../../../core/conversation/content.js';
import type { TaskRequest } from '../../../core/conversation/task-request.js';
import { Untranslatable } from '../../../core/errors.js';
import { parseJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext, Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { EMBED } from './invoke-tasks.js';

type Options = Partial<TaskRequest<'embeddings'>['task']>;

const LENGTHS = { 'amazon.titan-embed-text-v2:0': [1_024, 512, 256], 'amazon.titan-embed-text-v1': [1_536] };
const V2 = 'amazon.titan-embed-text-v2:0';
const V1 = 'amazon.titan-embed-text-v1';

function targetOf(upstreamModel: string, dimensions?: readonly number[]): Target {
  const one = endpoint('amazon-bedrock', { upstreamModel });
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} } as const;
  return { model: { ...model('a/b', [one]), ...(dimensions && { dimensions }) }, endpoint: one, tier: 'standard', definition }; // oxfmt-ignore
}
const shipped = (upstreamModel: keyof typeof LENGTHS): Target => targetOf(upstreamModel, LENGTHS[upstreamModel]);

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const embedding = (options: Options = {}, content: readonly ContentBlock[] = [text('A boat.')]): TaskRequest<'embeddings'> =>
  modelRequest({
    messages: [{ role: 'user', content }],
    task: { kind: 'embeddings', encoding: 'float', ...options },
  }) as TaskRequest<'embeddings'>; // oxfmt-ignore
const sent = (request: TaskRequest, target: Target) => doAtOnce(EMBED.encode(request, target, new Map()));

describe('a call', () => {
  it.each<[name: string, target: Target, options: Options, body: object]>([
    ['of the second version', shipped(V2), {}, { inputText: 'A boat.' }],
    ['of each length', shipped(V2), { dimensions: 1_024 }, { inputText: 'A boat.', dimensions: 1_024 }],
    ['of the middle length', shipped(V2), { dimensions: 512 }, { inputText: 'A boat.', dimensions: 512 }],
    ['of the least length', shipped(V2), { dimensions: 256 }, { inputText: 'A boat.', dimensions: 256 }],
    ['of a length of a model whose lengths are not known', targetOf(V2), { dimensions: 256 }, { inputText: 'A boat.', dimensions: 256 }],
    ['in base64, which the gateway writes', shipped(V2), { encoding: 'base64' }, { inputText: 'A boat.' }],
    ['with a use, which has no field', shipped(V2), { inputType: 'search_query' }, { inputText: 'A boat.' }],
    ['of the first version', shipped(V1), {}, { inputText: 'A boat.' }],
    ['of its only length, which has no field', shipped(V1), { dimensions: 1_536 }, { inputText: 'A boat.' }],
  ])('%s', (_name, target, options, body) => {
    expect(sent(embedding(options), target)).toMatchObject({
      path: `/model/${encodeURIComponent(target.endpoint.upstreamModel)}/invoke`,
      stream: false,
    });
    expect(sent(embedding(options), target).body).toEqual(body);
  }); // oxfmt-ignore

  it('names the region of an inference profile in its path', () => {
    expect(sent(embedding(), targetOf(`us.${V2}`)).path).toBe(`/model/us.${encodeURIComponent(V2)}/invoke`);
  });

  it.each<[name: string, target: Target, request: TaskRequest<'embeddings'>, field: string]>([
    ['a length between two of its own', shipped(V2), embedding({ dimensions: 700 }), 'dimensions'],
    ['a length below the least', shipped(V2), embedding({ dimensions: 255 }), 'dimensions'],
    ['a length above the longest', shipped(V2), embedding({ dimensions: 1_025 }), 'dimensions'],
    ['a foreign length where none is known', targetOf(V2), embedding({ dimensions: 1_536 }), 'dimensions'],
    ['another length than the only one', shipped(V1), embedding({ dimensions: 512 }), 'dimensions'],
    ['token ids', shipped(V2), embedding({ tokens: [[1, 2]] }), 'input'],
    ['a picture', shipped(V2), embedding({}, [text('a'), { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }]), 'input.0'],
    ['a vendor whose calls are not known', targetOf('amazon.nova-embed-v1:0'), embedding(), 'model'],
  ])('refuses %s', (_name, target, request, field) => {
    expect(() => sent(request, target)).toThrow(Untranslatable);
    expect(() => sent(request, target)).toThrow(`${field}: `);
  }); // oxfmt-ignore

  it('has one input: more are sent in several calls', () => {
    expect(EMBED.limits!(shipped(V2))).toEqual({ inputs: 1 });
    expect(EMBED.limits!(shipped(V1))).toEqual({ inputs: 1 });
    expect(EMBED.limits!(targetOf('us.cohere.embed-v4:0'))).toEqual({ inputs: 96, tokens: expect.anything() });
  });

  it('states that a use is not sent, to Titan alone', () => {
    expect(EMBED.dropped!(embedding({ inputType: 'search_query' }), shipped(V2))).toEqual(['input_type']);
    expect(EMBED.dropped!(embedding(), shipped(V2))).toEqual([]);
    expect(EMBED.dropped!(embedding({ inputType: 'search_query' }), targetOf('us.cohere.embed-v4:0'))).toEqual([]);
  });
});

describe('a reply', () => {
  const read = (body: JsonObject, options: Options = {}, headers?: DecodeContext['headers']) =>
    doAtOnce(EMBED.decodeWhole(body, { request: embedding(options), target: shipped(V2), headers }));
  const vector = (length: number): number[] => Array.from({ length }, (_, index) => index / 1_024 - 0.5);

  it.each([
    ['of the second version, which repeats its vector by type', { embedding: vector(256), embeddingsByType: { float: vector(256) }, inputTextTokenCount: 3 }, 3],
    ['of the first version', { embedding: vector(256), inputTextTokenCount: 0 }, 0],
    ['that is not normalised', { embedding: vector(256).map((one) => 9 * one), inputTextTokenCount: 3 }, 3],
  ])('%s has its numbers unchanged, and its tokens', (_name, body, inputTokens) => {
    const events = read(body, { dimensions: 256 });
    expect(events.map(({ type }) => type)).toEqual(['reply-start', 'usage', 'reply-end']);
    expect(events[1]).toEqual({ type: 'usage', usage: { inputTokens, outputTokens: 0 } });
    expect(events[2]).toMatchObject({ computed: { kind: 'embeddings', vectors: [body.embedding] } });
  }); // oxfmt-ignore

  it('may state its tokens beside the body', () => {
    const [, usage] = read({ embedding: vector(4) }, {}, { 'x-amzn-bedrock-input-token-count': '7' });
    expect(usage).toEqual({ type: 'usage', usage: { inputTokens: 7, outputTokens: 0 } });
    const [, unknown] = read({ embedding: vector(4) }, {}, { 'x-amzn-bedrock-input-token-count': '-7' });
    expect(unknown).toEqual({ type: 'usage', usage: { outputTokens: 0 } });
  });

  it.each<[name: string, body: JsonObject]>([
    ['of another length than was requested', { embedding: vector(512) }],
    ['without a vector', { inputTextTokenCount: 3 }],
    ['with an empty vector', { embedding: [] }],
    ['with null in it', { embedding: [...vector(255), null] }],
    ['with a number beyond float32', { embedding: [...vector(255), 1e39] }],
    ['with a number beyond any float', { embedding: [...vector(255), parseJson('1e999') as Json] }],
    ['with a binary vector alone', { embeddingsByType: { binary: vector(256) } }],
  ])('%s is malformed', (_name, body) => {
    expect(() => read(body, { dimensions: 256 })).toThrow(expect.objectContaining({ kind: 'malformed-reply' }));
  });
});
