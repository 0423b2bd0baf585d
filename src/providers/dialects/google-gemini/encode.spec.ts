/**
 * Goal: requests are sent as docs/use/translation/google-gemini.md describes. Method: one case for each row, for models
 * of each generation; the documented limits; refusals with the caller's own path.
 */
import { GEMINI_25, GEMINI_3, geminiTarget } from '../../../../test/support/gemini.js';
import { modelRequest } from '../../../../test/support/model-request.js';
import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Base64Text } from '../../../core/json/base64-text.js';
import { printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { googleGemini } from './dialect.js';

const NO_MEDIA: FetchedMedia = new Map();
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const call = (id: string, name = 'get_time', input: Json = {}): ContentBlock => ({ type: 'tool-use', id, name, input });
const result = (toolUseId: string, words: string, isError = false): ContentBlock => ({
  type: 'tool-result',
  toolUseId,
  content: [{ type: 'text', text: words }],
  ...(isError && { isError }),
});
const HELLO = [user(text('Hello'))];

const encode = (parts: Partial<ModelRequest>, target: Target = GEMINI_3, media = NO_MEDIA) =>
  doAtOnce(googleGemini.encode(modelRequest({ messages: HELLO, ...parts }), target, media));
const bodyOf = (...given: Parameters<typeof encode>): Record<string, Json> =>
  JSON.parse(printJson(encode(...given).body)) as Record<string, Json>;
const contentsOf = (messages: readonly Message[], target = GEMINI_3, media = NO_MEDIA): Json =>
  bodyOf({ messages }, target, media)['contents']!;
const configOf = (parts: Partial<ModelRequest>, target = GEMINI_3): Json | undefined =>
  bodyOf(parts, target)['generationConfig'];
const refusalOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Untranslatable) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

const STORED = 'https://generativelanguage.googleapis.com/v1beta/files/x1';

describe('the call', () => {
  it('names the model in its address alone', () => {
    const whole = encode({ stream: false }, geminiTarget('tuned/a b'));
    expect(whole.path).toBe('/v1beta/models/tuned%2Fa%20b:generateContent');
    expect(encode({ stream: true }).path).toBe('/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse');
    expect(whole.body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
  });

  it('counts the same request, which names its model there', () => {
    const request = modelRequest({ messages: HELLO, maxOutputTokens: 5 });
    const counted = doAtOnce(googleGemini.counting!.encode(request, GEMINI_3));
    expect(counted).toMatchObject({
      path: '/v1beta/models/gemini-3-flash-preview:countTokens',
      body: {
        generateContentRequest: {
          model: 'models/gemini-3-flash-preview',
          ...doAtOnce(googleGemini.encode(request, GEMINI_3, NO_MEDIA)).body,
        },
      },
    });
    expect(googleGemini.counting!.decode({ totalTokens: 31 })).toEqual({ inputTokens: 31 });
    expect(() => googleGemini.counting!.decode({ totalTokens: '31' })).toThrow('has no count');
  });

  it('sends each parameter under its own name', () => {
    const sampling = { temperature: 0.1, topP: 0.2, topK: 3, seed: 4, presencePenalty: 0.5, frequencyPenalty: 0.6, logprobs: true, topLogprobs: 2, topA: 1, minP: 1 }; // oxfmt-ignore
    expect(
      configOf({ sampling, maxOutputTokens: 9, stopSequences: ['END'] }, geminiTarget('gemini-2.0-flash')),
    ).toEqual({
      maxOutputTokens: 9,
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      stopSequences: ['END'],
      seed: 4,
      presencePenalty: 0.5,
      frequencyPenalty: 0.6,
      responseLogprobs: true,
      logprobs: 2,
    });
  });

  it('takes five stop sequences and refuses six', () => {
    const five = ['1', '2', '3', '4', '5'];
    expect(configOf({ stopSequences: five })).toEqual({ stopSequences: five });
    expect(configOf({ stopSequences: [] })).toBeUndefined();
    expect(refusalOf(() => encode({ stopSequences: [...five, '6'] }))).toMatch(/^stop_sequences: has 6 entries/);
  });

  it('sends the form of the answer, its schema in the words that are known', () => {
    const schema = { type: 'object', additionalProperties: false, properties: { a: { const: 1 } } };
    expect(configOf({ outputFormat: { type: 'json-schema', schema, name: 'x', strict: true } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { a: { enum: [1] } } },
    });
    expect(configOf({ outputFormat: { type: 'json-object' } })).toEqual({ responseMimeType: 'application/json' });
  });

  it("requests the tier of its leg, and the caller's plain tiers where tiers are known to be sold", () => {
    expect(bodyOf({}, { ...GEMINI_3, tier: 'flex' })['serviceTier']).toBe('flex');
    expect(bodyOf({}, { ...GEMINI_3, tier: 'fast' })['serviceTier']).toBe('priority');
    expect(bodyOf({ serviceTier: 'default' })).not.toHaveProperty('serviceTier');
    const sells = geminiTarget('gemini-3-flash', { quirks: { serviceTiers: true } });
    expect(bodyOf({ serviceTier: 'default' }, sells)['serviceTier']).toBe('standard');
  });

  it('lets fields of its own format pass, and none of another', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    expect(bodyOf({ extras: { vendor: 'google', value: { safetySettings, contents: 'x' } } })).toMatchObject({
      safetySettings,
      contents: [{ role: 'user' }],
    });
    expect(bodyOf({ extras: { vendor: 'openai', value: { safetySettings } } })).not.toHaveProperty('safetySettings');
  });
});

describe('thinking', () => {
  const FLASH_LITE = geminiTarget('gemini-2.5-flash-lite');
  const PRO_25 = geminiTarget('gemini-2.5-pro');
  const PRO_3 = geminiTarget('gemini-3-pro-preview');
  const enabled = (budgetTokens: number): Partial<ModelRequest> => ({ thinking: { type: 'enabled', budgetTokens } });
  const off: Partial<ModelRequest> = { thinking: { type: 'disabled' } };
  const shown = (rest: object): object => ({ ...rest, includeThoughts: true });

  it.each<[string, Partial<ModelRequest>, Target, object | undefined]>([
    ['a budget', enabled(2_000), GEMINI_25, shown({ thinkingBudget: 2_000 })],
    ['more than there is', enabled(99_999), GEMINI_25, shown({ thinkingBudget: 24_576 })],
    ['more of a large model', enabled(99_999), PRO_25, shown({ thinkingBudget: 32_768 })],
    ['less than there is', enabled(5), FLASH_LITE, shown({ thinkingBudget: 512 })],
    ['an effort in tokens', { effort: 'medium' }, GEMINI_25, shown({ thinkingBudget: 8_192 })],
    ['a budget before the effort', { ...enabled(3_000), effort: 'high' }, GEMINI_25, shown({ thinkingBudget: 3_000 })],
    ['an effort before the budget as a word', { ...enabled(3_000), effort: 'high' }, GEMINI_3, shown({ thinkingLevel: 'high' })],
    ['what the model likes', { thinking: { type: 'adaptive' } }, GEMINI_25, shown({ thinkingBudget: -1 })],
    ['nothing', off, GEMINI_25, { thinkingBudget: 0 }],
    ['nothing of a model that always thinks', { effort: 'none' }, PRO_25, { thinkingBudget: 128 }],
    ['an effort as a word', { effort: 'medium' }, GEMINI_3, shown({ thinkingLevel: 'medium' })],
    ['a word that it does not know', { effort: 'medium' }, PRO_3, shown({ thinkingLevel: 'low' })],
    ['the most there is', { effort: 'max' }, PRO_3, shown({ thinkingLevel: 'high' })],
    ['a budget as a word', enabled(20_000), GEMINI_3, shown({ thinkingLevel: 'high' })],
    ['what the newer model likes', { thinking: { type: 'adaptive' } }, GEMINI_3, shown({})],
    ['nothing of a newer model', off, GEMINI_3, { thinkingLevel: 'minimal' }],
    ['nothing of a newer large one', off, PRO_3, { thinkingLevel: 'low' }],
    ['none of it to be shown', { thinking: { type: 'adaptive', display: 'omitted' } }, GEMINI_25, { thinkingBudget: -1 }],
    ['a model that does not think', { effort: 'high' }, geminiTarget('gemini-2.0-flash'), undefined],
    ['a model of another name', { effort: 'high' }, geminiTarget('gemma-3-27b-it'), undefined],
    ['an endpoint without', { effort: 'high' }, geminiTarget('gemini-3-flash', { supportedParameters: ['tools'] }), undefined],
    ['one whose generation is stated', enabled(2_000), geminiTarget('1234', { quirks: { geminiGeneration: 'gemini-2.5' } }), shown({ thinkingBudget: 2_000 })],
    ['one whose efforts are stated', { effort: 'high' }, geminiTarget('gemini-3-x', { quirks: { efforts: ['low'] } }), shown({ thinkingLevel: 'low' })],
  ])('%s', (_, parts, target, thinkingConfig) => {
    expect(configOf(parts, target)).toEqual(thinkingConfig && { thinkingConfig });
  }); // oxfmt-ignore

  it.each([
    ['gemini-3-pro-preview', true],
    ['gemini-3.5-flash', true],
    ['gemini-flash-latest', true],
    ['gemini-10-pro', true],
    ['gemini-2.5-flash-preview-09-2025', false],
    ['gemini-2.0-flash', false],
    ['gemini-1.5-pro', false],
  ])('%s is of a generation that signs its calls: %s', (name, signs) => {
    const parts = JSON.stringify(contentsOf([...HELLO, assistant(call('c1'))], geminiTarget(name)));
    expect(parts.includes('skip_thought_signature_validator')).toBe(signs);
  });
});

describe('turns', () => {
  it('joins turns of one role, in order, and leaves out blank ones', () => {
    const messages = [
      user(text('One'), text('')),
      user(text('Two')),
      assistant(text('')),
      user(text('Three')),
      assistant(text('Fo'), text('ur'), { type: 'thinking', thinking: 'hm' }, text('')),
    ];
    expect(contentsOf(messages)).toEqual([
      { role: 'user', parts: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }] },
      { role: 'model', parts: [{ text: 'Four' }] },
    ]);
  });

  it('puts the instructions beside the turns, and those among the turns at their position, after results', () => {
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    const parts = { system: [{ type: 'text', text: 'You guide.' } as const, { type: 'text', text: '' } as const] };
    const body = bodyOf({ ...parts, messages: [...HELLO, assistant(call('c1')), system, user(result('c1', 'noon'))] });
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'You guide.' }] });
    expect((body['contents'] as Json[])[2]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'get_time', response: { output: 'noon' } } },
        { text: '[System]\nBe brief.' },
      ],
    });
    const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://x.test/' } };
    expect(refusalOf(() => encode({ messages: [{ role: 'system', content: [image] }] }))).toMatch(/^messages\.0\.content\.0: /); // oxfmt-ignore
  });

  it('puts results before words, and marks those that failed', () => {
    const [, , turn] = contentsOf([...HELLO, assistant(call('c1'), call('c2')), user(text('Go on.'), result('c2', 'no', true), result('c1', 'noon'))]) as Json[]; // oxfmt-ignore
    expect(turn).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'get_time', response: { output: 'noon' } } },
        { functionResponse: { id: 'c2', name: 'get_time', response: { error: 'no' } } },
        { text: 'Go on.' },
      ],
    });
  });

  it('sends models without ids none, and the results in the order of their calls', () => {
    const messages = [...HELLO, assistant(call('c1'), call('c2')), user(result('c2', 'b'), result('c1', 'a'))];
    expect(contentsOf(messages, GEMINI_25)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ functionCall: { name: 'get_time', args: {} } }, { functionCall: { name: 'get_time', args: {} } }] },
      {
        role: 'user',
        parts: ['a', 'b'].map((output) => ({ functionResponse: { name: 'get_time', response: { output } } })),
      },
    ]); // oxfmt-ignore
  });

  it.each([
    ['with ids', GEMINI_3],
    ['without', GEMINI_25],
  ])('takes a result for that of the call in front of it, though a later one has its id: %s', (_, target) => {
    const tools = ['get_weather', 'get_time'];
    const rounds = tools.map((name) => [assistant({ type: 'tool-use', id: 'c', name, input: {} }), user(result('c', name))]);
    const [first, whole] = [rounds.slice(0, 1), rounds].map((some) => contentsOf([...HELLO, ...some.flat()], target) as Json[]);
    expect(whole!.slice(0, 3)).toEqual(first);
    const results = whole!.flatMap((turn) => (turn as { parts: JsonObject[] }).parts.flatMap((part) => part['functionResponse'] ?? []));
    expect(results).toMatchObject(tools.map((name) => ({ name, response: { output: name } })));
    expect(new Set(results.map((one) => (one as { id?: string }).id)).size).toBe(target === GEMINI_3 ? 2 : 1);
  }); // oxfmt-ignore

  it('refuses a result of nothing', () => {
    expect(refusalOf(() => encode({ messages: [user(result('c9', 'x'))] }))).toMatch(/^messages\.0\.content\.0: a tool result that answers no call/); // oxfmt-ignore
  });

  it('sends blocks of other vendors as text, at their position', () => {
    const opaque = (value: Record<string, Json>): ContentBlock => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } }); // oxfmt-ignore
    const search = opaque({ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } });
    expect(contentsOf([...HELLO, assistant(text('a'), search, text('b'))])).toMatchObject([
      {},
      { parts: [{ text: 'a' }, { text: '[Called tool web_search with {"query":"x"}]' }, { text: 'b' }] },
    ]);
  });
});

describe('media', () => {
  const image = (source: Extract<ContentBlock, { type: 'image' }>['source']): ContentBlock => ({
    type: 'image',
    source,
  });
  const PNG = { type: 'base64', mediaType: 'image/png', data: 'AAAA' } as const;
  const PDF = { type: 'base64', mediaType: 'application/pdf', data: 'BBBB' } as const;
  const partsOf = (block: ContentBlock, target = GEMINI_3, media = NO_MEDIA): Json =>
    (contentsOf([user(block)], target, media) as { parts: Json }[])[0]!.parts;
  const inline = (mimeType: string, data: string): object => ({ inlineData: { mimeType, data } });

  it.each<[string, ContentBlock, unknown]>([
    ['an image', image(PNG), [inline('image/png', 'AAAA')]],
    ['a document with its name', { type: 'document', source: PDF, title: 'Plan', context: 'old' }, [{ text: 'Document: Plan\nContext: old' }, inline('application/pdf', 'BBBB')]],
    ['a text document', { type: 'document', source: { type: 'text', text: 'x' }, title: 'T' }, [{ text: 'Document: T\n\nx' }]],
    ['a text as bytes', { type: 'document', source: { type: 'base64', mediaType: 'text/plain', data: 'aGk=' } }, [{ text: 'hi' }]],
    ['a document of blocks', { type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: 'x' }, { type: 'image', source: PNG }] } }, [{ text: 'x' }, inline('image/png', 'AAAA')]],
    ['a search result', { type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] }, [{ text: 'Search result: t\nSource: s\n\nx' }]],
    ['a sound', { type: 'audio', format: 'mp3', data: 'CCCC' }, [inline('audio/mp3', 'CCCC')]],
    ['a sound in a file of another name', { type: 'audio', format: 'm4a', data: 'CCCC' }, [inline('audio/mp4', 'CCCC')]],
    ['a video', { type: 'video', source: { type: 'base64', mediaType: 'video/mp4', data: 'DDDD' } }, [inline('video/mp4', 'DDDD')]],
    ['a video that the vendor reads', { type: 'video', source: { type: 'url', url: 'https://www.youtube.com/watch?v=1' } }, [{ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }]],
  ])('takes %s', (_, block, parts) => {
    expect(partsOf(block)).toEqual(parts);
  }); // oxfmt-ignore

  it('has other addresses fetched, and those alone', () => {
    const urls = [
      'https://x.test/a.png',
      'https://youtu.be/1',
      'https://youtube.com.x.test/watch?v=1',
      'gs://b/a.png',
      STORED,
    ];
    const request = modelRequest({ messages: [user(...urls.map((url) => image({ type: 'url', url })))] });
    const required = googleGemini.requiredMedia!(request, GEMINI_3);
    // A caller may not name resources of the credential's owner: the fetch refuses it.
    expect(required.map(({ url }) => url)).toEqual([urls[0], urls[2], urls[3], urls[4]]);
    expect(required[1]).toMatchObject({ accept: 'image', path: 'messages.0.content.2.source.url' });
    const media: FetchedMedia = new Map([
      [urls[0]!, { mediaType: 'image/webp', base64: 'EEEE' as unknown as Base64Text }],
    ]);
    expect(partsOf(image({ type: 'url', url: urls[0]! }), GEMINI_3, media)).toEqual([inline('image/webp', 'EEEE')]);
    const video: ContentBlock = { type: 'video', source: { type: 'url', url: 'https://x.test/a.mp4' } };
    expect(refusalOf(() => partsOf(video))).toMatch(/^messages\.0\.content\.0\.source\.url: /);
  });

  it('puts media of results inside them, or beside them where the model takes none there', () => {
    const content = [{ type: 'text', text: 'Seen:' } as const, { type: 'image', source: PNG } as const];
    const messages = [...HELLO, assistant(call('c1')), user({ type: 'tool-result', toolUseId: 'c1', content })];
    const turnOf = (target: Target) => (contentsOf(messages, target) as { parts: Json }[])[2]!.parts;
    expect(turnOf(GEMINI_3)).toEqual([
      { functionResponse: { id: 'c1', name: 'get_time', response: { output: 'Seen:' }, parts: [inline('image/png', 'AAAA')] } },
    ]); // oxfmt-ignore
    const name = 'Attachment 1 of tool result c1';
    expect(turnOf(GEMINI_25)).toEqual([
      { functionResponse: { name: 'get_time', response: { output: `Seen:\n\n[${name}: see below]` } } },
      { text: `[${name}]` },
      inline('image/png', 'AAAA'),
    ]);
  });
});

describe('tools', () => {
  const tool = (name: string, inputSchema: Record<string, Json> = {}) =>
    ({ type: 'function', name, inputSchema }) as const;
  const declarationsOf = (...tools: ReturnType<typeof tool>[]): Json[] =>
    (bodyOf({ tools })['tools'] as { functionDeclarations: Json[] }[])[0]!.functionDeclarations;

  it('declares functions, with a schema where they take arguments', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(declarationsOf(tool('one', schema), tool('two', { type: 'object', properties: {}, additionalProperties: false }), tool('three', { properties: schema.properties }))).toEqual([
      { name: 'one', parametersJsonSchema: schema },
      { name: 'two' },
      { name: 'three', parametersJsonSchema: { type: 'object', properties: schema.properties } },
    ]); // oxfmt-ignore
  });

  it('gives names that begin otherwise than they may another beginning, one to one', () => {
    const names = declarationsOf(tool('2nd'), tool('-x'), tool('_2nd'), tool('ok')).map((one) => (one as { name: string }).name); // oxfmt-ignore
    expect(names).toEqual([expect.stringMatching(/^_2nd_[0-9a-f]{8}$/), expect.stringMatching(/^_-x_/), '_2nd', 'ok']);
  });

  it.each([
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'any' }, { mode: 'ANY' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [
      { type: 'tool', name: 'one' },
      { mode: 'ANY', allowedFunctionNames: ['one'] },
    ],
  ] as const)('lets it choose: %j', (toolChoice, functionCallingConfig) => {
    expect(bodyOf({ tools: [tool('one')], toolChoice })['toolConfig']).toEqual({ functionCallingConfig });
    expect(bodyOf({ toolChoice })).not.toHaveProperty('toolConfig');
  });

  it('takes its own tools', () => {
    const search = { type: 'vendor', opaque: { vendor: 'google', value: { googleSearch: {} } } } as const;
    expect(bodyOf({ tools: [tool('one'), search] })['tools']).toEqual([
      { functionDeclarations: [{ name: 'one' }] },
      { googleSearch: {} },
    ]);
  });

  it('makes an object of arguments of any making', () => {
    const argsOf = (input: Json): Json => (contentsOf([...HELLO, assistant(call('c', 'f', input))], GEMINI_25) as { parts: { functionCall: { args: Json } }[] }[])[1]!.parts[0]!.functionCall.args; // oxfmt-ignore
    expect(argsOf('{"a":1}')).toEqual({ a: 1 });
    expect(argsOf(' ')).toEqual({});
    expect(argsOf('{"a":')).toEqual({ arguments: '{"a":' });
  });
});
