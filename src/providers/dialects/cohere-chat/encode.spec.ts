// Goal: the right body reaches Cohere. Method: encode a neutral request, read the body back; tables for fields and
// rules of docs/use/translation/cohere-chat.md.
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ContentBlock, Message, ThinkingBlock, ToolResultContent } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Tool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { cohereChat } from './dialect.js';

function target(supportedParameters: readonly string[] = []): Target {
  const one = endpoint('cohere', { supportedParameters, upstreamModel: 'command-x' });
  const definition = { slug: 'cohere', credential: 'bearer', quirks: {} } as const;
  return { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
}

const text = (value: string): ContentBlock & { type: 'text' } => ({ type: 'text', text: value });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const call = (id: string, input: JsonObject | string = {}): ContentBlock => ({
  type: 'tool-use',
  id,
  name: 'f',
  input,
});
const result = (id: string, ...content: ToolResultContent[]): ContentBlock & { type: 'tool-result' } => ({
  type: 'tool-result',
  toolUseId: id,
  content,
});
const tool = (name: string, more: Partial<Tool> = {}): Tool =>
  ({ type: 'function', name, inputSchema: { properties: {} }, ...more }) as Tool;

const request = (parts: Partial<ModelRequest>): ModelRequest =>
  modelRequest({ messages: [user(text('Hi'))], ...parts });
const bodyOf = (parts: Partial<ModelRequest>, where = target()): JsonObject =>
  JSON.parse(printJson(doAtOnce(cohereChat.encode(request(parts), where, new Map())).body)) as JsonObject;
const messagesOf = (messages: readonly Message[], where = target()): unknown => bodyOf({ messages }, where)['messages'];

function refusalOf(parts: Partial<ModelRequest>): string {
  try {
    bodyOf(parts);
  } catch (error) {
    if (error instanceof Untranslatable) return error.message;
    throw error;
  }
  return 'was carried';
}

it('goes to the path of the vendor, streamed where requested', () => {
  for (const stream of [true, false]) {
    const { path, headers, body, ...rest } = doAtOnce(cohereChat.encode(request({ stream }), target(), new Map()));
    expect([path, rest.stream, (body as JsonObject)['stream']]).toEqual(['/v2/chat', stream, stream]);
    expect(headers['accept']).toBe(stream ? 'text/event-stream' : 'application/json');
  }
});

describe('fields', () => {
  it('are sent by the vendor’s names, and within its bounds', () => {
    const sampling = { temperature: 0.3, topP: 1, topK: 900, frequencyPenalty: -1, presencePenalty: 2, seed: 7, logprobs: true }; // oxfmt-ignore
    expect(bodyOf({ sampling, maxOutputTokens: 50, stopSequences: ['a', 'b', 'c', 'd', 'e'] })).toEqual({
      stream: false,
      model: 'command-x',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 50,
      temperature: 0.3,
      p: 0.99,
      k: 500,
      frequency_penalty: 0,
      presence_penalty: 1,
      seed: 7,
      stop_sequences: ['a', 'b', 'c', 'd', 'e'],
      logprobs: true,
    });
  });

  it('cannot have a sixth stop sequence', () => {
    expect(refusalOf({ stopSequences: [...'abcdef'] })).toContain('stop_sequences: has 6 entries');
  });

  it.each<[string, Partial<ModelRequest>, unknown]>([
    ['a budget', { thinking: { type: 'enabled', budgetTokens: 2000 } }, { type: 'enabled', token_budget: 2000 }],
    ['no reasoning', { thinking: { type: 'disabled' }, effort: 'high' }, { type: 'disabled' }],
    ['reasoning as the model likes', { thinking: { type: 'adaptive' } }, { type: 'enabled' }],
    ['an effort', { effort: 'low' }, { type: 'enabled' }],
    ['the effort none', { effort: 'none' }, { type: 'disabled' }],
    ['nothing', {}, undefined],
  ])('requests %s', (_, parts, thinking) => {
    expect(bodyOf(parts)['thinking']).toEqual(thinking);
    expect(bodyOf(parts, target(['tools']))['thinking']).toBeUndefined();
  });

  it('requests JSON, of a schema where there is one', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'] };
    expect(bodyOf({ outputFormat: { type: 'json-object' } })['response_format']).toEqual({ type: 'json_object' });
    expect(
      bodyOf({ outputFormat: { type: 'json-schema', schema, name: 'n', strict: true } })['response_format'],
    ).toEqual({ type: 'json_object', json_schema: schema });
  });

  it('beside tools, are instructions where they have a schema', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'] };
    const body = bodyOf({ tools: [tool('f')], outputFormat: { type: 'json-schema', schema } });
    expect(body).not.toHaveProperty('response_format');
    expect(JSON.stringify(body['messages'])).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
    expect(bodyOf({ tools: [tool('f')], outputFormat: { type: 'json-object' } })).not.toHaveProperty('response_format');
  });

  it('of the vendor’s own go unchanged, and do not override what is modelled', () => {
    const value = { safety_mode: 'STRICT', model: 'other', stream: true };
    expect(bodyOf({ extras: { vendor: 'cohere', value } })).toMatchObject({ safety_mode: 'STRICT', model: 'command-x', stream: false }); // oxfmt-ignore
    expect(bodyOf({ extras: { vendor: 'openai', value } })).not.toHaveProperty('safety_mode');
  });
});

describe('tools', () => {
  const tools = [tool('f', { description: 'does' }), tool('g')];
  const wire = (name: string, more = {}): unknown => ({
    type: 'function',
    function: { name, ...more, parameters: { type: 'object', properties: {} } },
  });

  it.each<[string, ModelRequest['toolChoice'], unknown, unknown[]]>([
    ['no choice', undefined, undefined, [wire('f', { description: 'does' }), wire('g')]],
    ['the model’s own', { type: 'auto' }, undefined, [wire('f', { description: 'does' }), wire('g')]],
    ['any', { type: 'any' }, 'REQUIRED', [wire('f', { description: 'does' }), wire('g')]],
    ['none', { type: 'none' }, 'NONE', [wire('f', { description: 'does' }), wire('g')]],
    ['one by name', { type: 'tool', name: 'g' }, 'REQUIRED', [wire('g')]],
  ])('with %s', (_, toolChoice, word, sent) => {
    expect(bodyOf({ tools, ...(toolChoice && { toolChoice }) })).toMatchObject({ tools: sent });
    expect(bodyOf({ tools, ...(toolChoice && { toolChoice }) })['tool_choice']).toEqual(word);
  });

  it('are strict where each of them is', () => {
    expect(bodyOf({ tools: [tool('f', { strict: true })] })['strict_tools']).toBe(true);
    expect(bodyOf({ tools: [tool('f', { strict: true }), tool('g')] })['strict_tools']).toBeUndefined();
  });

  it('of which the chosen one is missing are refused', () => {
    expect(refusalOf({ tools, toolChoice: { type: 'tool', name: 'h' } })).toContain('tool_choice');
  });
});

describe('an assistant turn', () => {
  const own: ThinkingBlock = {
    type: 'thinking',
    thinking: 'T',
    mark: { format: 'cohere-chat-v2', provider: 'cohere' },
  };
  const wireCall = { id: 't', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

  it('sends text before calls as their plan; models that reason take it as thinking', () => {
    const turn = assistant(text('A'), text('B'), call('t', '{"a":1}'));
    expect(messagesOf([turn])).toEqual([{ role: 'assistant', tool_plan: 'AB', tool_calls: [wireCall] }]);
    const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'AB' }], tool_calls: [wireCall] };
    expect(messagesOf([turn], target(['reasoning']))).toEqual([thought]);
  });

  it('takes its own reasoning back', () => {
    const thinking = { type: 'thinking', thinking: 'T' };
    expect(messagesOf([assistant(own, text('A'))])).toEqual([
      { role: 'assistant', content: [thinking, { type: 'text', text: 'A' }] },
    ]);
    expect(messagesOf([assistant(own, text('A'), call('t', '{"a":1}'))])).toEqual([
      { role: 'assistant', content: [thinking, { type: 'thinking', thinking: 'A' }], tool_calls: [wireCall] },
    ]);
  });

  it.each<[string, ContentBlock]>([
    ['of another provider', { ...own, mark: { format: 'cohere-chat-v2', provider: 'other' } }],
    ['of another format', { ...own, mark: { format: 'unknown', provider: 'cohere' } }],
  ])('drops reasoning that is %s', (_, block) => {
    expect(messagesOf([assistant(block, text('A'))])).toEqual([{ role: 'assistant', content: 'A' }]);
  });
});

describe('turns', () => {
  it('keep their order; results follow their calls, and media of results follow the results', () => {
    const image: ToolResultContent = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } };
    const messages = [
      user(text('U')),
      assistant(call('a'), call('b')),
      { role: 'system', content: [text('S')] } as const,
      user({ ...result('a', text('no')), isError: true }, text('more'), result('b', image)),
    ];
    expect(messagesOf(messages)).toEqual([
      { role: 'user', content: 'U' },
      { role: 'assistant', tool_calls: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b' })] },
      { role: 'tool', tool_call_id: 'a', content: 'Error: no' },
      { role: 'tool', tool_call_id: 'b', content: '[Attachment 1 of tool result b: see the next user message]' },
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Attachment 1 of tool result b]' },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
          { type: 'text', text: 'more' },
        ],
      },
    ]);
  });
});

describe('documents', () => {
  const note: ContentBlock & { type: 'document' } = {
    type: 'document',
    source: { type: 'text', text: 'D' },
    title: 'Note',
    wantsCitations: true,
  };
  const found: ContentBlock = { type: 'search-result', source: 'https://x.test/', title: 'X', content: [text('a'), text('b')], wantsCitations: true }; // oxfmt-ignore

  it('that are to be cited are beside the messages', () => {
    expect(bodyOf({ messages: [user(note, found, text('Which?'))] })).toMatchObject({
      messages: [{ role: 'user', content: 'Which?' }],
      documents: [
        { id: 'doc_0', data: { title: 'Note', text: 'D' } },
        { id: 'doc_1', data: { title: 'X', url: 'https://x.test/', text: 'a\n\nb' } },
      ],
    });
    expect(messagesOf([user(note)])).toEqual([{ role: 'user', content: '[See the documents.]' }]);
  });

  it('are sent as text where no citations are requested, and beside tools or a response format', () => {
    const words = [{ role: 'user', content: 'Document: Note\n\nD' }];
    expect(messagesOf([user({ ...note, wantsCitations: false })])).toEqual(words);
    for (const beside of [{ tools: [tool('f')] }, { outputFormat: { type: 'json-object' } }] as const) {
      const body = bodyOf({ messages: [user(note)], ...beside });
      expect([body['messages'], body['documents']]).toEqual([words, undefined]);
    }
  });
});
