/**
 * Goal: a tool in a wrong form is a 400 that shows the right one, on both faces; forms that somebody knows pass.
 * Method: bodies with one tool, read as their routes read them.
 */
import 'reflect-metadata';
import { CreateChatDto } from '../../src/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/chat/read-request.js';
import { GatewayError } from '../../src/core/errors.js';
import { CreateMessageDto } from '../../src/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/messages/read-request.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';

const BODY = { model: 'a/b', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
const HEADERS = { betas: [] };

type Face = 'messages' | 'chat';
const READERS: Readonly<Record<Face, (body: object) => unknown>> = {
  messages: (body) => readMessages(readBody(body, CreateMessageDto), HEADERS),
  chat: (body) => readChat(readBody(body, CreateChatDto), HEADERS),
};
const FACES: readonly Face[] = ['messages', 'chat'];

/** The message that a body is refused with; undefined: it is taken. */
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
  ])('is named where its type is mistyped: %s', (type, meant) => {
    expect(refusalOf(face, { type })).toBe(`tools.0.type: is not a known type; did you mean ${meant}?`);
  });

  it.each([
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
    ['chat', ofMessages, `tools.0: is a tool of the Messages format; ${CHAT_FORM}`],
    ['chat', { type: 'custom', ...ofMessages }, `tools.0: is a tool of the Messages format; ${CHAT_FORM}`],
    ['chat', flat, `tools.0: is a tool of the responses format; ${CHAT_FORM}`],
    ['chat', ofChat, undefined],
    ['messages', ofMessages, undefined],
    ['messages', { type: 'custom', ...ofMessages }, undefined],
  ] as const)('on %s: %j', (face, tool, message) => {
    expect(refusalOf(face, tool)).toBe(message);
  });

  it.each(['auto', 'any', 'none', 'tool'])('of a choice is refused on chat: %s', (type) => {
    expect(refusal('chat', { tools: [ofChat], tool_choice: { type, name: 'look' } })).toBe(
      'tool_choice: is a choice of the Messages format; chat completions have "auto", "none", "required" or {"type": "function", "function": {"name": …}}',
    );
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
  ])('is named where it is mistyped: %s', (type, meant) => {
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

  it('is suggested on chat beside the list of what there is', () => {
    expect(refusalOf('chat', { type: 'functon', function: { name: 'x' } })).toMatch(
      /^tools\.0\.type: must be one of function, .*; did you mean function\?$/,
    );
  });
});
