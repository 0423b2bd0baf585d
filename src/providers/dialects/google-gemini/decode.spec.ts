/**
 * Goal: for every form of Gemini's answers, the events obey the grammar and have the same content, streamed and whole.
 * Method: chunks written from Google's documentation, as SSE bytes and as whole bodies; tables of stops and figures;
 * the positions of citations against the text that they cite.
 */
import { geminiChunk, geminiContext, replyOf, streamGemini, wholeGemini } from '../../../../test/support/gemini.js';
import { isCommitting } from '../../../core/conversation/event.js';
import { readWebCitation } from '../../../core/conversation/web-citation.js';
import type { JsonObject } from '../../../core/json/json.js';
import { ProviderFault } from '../../../core/errors.js';

const STOP: JsonObject = { finishReason: 'STOP' };
const MARK = { format: 'google-gemini-v1', provider: 'google-ai-studio' };

const faultOf = (act: () => unknown): ProviderFault => {
  try {
    act();
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('parts', () => {
  it('A20: emits thoughts as reasoning and never as text, however they are cut', () => {
    const chunks = [
      geminiChunk([{ text: 'Pl', thought: true }]),
      geminiChunk([{ text: 'an', thought: true }]),
      geminiChunk([{ text: '{"a"' }]),
      geminiChunk([{ text: ':1}' }], STOP),
    ];
    const { blocks } = replyOf(streamGemini(chunks));
    expect(blocks.map(({ start, text }) => [start.type, text])).toEqual([
      ['thinking', 'Plan'],
      ['text', '{"a":1}'],
    ]);
  });

  it('signs thoughts where they are signed', () => {
    const parts = [
      { text: 'One', thought: true, thoughtSignature: 'c2ln' },
      { text: 'Two', thought: true },
    ];
    expect(replyOf(wholeGemini(geminiChunk(parts, STOP))).blocks).toMatchObject([
      { start: { type: 'thinking', mark: MARK }, text: 'One', signature: 'c2ln' },
      { start: { type: 'thinking' }, text: 'Two' },
    ]);
  });

  it("puts a call's signature in front of it, under the call's id", () => {
    const parts = [{ functionCall: { id: 'f1', name: 'get_time', args: { zone: 'UTC' } }, thoughtSignature: 'c2ln' }];
    const { blocks, stop } = replyOf(wholeGemini(geminiChunk(parts, STOP)));
    expect(blocks).toMatchObject([
      { start: { type: 'redacted-thinking', data: 'c2ln', mark: { ...MARK, id: 'f1' } } },
      { start: { type: 'tool-use', id: 'f1', name: 'get_time' }, text: '{"zone":"UTC"}' },
    ]);
    expect(stop).toEqual({ unified: 'tool-use', raw: 'STOP', vendor: 'google' });
  });

  it("puts a text's signature behind it, and does not tear the text", () => {
    const chunks = [
      geminiChunk([{ text: 'One ' }]),
      geminiChunk([{ text: 'two ', thoughtSignature: 'c2ln' }]),
      geminiChunk([{ text: 'three.' }]),
      geminiChunk([{ text: '', thoughtSignature: 'bGFzdA==' }], STOP),
    ];
    expect(replyOf(streamGemini(chunks)).blocks).toMatchObject([
      { start: { type: 'text' }, text: 'One two three.' },
      { start: { type: 'redacted-thinking', data: 'c2ln', mark: MARK } },
      { start: { type: 'redacted-thinking', data: 'bGFzdA==' } },
    ]);
  });

  it("seals what only the vendor's own tools understand unchanged", () => {
    const part = {
      toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['x'] } },
      thoughtSignature: 'c2ln',
    };
    const { blocks } = replyOf(wholeGemini(geminiChunk([part, { text: 'Found.' }], STOP)));
    expect(blocks[0]!.start).toEqual({ type: 'redacted-thinking', data: JSON.stringify(part), mark: MARK });
  });

  it('emits images, each after its signature', () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    const parts = [{ inlineData }, { inlineData, thoughtSignature: 'c2ln' }];
    const { blocks } = replyOf(wholeGemini(geminiChunk(parts, STOP)));
    const picture = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } };
    expect(blocks.map(({ start }) => start)).toEqual([
      picture,
      { type: 'redacted-thinking', data: 'c2ln', mark: { ...MARK, id: 'picture 2' } },
      picture,
    ]);
  });

  it.each([
    ['sounds', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
    ['drafts of pictures', { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thought: true }],
  ])('carries %s untouched beside the vocabulary', (_, part) => {
    const { blocks } = replyOf(wholeGemini(geminiChunk([part], STOP)));
    expect(blocks.map(({ start }) => start)).toEqual([{ type: 'opaque', opaque: { vendor: 'google', value: part } }]);
  });

  it('gives calls without ids some that are new in the conversation, and the same each time', () => {
    const context = geminiContext({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool-use', id: 'call_2_0', name: 'f', input: {} }] },
      ],
    });
    const body = geminiChunk([{ functionCall: { name: 'f' } }, { functionCall: { name: 'f', args: {} } }], STOP);
    const idsOf = () => wholeGemini(body, context).flatMap((event) => (event.type === 'block-start' && event.block.type === 'tool-use' ? event.block.id : [])); // oxfmt-ignore
    expect(idsOf()).toEqual(['call_2_0_1', 'call_2_1']);
    expect(idsOf()).toEqual(idsOf());
  });

  it('puts together arguments that come in pieces', () => {
    const piece = (functionCall: JsonObject): JsonObject => geminiChunk([{ functionCall }]);
    const grow = (...partialArgs: JsonObject[]): JsonObject => piece({ partialArgs, willContinue: true });
    const chunks = [
      geminiChunk([{ functionCall: { name: 'cook', willContinue: true }, thoughtSignature: 'c2ln' }]),
      grow({ jsonPath: '$.name', stringValue: 'So', willContinue: true }),
      grow({ jsonPath: '$.name', stringValue: 'up' }, { jsonPath: '$.hot', boolValue: true }),
      grow({ jsonPath: '$.steps[0].minutes', numberValue: 5 }, { jsonPath: "$['a.b']", nullValue: 'NULL_VALUE' }),
      piece({}),
      geminiChunk([{ functionCall: { name: 'rest', args: {} } }], STOP),
    ];
    const { blocks } = replyOf(streamGemini(chunks));
    expect(blocks.map(({ start, text }) => [start.type, text])).toEqual([
      ['redacted-thinking', ''],
      ['tool-use', '{"name":"Soup","hot":true,"steps":[{"minutes":5}],"a.b":null}'],
      ['tool-use', '{}'],
    ]);
  });

  it('does not let half of a call look whole', () => {
    const chunks = [
      geminiChunk([
        { functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true } },
      ]),
      geminiChunk([], { finishReason: 'MAX_TOKENS' }),
    ];
    expect(replyOf(streamGemini(chunks))).toMatchObject({
      blocks: [{ text: '{"a":"x"' }],
      stop: { unified: 'output-limit' },
    });
  });
});

describe('ends', () => {
  it.each([
    ['STOP', 'end-turn'],
    ['MAX_TOKENS', 'output-limit'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['LANGUAGE', 'content-filter'],
    ['BLOCKLIST', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['UNEXPECTED_TOOL_CALL', 'other'],
    ['OTHER', 'other'],
    ['A_WORD_OF_TOMORROW', 'other'],
    ['constructor', 'other'],
  ])('%s is %s', (finishReason, unified) => {
    const body = geminiChunk([{ text: 'Hi' }], { finishReason });
    expect(replyOf(wholeGemini(body)).stop).toEqual({ unified, raw: finishReason, vendor: 'google' });
    expect(replyOf(streamGemini([body])).stop.unified).toBe(unified);
  });

  it.each(['STOP', 'UNEXPECTED_TOOL_CALL'])('%s behind a call is for the call to be answered', (finishReason) => {
    const body = geminiChunk([{ functionCall: { name: 'f', args: {} } }], { finishReason });
    expect(replyOf(wholeGemini(body)).stop.unified).toBe('tool-use');
  });

  it('takes the last reason of a stream that repeats a finish reason in each chunk', () => {
    const chunks = [geminiChunk([{ text: 'a' }], STOP), geminiChunk([{ text: 'b' }], { finishReason: 'MAX_TOKENS' })];
    expect(replyOf(streamGemini(chunks))).toMatchObject({
      blocks: [{ text: 'ab' }],
      stop: { unified: 'output-limit' },
    });
  });

  it.each([
    ['MALFORMED_FUNCTION_CALL', 'malformed-reply'],
    ['MISSING_THOUGHT_SIGNATURE', 'rejected-request'],
  ])('%s is a failure, which another attempt may mend', (finishReason, kind) => {
    const body = geminiChunk([], { finishReason, finishMessage: 'call:f{' });
    expect(faultOf(() => wholeGemini(body))).toMatchObject({ kind, message: 'call:f{' });
    expect(faultOf(() => streamGemini([body]))).toMatchObject({ kind });
  });

  it('reads a prompt that is refused as a reply that is filtered', () => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 9 } };
    const stop = { unified: 'content-filter', raw: 'PROHIBITED_CONTENT', vendor: 'google' };
    expect(replyOf(wholeGemini(body))).toMatchObject({ blocks: [], stop, usage: { inputTokens: 9 } });
    expect(replyOf(streamGemini([body]))).toMatchObject({ blocks: [], stop });
  });

  it('is cut where the stream ends without a word', () => {
    expect(faultOf(() => streamGemini([geminiChunk([{ text: 'Hi' }])]))).toMatchObject({
      kind: 'malformed-reply',
      detail: { isCut: true },
    });
  });

  it('takes a whole reply without a word as finished, and one without a candidate as none', () => {
    expect(replyOf(wholeGemini(geminiChunk([{ text: 'Hi' }]))).stop).toMatchObject({ unified: 'end-turn', raw: null });
    expect(faultOf(() => wholeGemini({ usageMetadata: { promptTokenCount: 9 } })).kind).toBe('malformed-reply');
  });

  it('reads a list of chunks as the stream that it is', () => {
    const list = [geminiChunk([{ text: 'a' }]), geminiChunk([{ text: 'b' }], STOP)];
    expect(replyOf(wholeGemini(list)).blocks[0]!.text).toBe('ab');
    expect(replyOf(streamGemini([list])).blocks[0]!.text).toBe('ab');
  });

  it('passes over other candidates, keep-alives and the sentinel of proxies', () => {
    const other = { candidates: [{ index: 1, content: { parts: [{ text: 'no' }] }, finishReason: 'STOP' }] };
    const { blocks } = replyOf(streamGemini([{}, 'null', other, geminiChunk([{ text: 'yes' }], STOP), '[DONE]']));
    expect(blocks.map(({ text }) => text)).toEqual(['yes']);
  });

  it.each([
    [{ error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }, 'rate-limited'],
    [[{ error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } }], 'unavailable'],
    [{ error: { code: 500 } }, 'server-error'],
  ])('throws a failure inside a stream and a 200: %j', (body, kind) => {
    expect(faultOf(() => streamGemini([geminiChunk([{ text: 'Hi' }]), body])).kind).toBe(kind);
    expect(faultOf(() => wholeGemini(body)).kind).toBe(kind);
  });

  it('refuses what is no JSON', () => {
    expect(faultOf(() => streamGemini(['{"candidates":'])).kind).toBe('malformed-reply');
  });
});

describe('usage', () => {
  const usageOf = (usageMetadata: JsonObject) => {
    const { extras: _extras, ...figures } = replyOf(
      wholeGemini(geminiChunk([{ text: 'x' }], STOP, { usageMetadata })),
    ).usage;
    return figures;
  };

  it.each<[string, JsonObject, object]>([
    ['each token once', { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 20, thoughtsTokenCount: 30 }, { inputTokens: 40, cacheReadTokens: 60, outputTokens: 50, reasoningTokens: 30 }],
    ['what tools read beside the prompt', { promptTokenCount: 100, toolUsePromptTokenCount: 11, candidatesTokenCount: 1 }, { inputTokens: 111, outputTokens: 1 }],
    ['an answer of nothing, which is left out', { promptTokenCount: 7, totalTokenCount: 7 }, { inputTokens: 7, outputTokens: 0 }],
    ['no part larger than its whole', { promptTokenCount: 5, cachedContentTokenCount: 6 }, { inputTokens: 5, outputTokens: 0 }],
    ['the tier', { promptTokenCount: 5, serviceTier: 'FLEX' }, { inputTokens: 5, outputTokens: 0, serviceTier: 'flex' }],
    ["the tier in Vertex's words", { promptTokenCount: 5, trafficType: 'ON_DEMAND_PRIORITY' }, { inputTokens: 5, outputTokens: 0, serviceTier: 'priority' }],
    ['nothing where nothing is reported', { trafficType: 'ON_DEMAND' }, {}],
  ])('counts %s', (_, metadata, figures) => {
    expect(usageOf(metadata)).toEqual(figures);
  }); // oxfmt-ignore

  it('takes the last of cumulative reports, and emits the first at once', () => {
    const chunks = [
      geminiChunk([{ text: 'a' }], {}, { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 } }),
      geminiChunk([{ text: 'b' }], {}, { usageMetadata: { trafficType: 'ON_DEMAND' } }),
      geminiChunk([], STOP, { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 } }),
    ];
    const reports = streamGemini(chunks).filter(({ type }) => type === 'usage');
    expect(reports).toMatchObject([
      { usage: { inputTokens: 9, outputTokens: 1 }, isInterim: true },
      { usage: { inputTokens: 9, outputTokens: 2 } },
    ]);
    expect(reports[1]).not.toHaveProperty('isInterim');
  });

  it('commits to the provider with the first words, and not before', () => {
    const [start, usage, block, words] = streamGemini([geminiChunk([{ text: 'a' }]), geminiChunk([], STOP)]);
    expect([start, usage, block].some((event) => isCommitting(event!))).toBe(false);
    expect(isCommitting(words!)).toBe(true);
  });
});

describe('fields beside the text', () => {
  const TEXT = 'Zürich “liegt” am See 🌊. Ja.';
  const byteOf = (words: string): number => Buffer.byteLength(TEXT.slice(0, TEXT.indexOf(words)));
  const segment = (words: string): JsonObject => ({ startIndex: byteOf(words), endIndex: byteOf(words) + Buffer.byteLength(words), text: words }); // oxfmt-ignore
  const pagesOf = (rest: JsonObject, text = TEXT) =>
    replyOf(wholeGemini(geminiChunk([{ text }], { ...STOP, ...rest }))).blocks.flatMap(({ citations }) => citations.map(readWebCitation)); // oxfmt-ignore
  const groundingChunks = [{ web: { uri: 'https://a.test/', title: 'A' } }, { web: { uri: 'https://b.test/' } }];

  it('emits the text that each page supports, in UTF-16 units', () => {
    const groundingSupports = [
      { segment: segment('🌊. Ja'), groundingChunkIndices: [0, 1] },
      { segment: { endIndex: byteOf(' “'), text: 'Zürich' }, groundingChunkIndices: [1, 7] },
    ];
    const pages = pagesOf({ groundingMetadata: { groundingChunks, groundingSupports } });
    expect(pages.map((page) => [page!.url, TEXT.slice(page!.span!.start, page!.span!.end)])).toEqual([
      ['https://a.test/', '🌊. Ja'],
      ['https://b.test/', '🌊. Ja'],
      ['https://b.test/', 'Zürich'],
    ]);
  });

  it('goes by the words where the bytes are others, and by none where there are none', () => {
    const groundingSupports = [
      { segment: { ...segment('See'), startIndex: byteOf('See') + 1 }, groundingChunkIndices: [0] },
      { segment: { startIndex: 0, endIndex: 900, text: 'Bern' }, groundingChunkIndices: [1] },
    ];
    const [first, second] = pagesOf({ groundingMetadata: { groundingChunks, groundingSupports } });
    expect(TEXT.slice(first!.span!.start, first!.span!.end)).toBe('See');
    expect(second).toEqual({ url: 'https://b.test/' });
  });

  it('takes only members at a number as pages, and any number of recitations', () => {
    const indices = ['length', 'at', [0], { toString: 'x' }, -1, 0.5, 99, null, 0] as never;
    const groundingSupports = [{ segment: segment('See'), groundingChunkIndices: indices }];
    expect(pagesOf({ groundingMetadata: { groundingChunks, groundingSupports } })).toMatchObject([{ url: 'https://a.test/' }]);
    const citations = Array.from({ length: 300_000 }, () => ({ uri: 'https://c.test/' }));
    expect(pagesOf({ citationMetadata: { citations } })).toEqual([{ url: 'https://c.test/' }]);
  }); // oxfmt-ignore

  it('emits pages that were found, recited or read, each once', () => {
    expect(
      pagesOf({
        groundingMetadata: { groundingChunks, webSearchQueries: ['x', 'x', 'y'] },
        citationMetadata: { citations: [{}, { uri: 'https://c.test/', endIndex: 7 }, { uri: 'https://c.test/', endIndex: 7 }] },
        urlContextMetadata: {
          urlMetadata: [
            { retrievedUrl: 'https://a.test/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' },
            { retrievedUrl: 'https://d.test/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' },
          ],
        },
      }),
    ).toEqual([{ url: 'https://c.test/', span: { start: 0, end: 6 } }, { url: 'https://a.test/', title: 'A' }, { url: 'https://b.test/' }]); // oxfmt-ignore
  });

  it('cites behind a call in a text of its own', () => {
    const groundingSupports = [{ segment: { endIndex: 2, text: 'Hi' }, groundingChunkIndices: [0] }];
    const parts = [{ text: 'Hi' }, { functionCall: { name: 'f', args: {} } }];
    const body = geminiChunk(parts, { ...STOP, groundingMetadata: { groundingChunks, groundingSupports } });
    expect(replyOf(wholeGemini(body)).blocks).toMatchObject([{ text: 'Hi' }, { text: '{}' }, { text: '', citations: [{ url: 'https://a.test/' }] }]); // oxfmt-ignore
  });

  it("emits log probabilities where they were requested, in the chat format's shape", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'é', logProbability: -0.5 }, { token: 'e' }] }],
    };
    const body = geminiChunk([{ text: 'é' }], { ...STOP, logprobsResult });
    const of = (context = geminiContext()) => replyOf(wholeGemini(body, context)).blocks[0]!.opaqueDeltas;
    expect(of()).toEqual([]);
    const reported = { token: 'é', logprob: -0.5, bytes: [195, 169] };
    const content = [{ ...reported, top_logprobs: [reported, { token: 'e', logprob: 0, bytes: [101] }] }];
    expect(of(geminiContext({ sampling: { logprobs: true } }))).toEqual([
      { vendor: 'openai', value: { logprobs: { content, refusal: null } } },
    ]);
  });
});
