// An advisor is sent the conversation as text, and its advice or its failure is returned to the model.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, model } from '../../../test/support/route-inputs.js';
import type { ModelEvent, UnifiedStop } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import type { GatewayRunTool } from '../../core/tool.js';
import { advisor } from './advisor.js';

const WISE = model('wise/one', []);
const offer = (type: string, parameters: JsonObject): GatewayRunTool =>
  advisor.offer(
    { type, parameters, path: 'tools.2' },
    {
      catalog: catalogOf(),
      modelOf: (name, path) => {
        if (name === 'wise/one') return WISE;
        throw new GatewayError('invalid-request', path);
      },
    },
  ) as GatewayRunTool;

async function* replying(text: string, unified: UnifiedStop = 'end-turn'): AsyncGenerator<readonly ModelEvent[]> {
  yield await Promise.resolve<ModelEvent[]>([
    { type: 'reply-start' },
    { type: 'block-start', index: 0, block: { type: 'text' } },
    { type: 'block-delta', index: 0, delta: { type: 'text', text } },
    { type: 'block-end', index: 0 },
    { type: 'usage', usage: {} },
    { type: 'reply-end', stop: { unified, raw: null, vendor: 'openai' } },
  ]);
}

const CONVERSATION = modelRequest({
  system: [{ type: 'text', text: 'Be kind.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'x'.repeat(500_000) }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'secret' },
        { type: 'tool-use', id: 'a', name: 'look', input: { at: 'it' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool-result', toolUseId: 'a', isError: true, content: [{ type: 'text', text: 'gone' }] }],
    },
  ],
});

const textsOf = (request: ModelRequest | undefined): string[] =>
  request!.messages[0]!.content.map((block) => (block.type === 'text' ? block.text : ''));

/** One consultation, with the request to its model. */
async function consult(type: string, parameters: JsonObject, input: JsonObject, request = TALK) {
  let sent: ModelRequest | undefined;
  const context = extensionContext({
    request,
    infer: (consulted) => {
      sent = consulted;
      return Promise.resolve(replying('So.'));
    },
  });
  const result = await offer(type, parameters).run(input, { context, number: 1 });
  return { sent, result };
}

const TALK = modelRequest({
  model: 'small/one',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'One.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] },
  ],
});

it('sends the latest part of the conversation, and the question', async () => {
  let sent: ModelRequest | undefined;
  const context = extensionContext({
    request: CONVERSATION,
    infer: (request, kind) => {
      sent = request;
      expect(kind).toBe('advisor');
      return Promise.resolve(replying('Look again.'));
    },
  });
  const tool = offer('advisor_20260301', { model: 'wise/one', max_tokens: 99 });
  const result = await tool.run({ question: 'What now?' }, { context, number: 1 });
  expect(result).toMatchObject({
    text: 'Look again.',
    content: { type: 'advisor_result', text: 'Look again.' },
    isError: false,
  });
  expect(advisor.recall(result.content, () => undefined)).toBe('Look again.');
  expect(sent).toMatchObject({ model: 'wise/one', maxOutputTokens: 99, tools: [] });
  const shown = textsOf(sent).join('');
  expect(shown).toContain('[Calls the tool look with {"at":"it"}]');
  expect(shown).toContain('[The tool answers with an error: gone]');
  expect(shown).toMatch(/^<system>\nBe kind\..*The question: What now\?$/s);
  expect(shown).not.toContain('secret');
  expect(shown.length).toBeLessThan(420_000);
});

it.each([
  ['rate-limited', 'too_many_requests'],
  ['payment-required', 'unavailable'],
] as const)('reports a model that is %s', async (kind, code) => {
  const context = extensionContext({ request: TALK, infer: () => Promise.reject(new GatewayError(kind, 'no')) });
  const result = await offer('openrouter:advisor', { model: 'wise/one' }).run({}, { context, number: 1 });
  expect(result).toMatchObject({ isError: true, content: { error_code: code } });
});

it.each<[string, string, UnifiedStop | undefined]>([
  ['refuses', 'I would rather not.', 'refusal'],
  ['is kept from it by a filter', '', 'content-filter'],
  ['returns no text', ' ', undefined],
])('gives no advice where its model %s', async (_, reply, stop) => {
  const context = extensionContext({ request: TALK, infer: () => Promise.resolve(replying(reply, stop)) });
  const result = await offer('openrouter:advisor', { model: 'wise/one' }).run({}, { context, number: 1 });
  expect(result).toMatchObject({ isError: true, content: { error_code: 'unavailable' } });
});

it.each([
  ['advisor_20260301', 'tools.2.model'],
  ['openrouter:advisor', 'tools.2.parameters.model'],
])('names where %s names its model', (type, path) => {
  expect(() => offer(type, { model: 'nobody' })).toThrow(path);
});

it.each(['5m', '1h'] as const)('puts a cache marker of %s after the shared prefix', async (ttl) => {
  const parameters = { model: 'wise/one', caching: { type: 'ephemeral', ttl } };
  const { sent } = await consult('advisor_20260301', parameters, { question: 'Why?' });
  const content = sent!.messages[0]!.content;
  expect(content.map(({ cacheMarker }) => cacheMarker)).toEqual([undefined, { ttl }, undefined]);
  const more = { ...TALK, messages: [...TALK.messages, { role: 'user' as const, content: [] }] };
  const later = await consult('advisor_20260301', parameters, {}, more);
  expect(textsOf(later.sent).slice(0, 2)).toEqual(textsOf(sent).slice(0, 2));
  expect((await consult('advisor_20260301', { model: 'wise/one', caching: null }, {})).sent).not.toHaveProperty(
    'messages.0.content.1.cacheMarker',
  );
});

it('applies its settings', async () => {
  const { sent } = await consult(
    'openrouter:advisor',
    {
      model: 'wise/one',
      instructions: 'Be brief.',
      max_completion_tokens: 7,
      temperature: 0.5,
      reasoning: { effort: 'low', max_tokens: 1_024 },
    },
    {},
  );
  expect(sent).toMatchObject({
    model: 'wise/one',
    system: [{ text: 'Be brief.' }],
    maxOutputTokens: 7,
    sampling: { temperature: 0.5 },
    effort: 'low',
    thinking: { type: 'enabled', budgetTokens: 1_024 },
  });
});

it('consults the answering model where none is named', async () => {
  expect((await consult('openrouter:advisor', {}, {})).sent!.model).toBe('small/one');
});

it('sends only the question where the conversation is not to be forwarded', async () => {
  const parameters = { forward_transcript: false };
  const { sent } = await consult('openrouter:advisor', parameters, { question: 'Why?' });
  expect(textsOf(sent)).toEqual(['The question: Why?']);
  expect(offer('openrouter:advisor', parameters).asFunction.inputSchema).toMatchObject({ required: ['question'] });
  const { result } = await consult('openrouter:advisor', parameters, { question: '' });
  expect(result).toMatchObject({ isError: true, content: { error_code: 'invalid_tool_input' } });
});

it('is described by its name, and limits its uses', () => {
  const { asFunction, usesMax } = offer('openrouter:advisor', { name: ' reviewer ', max_uses: 0 });
  expect(asFunction.description).toContain('This adviser is called reviewer.');
  expect(usesMax).toBe(0);
  expect(offer('openrouter:advisor', {}).usesMax).toBe(Infinity);
});

it('uses the same two schemas for all arguments: the validator caches each of them for ever', () => {
  const schemaOf = (parameters: JsonObject) => offer('openrouter:advisor', parameters).asFunction.inputSchema;
  expect(schemaOf({ name: 'one' })).toBe(schemaOf({ name: 'other' }));
  expect(schemaOf({ name: 'one', forward_transcript: false })).toBe(schemaOf({ forward_transcript: false }));
});

it('leaves tokens for reasoning besides the advice by default', async () => {
  const outputTokensFor = async (parameters: JsonObject) =>
    (await consult('openrouter:advisor', parameters, {})).sent!.maxOutputTokens;
  expect(await outputTokensFor({})).toBe(2_048);
  expect(await outputTokensFor({ reasoning: { max_tokens: 4_000 } })).toBe(6_048);
  expect(await outputTokensFor({ reasoning: { max_tokens: 4_000 }, max_tokens: 5_000 })).toBe(5_000);
});

it.each<[JsonObject, string, readonly string[]]>([
  [{ model: 'wise/one' }, 'wise/one', ['<user>\nOne.\n</user>\n\n', '<assistant>\nTwo.\n</assistant>\n\n']],
  [{ forward_transcript: false }, 'small/one', []],
])('plans the model and the text of its call: %j', (parameters, named, words) => {
  const planned = offer('openrouter:advisor', parameters).consults?.(TALK);
  expect(planned).toMatchObject({ model: named, tools: [] });
  expect(textsOf(planned)).toEqual(words);
  expect(planned).toMatchObject({ maxOutputTokens: 2_048, system: [{ type: 'text' }] });
});
