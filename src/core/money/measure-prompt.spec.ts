// A table of blocks and tools, and the documented formula over the real bytes of texts: the measure of a prompt is
// never too low.
import fc from 'fast-check';
import { modelRequest } from '../../../test/support/model-request.js';
import { gif, jpeg, png } from '../../../test/support/images.js';
import { model } from '../../../test/support/route-inputs.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Tool } from '../conversation/tools.js';
import { parseJson, type JsonObject } from '../json/json.js';
import { listPdfs, measurePrompt, withPdfSizes, type MeasuredPrompt } from './measure-prompt.js';

const ofText = (text: string): number =>
  measurePrompt(modelRequest({ system: [{ type: 'text', text }] })).textTokens - FRAME_TOKENS;
const ofBlock = (block: ContentBlock): MeasuredPrompt =>
  measurePrompt(modelRequest({ messages: [{ role: 'user', content: [block] }] }));
const ofTool = (tool: Tool): MeasuredPrompt => measurePrompt(modelRequest({ tools: [tool] }));

const FRAME_TOKENS = 64;
const NOTHING: MeasuredPrompt = { textTokens: 0, images: 0, documents: 0, fillsContext: false, webSearches: 0 };
const FRAME = { ...NOTHING, textTokens: FRAME_TOKENS };
const hundred = 'x'.repeat(100);
const base64 = (mediaType: string): { type: 'base64'; mediaType: string; data: string } => ({
  type: 'base64',
  mediaType,
  data: 'A'.repeat(10_000),
});
const address = { type: 'url', url: 'https://example.com/file' } as const;

describe('the measure of what no block models', () => {
  const own = (value: object): Pick<ToolUseBlock, 'origin'> => ({
    origin: { vendor: 'openai-responses', value: value as JsonObject },
  });
  const use: ToolUseBlock = { type: 'tool-use', id: 'c', name: 'shell', input: '{}' };
  const outcome: ToolResultBlock = { type: 'tool-result', toolUseId: 'c', content: [] };

  it.each(['arguments', 'environment', 'created_by', 'anything'])('counts %s of a call, and of an output', (name) => {
    for (const block of [use, outcome]) {
      const plain = ofBlock({ ...block, ...own({ type: 'shell_call', call_id: 'c', action: {} }) });
      const larger = ofBlock({ ...block, ...own({ type: 'shell_call', call_id: 'c', action: {}, [name]: hundred }) });
      expect(larger.textTokens - plain.textTokens).toBeGreaterThanOrEqual(50);
    }
  });

  it('counts undeclared members of the conversation', () => {
    const member = (path: string[]) => ({ path, isSet: true, bytes: 1_000, units: 1_000 });
    const of = (path: string[]): number =>
      measurePrompt(modelRequest({ undeclared: { vendor: 'anthropic', members: [member(path)] } })).textTokens;
    expect(of(['messages', 'content', 'foo']) - of(['tools', 'foo'])).toBe(500);
  });
});

describe('the measure of texts', () => {
  it.each([
    ['nothing', '', 0],
    ['one byte, rounded up', 'a', 1],
    ['two bytes', 'ab', 1],
    ['three bytes', 'abc', 2],
    ['two bytes a character', 'é', 2],
    ['four bytes a character', '😀', 4],
    ['ASCII among others', 'aé😀b', 7],
    ['half a token more for three bytes a character', '€€', 7],
    ['half of a pair as its replacement character', '\ud83d', 4],
  ])('%s', (_, text, expected) => {
    expect(ofText(text)).toBe(expected);
  });

  it('is the formula, and at most half a token more for each character of three bytes', () => {
    const units = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('a', '\n', 'ß', '€', '漢', '😀', '\ud800') }),
    );
    fc.assert(
      fc.property(units, (text) => {
        const bytes = [...Buffer.from(text)];
        const ascii = bytes.filter((byte) => byte < 0x80).length;
        const exact = Math.ceil(ascii / 2) + bytes.length - ascii;
        // A first byte of 1110xxxx begins a character of three.
        const ofThree = bytes.filter((byte) => byte >> 4 === 0b1110).length;
        expect(ofText(text)).toBeGreaterThanOrEqual(exact);
        expect(ofText(text)).toBeLessThanOrEqual(exact + Math.ceil(ofThree / 2));
      }),
    );
  });

  it('rounds the whole prompt up once', () => {
    const content = Array.from({ length: 10 }, () => ({ type: 'text', text: 'a' }) as const);
    expect(measurePrompt(modelRequest({ messages: [{ role: 'user', content }] })).textTokens).toBe(FRAME_TOKENS + 5);
  });

  it('never falls when a text grows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, more) => {
        expect(ofText(text + more)).toBeGreaterThanOrEqual(ofText(text));
      }),
    );
  });
});

describe('the measure of blocks', () => {
  it.each<[string, ContentBlock, Partial<MeasuredPrompt>]>([
    ['text', { type: 'text', text: hundred }, { textTokens: 114 }],
    ['citations as JSON', { type: 'text', text: '', citations: ['12345678'] }, { textTokens: 70 }],
    ['thinking and its signature', { type: 'thinking', thinking: hundred, signature: hundred }, { textTokens: 164 }],
    ['redacted thinking', { type: 'redacted-thinking', data: hundred }, { textTokens: 114 }],
    [
      'a call with arguments in text',
      { type: 'tool-use', id: 'id', name: 'name', input: hundred },
      { textTokens: 117 },
    ],
    ['a call with arguments', { type: 'tool-use', id: 'id', name: 'name', input: { a: ['b'] } }, { textTokens: 73 }],
    ['a call without arguments', { type: 'tool-use', id: 'id', name: 'name', input: undefined }, { textTokens: 67 }],
    [
      'a result of texts, images and references',
      {
        type: 'tool-result',
        toolUseId: 'id',
        content: [
          { type: 'text', text: hundred },
          { type: 'image', source: base64('image/png') },
          { type: 'tool-reference', toolName: 'name' },
          { type: 'search-result', source: 'ab', title: 'cd', content: [{ type: 'text', text: hundred }] },
        ],
      },
      { textTokens: 169, images: 1 },
    ],
    [
      'a text document',
      { type: 'document', title: 'ab', context: 'cd', source: { type: 'text', text: hundred } },
      { textTokens: 116 },
    ],
    [
      'a document of blocks',
      {
        type: 'document',
        source: {
          type: 'blocks',
          blocks: [
            { type: 'text', text: hundred },
            { type: 'image', source: base64('image/png') },
          ],
        },
      },
      { textTokens: 114, images: 1 },
    ],
    ['an image, not its bytes', { type: 'image', source: base64('image/png') }, { images: 1 }],
    ['an image by address', { type: 'image', source: address }, { images: 1 }],
    ['a PDF, not its bytes', { type: 'document', source: base64('application/pdf') }, { documents: 1 }],
    ['another file', { type: 'document', source: base64('application/epub+zip') }, { fillsContext: true }],
    ['a document by address', { type: 'document', source: address }, { fillsContext: true }],
    [
      'a document stored elsewhere',
      { type: 'document', source: { type: 'file', fileId: 'f' } },
      { fillsContext: true },
    ],
    ['audio', { type: 'audio', format: 'wav', data: 'AAAA' }, { fillsContext: true }],
    ['video', { type: 'video', source: base64('video/mp4') }, { fillsContext: true }],
    [
      "a vendor's own block",
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'container_upload' } } },
      { fillsContext: true },
    ],
  ])('counts %s', (_, block, expected) => {
    expect(ofBlock(block)).toEqual({ ...FRAME, ...expected });
  });

  it('frames each message, and the system prompt as one', () => {
    const message = { role: 'user', content: [] } as const;
    const system = [
      { type: 'text', text: '' },
      { type: 'text', text: '' },
    ] as const;
    expect(measurePrompt(modelRequest({}))).toEqual(NOTHING);
    expect(measurePrompt(modelRequest({ messages: [message, message] })).textTokens).toBe(2 * FRAME_TOKENS);
    expect(measurePrompt(modelRequest({ system, messages: [message] })).textTokens).toBe(2 * FRAME_TOKENS);
  });
});

describe('the measure of media', () => {
  const image = (bytes: Buffer, detail?: string): ContentBlock => ({
    type: 'image',
    source: { type: 'base64', mediaType: 'image/png', data: bytes.toString('base64') },
    ...(detail !== undefined && { detail }),
  });
  const PDF: ContentBlock = { type: 'document', source: base64('application/pdf') };

  it('finds the size of each image, at any depth and under any media type', () => {
    const content = [image(png(3, 4)), image(jpeg(5, 6), 'low')] as never;
    const blocks = [
      image(gif(7, 8)),
      { type: 'tool-result', toolUseId: '', content } as const,
      image(Buffer.from('no')),
    ];
    expect(measurePrompt(modelRequest({ messages: [{ role: 'user', content: blocks }] }))).toEqual({
      ...FRAME,
      images: 4,
      imageSizes: [
        { width: 7, height: 8 },
        { width: 3, height: 4 },
        { width: 5, height: 6, detail: 'low' },
      ],
    });
  });

  it('lists the PDFs that it counts', () => {
    const content = [PDF, { type: 'tool-result', toolUseId: '', content: [PDF] }, { type: 'text', text: 'x' }] as never;
    const one = modelRequest({
      messages: [
        { role: 'user', content },
        { role: 'user', content: [PDF] },
      ],
    });
    expect(listPdfs(one)).toHaveLength(measurePrompt(one).documents);
    expect(listPdfs(one)).toEqual(Array(3).fill('A'.repeat(10_000)));
  });

  it('keeps the sizes of those PDFs that could be counted', () => {
    const size = { pages: 3, textBytes: 4 };
    expect(withPdfSizes({ ...NOTHING, documents: 2 }, [undefined, size])).toEqual({
      ...NOTHING,
      documents: 2,
      pdfSizes: [size],
    });
  });
});

describe('the requested cache lifetime', () => {
  const text = { type: 'text', text: '' } as const;
  const marked = { ...text, cacheMarker: {} };
  const hour = { ...text, cacheMarker: { ttl: '1h' } } as const;
  const user = (...content: readonly ContentBlock[]): Partial<ModelRequest> => ({
    messages: [{ role: 'user', content }],
  });
  const opaque = (value: JsonObject): ContentBlock => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } });

  it.each<[string, Partial<ModelRequest>, '5m' | '1h' | undefined]>([
    ['nothing', user(text), undefined],
    ['a block', user(marked), '5m'],
    ['a block, for an hour', user(hour), '1h'],
    ['several, the longest of them', user(marked, hour, marked), '1h'],
    ['a block of the system prompt', { system: [marked] }, '5m'],
    ['a block of a result', user({ type: 'tool-result', toolUseId: '', content: [marked] }), '5m'],
    ['the last block, whichever it is', { cacheMarker: { ttl: '5m' } }, '5m'],
    ['a tool', { tools: [{ type: 'function', name: 'f', inputSchema: {}, cacheMarker: {} }] }, '5m'],
    [
      "a vendor's tool",
      { tools: [{ type: 'vendor', opaque: { vendor: 'anthropic', value: { cache_control: { ttl: '1h' } } } }] },
      '1h',
    ],
    ["a vendor's block", user(opaque({ cache_control: { type: 'ephemeral' } })), '5m'],
    ["a vendor's block without a marker", user(opaque({ cache_control: null })), undefined],
  ])('%s', (_, parts, cacheWrites) => {
    expect(measurePrompt(modelRequest(parts)).cacheWrites).toBe(cacheWrites);
  });
});

describe('the measure of tools', () => {
  const vendor = (value: { readonly [key: string]: string | number }): Tool => ({
    type: 'vendor',
    opaque: { vendor: 'anthropic', value },
  });
  const jsonTokens = (value: unknown): number => FRAME_TOKENS + Math.ceil(JSON.stringify(value).length / 2);

  it('counts name, description and schema of a tool', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const tool = { type: 'function', name: 'f', description: hundred, inputSchema } as const;
    expect(ofTool(tool)).toEqual({ ...FRAME, textTokens: jsonTokens(['f', hundred, inputSchema]) });
  });

  it('counts every digit of a number that is sent as it was written', () => {
    const value = parseJson(`{"name":"f","maximum":${'1'.repeat(10_000)}}`) as JsonObject;
    const tool = { type: 'function', name: 'f', inputSchema: {}, origin: { vendor: 'anthropic', value } } as const;
    expect(ofTool(tool).textTokens).toBe(FRAME_TOKENS + (10_000 + '{"name":"f","maximum":}'.length + 1) / 2);
  });

  it('counts a tool in its original form, where that is known', () => {
    const value = { name: 'f', input_schema: {}, input_examples: [{ a: hundred }] };
    const tool = { type: 'function', name: 'f', inputSchema: {}, origin: { vendor: 'anthropic', value } } as const;
    expect(ofTool(tool)).toEqual({ ...FRAME, textTokens: jsonTokens(value) });
  });

  it('counts a tool that the gateway runs', () => {
    const tool = { type: 'service', id: 'openrouter:datetime', parameters: { timezone: 'UTC' } } as const;
    expect(ofTool(tool)).toEqual({ ...FRAME, textTokens: jsonTokens([tool.id, tool.parameters]) });
  });

  it.each(['bash_20250124', 'text_editor_20250728', 'computer_20250124', 'memory_20250818', 'custom'])(
    'counts %s, which the caller runs, by its bytes',
    (type) => {
      expect(ofTool(vendor({ type }))).toEqual({ ...FRAME, textTokens: jsonTokens({ type }) });
    },
  );

  it.each<[string, number | undefined, number]>([
    ['web_search_20250305', undefined, 30],
    ['web_search_20260209', 5, 5],
    ['web_search_20250305', 0, 0],
    ['web_search_20250305', -3, 0],
    ['web_search_20250305', 1.5, 2],
    ['web_search_20250305', 1e300, 1_000],
    ['web_search_preview', undefined, 30],
    ['web_fetch_20250910', 5, 0],
    ['code_execution_20250825', undefined, 0],
    ['mcp_toolset', undefined, 0],
    ['tool_of_next_year', undefined, 0],
    ['xbash_20250124', undefined, 0],
  ])('lets %s, at most %p times, fill the context', (type, max_uses, webSearches) => {
    const tool = vendor({ type, ...(max_uses !== undefined && { max_uses }) });
    expect(ofTool(tool)).toMatchObject({ fillsContext: true, webSearches });
  });

  it('adds the searches of several tools', () => {
    const tools = [vendor({ type: 'web_search_20250305', max_uses: 2 }), vendor({ type: 'web_search_20250305' })];
    expect(measurePrompt(modelRequest({ tools })).webSearches).toBe(32);
  });
});

describe('the measure of other fields', () => {
  it.each<[string, Partial<ModelRequest>, number]>([
    ['the schema of the answer', { outputFormat: { type: 'json-schema', schema: { type: 'object' } } }, 73],
    ['no schema', { outputFormat: { type: 'json-object' } }, 0],
    [
      'instructions of context management',
      { contextManagement: { vendor: 'anthropic', value: { instructions: hundred } } },
      60,
    ],
    ['undeclared fields', { extras: { vendor: 'anthropic', value: { hint: hundred } } }, 56],
  ])('counts %s', (_, parts, textTokens) => {
    expect(measurePrompt(modelRequest(parts))).toEqual({ ...NOTHING, textTokens });
  });

  it.each([
    ['mcp_servers', [], true, 0],
    ['container', 'c', true, 0],
    ['container', null, false, 0],
    ['web_search_options', {}, true, 30],
    ['search_parameters', { mode: 'auto' }, true, 30],
    ['enable_search', true, true, 30],
    ['enable_search', false, false, 0],
    ['toString', 'x', false, 0],
  ])('treats the field %s of %j as tools of the vendor: %p', (field, value, fillsContext, webSearches) => {
    const extras = { vendor: 'openai', value: { [field]: value } } as const;
    expect(measurePrompt(modelRequest({ extras }))).toMatchObject({ fillsContext, webSearches });
  });

  it('keeps the output limit of the caller', () => {
    expect(measurePrompt(modelRequest({ maxOutputTokens: 5 })).maxOutputTokens).toBe(5);
    expect(measurePrompt(modelRequest({}))).not.toHaveProperty('maxOutputTokens');
  });
});

/** The time the engine takes to write the text as UTF-8, best of a few. */
const encodeMilliseconds = (text: string): number =>
  Math.min(...Array.from({ length: 5 }, () => computedMs(() => Buffer.from(text))));

describe('the speed of measuring', () => {
  const TEN_MEGABYTES = 10_000_000;
  const MILLISECONDS_MAX = 15;

  it.each([
    ['ASCII', 'the quick brown fox '],
    ['two bytes a character here and there', 'die schöne Müllerin '],
    ['three bytes a character', '漢字仮名'],
    ['four bytes a character', '😀'],
  ])('measures ten megabytes of %s within the time limit', async (name, piece) => {
    // Through JSON, so that it is one flat string, like those of bodies.
    const text = JSON.parse(JSON.stringify(piece.repeat(TEN_MEGABYTES / Buffer.byteLength(piece)))) as string;
    const prompt = modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
    // The engine's own passes over the text differ by machine; the formula must not take much longer than one of them.
    const boundMs = Math.max(MILLISECONDS_MAX, 8 * encodeMilliseconds(text));
    // The first runs are slower: the code is compiled meanwhile.
    const some = (): number =>
      Math.min(...Array.from({ length: 5 }, () => computedMs(() => void measurePrompt(prompt))));
    const best = await fastest(some, boundMs);
    process.stdout.write(`measuring ten megabytes, ${name}: ${best.toFixed(1)} ms\n`);
    expect(best).toBeLessThan(boundMs);
  });
});

describe('calls beside the answering one', () => {
  const LARGE = model('a/large', []);
  const advisor = (fields: JsonObject): Tool => ({
    type: 'vendor',
    opaque: { vendor: 'anthropic', value: { type: 'advisor_20260301', model: 'large-1', ...fields } },
    advisor: LARGE,
  });

  it.each<[JsonObject, object]>([
    [{ max_uses: 2 }, { uses: 2 }],
    [
      { max_uses: 2, max_tokens: 2_048 },
      { uses: 2, maxOutputTokens: 2_048 },
    ],
    [{}, { uses: 3 }],
    [{ max_uses: 1e9 }, { uses: 1_000 }],
  ])('measures an advisor of %j', (fields, expected) => {
    const { advisors, fillsContext } = ofTool(advisor(fields));
    expect(advisors).toEqual([{ model: LARGE, ...expected }]);
    expect(fillsContext).toBe(true);
  });

  it.each<[JsonObject, true | undefined]>([
    [{ edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] }, true],
    [{ edits: [{ type: 'clear_tool_uses_20250919' }] }, undefined],
    [{ edits: 'compact' }, undefined],
    [{}, undefined],
  ])('detects whether %j may compact the conversation', (value, compacts) => {
    expect(measurePrompt(modelRequest({ contextManagement: { vendor: 'anthropic', value } })).compacts).toBe(compacts);
  });
});
