/**
 * A tool in a wrong form is a 400 that shows the right one, on every face; known forms pass. Bodies with one tool, read
 * as their routes read them.
 */
import 'reflect-metadata';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import { GatewayError } from '../../src/core/errors.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { CreateResponseDto } from '../../src/faces/responses/create-response.dto.js';
import { readRequest as readResponses } from '../../src/faces/responses/read-request.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';

const BODY = { model: 'a/b', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
const HEADERS = { betas: [] };

type Face = 'messages' | 'chat' | 'responses';
const READERS: Readonly<Record<Face, (body: JsonBody) => unknown>> = {
  messages: (body) => readMessages(readBody(body, CreateMessageDto), HEADERS),
  chat: (body) => readChat(readBody(body, CreateChatDto), HEADERS),
  responses: ({ messages, max_tokens: _most, ...body }: JsonBody) =>
    readResponses(readBody({ ...body, input: messages }, CreateResponseDto), HEADERS),
};
const FACES: readonly Face[] = ['messages', 'chat', 'responses'];

/** The message of the refusal of a body; undefined where it is accepted. */
function refusal(face: Face, fields: object): string | undefined {
  try {
    READERS[face]({ ...BODY, ...fields });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).kind).toBe('invalid-request');
    return (error as GatewayError).message;
  }
}
const refusalOf = (face: Face, tool: object): string | undefined => refusal(face, { tools: [tool] });

const CHAT_FORM =
  'chat completions have {"type": "function", "function": {"name": …, "description": …, "parameters": {"type": "object", …}}}';
const MESSAGES_FORM =
  'tools.0: is a tool of chat completions; the Messages format has {"name": …, "description": …, "input_schema": {"type": "object", …}}';

describe.each(FACES)('a tool of the gateway on %s', (face) => {
  it.each([
    [{ type: 'openrouter:web_search', max_results: 3 }, 'max_results', 'openrouter:web_search'],
    [{ type: 'openrouter:web_fetch', parameters: {}, max_uses: 1 }, 'max_uses', 'openrouter:web_fetch'],
    [{ type: 'openrouter:datetime', timezone: 'UTC' }, 'timezone', 'openrouter:datetime'],
    [{ type: 'openrouter:image_generation', quality: 'high' }, 'quality', 'openrouter:image_generation'],
    [{ type: 'openrouter:unheard_of', anything: 1 }, 'anything', 'openrouter:unheard_of'],
  ])('has its options in parameters: %j', (tool, name, type) => {
    expect(refusalOf(face, tool)).toBe(
      `tools.0.${name}: is not a known field; options stand in parameters: {"type": "${type}", "parameters": {"${name}": …}}`,
    );
  });

  it.each([
    ['openrouter:web_serach', 'openrouter:web_search'],
    ['openrouter:websearch', 'openrouter:web_search'],
    ['openrouter:date_time', 'openrouter:datetime'],
    ['openrouter:bsh', 'openrouter:bash'],
  ])('is suggested where its type is mistyped: %s', (type, meant) => {
    expect(refusalOf(face, { type })).toBe(`tools.0.type: is not a known type; did you mean ${meant}?`);
  });

  it.each([
    ['openrouter:web_search', { max_result: 3 }, 'max_result: is not a known field; did you mean max_results?'],
    ['openrouter:web_search', { allowed_domain: ['a.example'] }, 'allowed_domain: is not a known field; did you mean allowed_domains?'],
    ['openrouter:web_fetch', { max_use: null }, 'max_use: is not a known field; did you mean max_uses?'],
    ['openrouter:datetime', { timeZone: 'UTC' }, 'timeZone: is not a known field; did you mean timezone?'],
    ['openrouter:datetime', { owl: 1 }, 'owl: is not a known field; the known ones are timezone'],
    ['openrouter:bash', { engin: 'openrouter' }, 'engin: is not a known field; did you mean engine?'],
    ['openrouter:advisor', { max_token: 5 }, 'max_token: is not a known field; did you mean max_tokens?'],
    ['openrouter:experimental__search_models', { results: 5 }, 'results: is not a known field; did you mean max_results?'],
  ])('has no other parameters: %s %j', (type, parameters, message) => {
    expect(refusalOf(face, { type, parameters })).toBe(`tools.0.parameters.${message}`);
  }); // oxfmt-ignore

  it.each([
    ['openroute:web_search', 'openrouter:web_search'],
    ['open_router:datetime', 'openrouter:datetime'],
    ['fairlead:web_search', 'openrouter:web_search'],
    ['fairlead:datetime', 'openrouter:datetime'],
    ['fairlead_bash', 'openrouter:bash'],
    ['fairlead:websearch', 'openrouter:web_search'],
    ['fairlead:image_generation', 'openrouter:image_generation'],
    ['fairlead:experimental__search_models', 'openrouter:experimental__search_models'],
    ['or:web_fetch', 'openrouter:web_fetch'],
    ['open-router.web_fetch', 'openrouter:web_fetch'],
    ['openrouter/web_search', 'openrouter:web_search'],
    ['OpenRouter:web_search', 'openrouter:web_search'],
    [' openrouter:web_search', 'openrouter:web_search'],
    ['openrouter_web_search', 'openrouter:web_search'],
  ])('is named where its prefix is mistyped: %s', (type, meant) => {
    expect(refusalOf(face, { type })).toContain(`did you mean ${meant}?`);
  });

  it.each([
    { type: 'openrouter:image_generation', parameters: { quality: 'high', owl: 1 } },
    {
      type: 'openrouter:web_search',
      parameters: { engine: 'exa', allowed_domains: ['a.example'], excluded_domains: ['b.example'], mode: 'deep' },
    },
    { type: 'openrouter:unheard_of', parameters: { owl: 1 } },
    { type: 'openrouter:web_search' },
    { type: 'openrouter:web_search', parameters: { max_results: 3 }, cache_control: { type: 'ephemeral' } },
    { type: 'openrouter:subagent' },
    { type: 'openrouter:files' },
    { type: 'openrouter:unheard_of' },
  ])('passes as %j', (tool) => {
    expect(refusalOf(face, tool)).toBeUndefined();
  });
});

describe('the other face’s form', () => {
  const flat = { type: 'function', name: 'look', parameters: { type: 'object' } };
  const ofChat = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
  const ofMessages = { name: 'look', input_schema: { type: 'object' } };

  it.each([
    ['messages', ofChat, MESSAGES_FORM],
    ['messages', flat, MESSAGES_FORM],
    ['messages', { ...ofChat, type: 'functon' }, MESSAGES_FORM],
    ['messages', { ...flat, type: 'functions' }, MESSAGES_FORM],
    ['messages', { ...ofChat, type: 'tool' }, MESSAGES_FORM],
    ['chat', ofMessages, `tools.0: is a tool of the Messages format; ${CHAT_FORM}`],
    ['chat', { type: 'custom', ...ofMessages }, `tools.0: is a tool of the Messages format; ${CHAT_FORM}`],
    ['chat', flat, `tools.0: is a tool of the responses format; ${CHAT_FORM}`],
    ['chat', ofChat, undefined],
    ['messages', ofMessages, undefined],
    ['messages', { type: 'custom', ...ofMessages }, undefined],
  ] as const)('on %s: %j', (face, tool, message) => {
    expect(refusalOf(face, tool)).toBe(message);
  });

  it.each(['auto', 'any', 'none', 'tool'])('of a choice is read on chat: %s', (type) => {
    expect(refusal('chat', { tools: [ofChat], tool_choice: { type, name: 'look' } })).toBe(undefined);
  });

  it('of a choice that names no tool of the request is refused on chat', () => {
    expect(refusal('chat', { tools: [ofChat], tool_choice: { type: 'tool', name: 'other' } })).toBe(
      'tool_choice: chooses other, which is no tool of this request',
    );
  });
});

describe('a choice of tools on messages', () => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];

  it.each([
    'auto',
    'none',
    'required',
    { type: 'function', function: { name: 'look' } },
    { type: 'function', name: 'look' },
    { type: 'required' },
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
  ])('in a form of chat is refused with the right one: %j', (choice) => {
    expect(refusal('messages', { tools, tool_choice: choice })).toBe(
      'tool_choice: is a choice of chat completions; the Messages format has {"type": "auto"}, {"type": "any"}, {"type": "none"} or {"type": "tool", "name": …}',
    );
  });

  it.each([
    [{ type: 'auto' }, undefined],
    [{ type: 'any', disable_parallel_tool_use: true }, undefined],
    [{ type: 'none' }, undefined],
    [{ type: 'tool', name: 'look' }, undefined],
    [{ type: 'tool' }, 'tool_choice.name: is required'],
    [{ type: 'tools', name: 'look' }, 'tool_choice.type: must be one of auto, any, none, tool; did you mean tool?'],
    [{}, 'tool_choice.type: is required'],
    [7, 'tool_choice: must be an object'],
    [null, 'tool_choice: must be an object'],
  ])('%j: %s', (choice, message) => {
    expect(refusal('messages', { tools, tool_choice: choice })).toBe(message);
  });
});

describe('the type of a vendor’s tool on messages', () => {
  it.each([
    ['web_serach_20250305', 'web_search_20250305'],
    ['web_search', 'web_search_20250305'],
    ['websearch_20250305', 'web_search_20250305'],
    ['bash', 'bash_20250124'],
    ['custm', 'custom'],
    ['memmory_20250818', 'memory_20250818'],
  ])('is suggested where it is mistyped: %s', (type, meant) => {
    expect(refusalOf('messages', { type, name: 'x' })).toBe(
      `tools.0.type: is not a known type; did you mean ${meant}?`,
    );
  });

  it.each([
    'tool_search_tool_regex',
    'web_search_20990101',
    'computer_20251124',
    'memory_20990101',
    'mcp_toolset',
    'something_new_20990101',
    'x',
  ])('passes: %s', (type) => {
    expect(refusalOf('messages', { type, name: 'x' })).toBeUndefined();
  });

  it('is suggested on chat with the list of known types', () => {
    expect(refusalOf('chat', { type: 'functon', function: { name: 'x' } })).toMatch(
      /^tools\.0\.type: must be one of function, .*; did you mean function\?$/,
    );
  });
});
