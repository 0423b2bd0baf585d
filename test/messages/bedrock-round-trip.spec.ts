/**
 * Checks that what a model on Bedrock signed or sealed returns to it in the next turn byte for byte and at the same
 * position, through both faces, and goes to no other provider. Replies of Converse are printed by each face's own
 * printer, handed back to its own reader, and encoded again.
 */
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import { viewReply as viewChat } from '../../src/faces/chat/view-reply.js';
import { ReplyBuilder, type Reply } from '../../src/core/conversation/reply.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { Dialect, Target } from '../../src/core/provider.js';
import { doAtOnce } from '../../src/core/steps.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { viewReply as viewMessages } from '../../src/faces/messages/view-reply.js';
import { anthropicMessages } from '../../src/providers/dialects/anthropic-messages/dialect.js';
import { bedrockConverse } from '../../src/providers/dialects/bedrock-converse/dialect.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { generationView } from '../support/generation-view.js';
import { modelRequest } from '../support/model-request.js';
import { endpoint, model } from '../support/route-inputs.js';

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const NOVA = 'us.amazon.nova-2-lite-v1:0';

function targetOf(upstreamModel: string, slug = 'amazon-bedrock'): Target {
  const one = endpoint(slug, { upstreamModel });
  const definition = { slug, credential: 'bearer', quirks: {} } as const;
  return { model: model('test/model', [one]), endpoint: one, tier: 'standard', definition };
}

const REASONING = [
  { reasoningContent: { reasoningText: { text: 'I will look.', signature: 'c2lnbmF0dXJl+/==' } } },
  { reasoningContent: { redactedContent: 'c2VhbGVk+/==' } },
];
const CALL = { toolUse: { toolUseId: 'tooluse_1', name: 'f', input: { a: 1 } } };

function replyOf(target: Target): Reply {
  const body = {
    output: { message: { role: 'assistant', content: [...REASONING, CALL] } },
    stopReason: 'tool_use',
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  const builder = new ReplyBuilder();
  for (const event of doAtOnce(bedrockConverse.decodeWhole(body, { target, request: modelRequest() })))
    builder.push(event);
  return builder.finish();
}

const BASE = { model: 'test/model', max_tokens: 5_000 };
const QUESTION = { role: 'user', content: 'Hello' };

/** The next request of a client that hands the reply back unchanged. */
const NEXT: Readonly<Record<string, (reply: Reply) => ModelRequest>> = {
  messages: (reply) => {
    const { content } = doAtOnce(viewMessages(generationView(), reply));
    const result = { type: 'tool_result', tool_use_id: 'tooluse_1', content: 'ok' };
    const messages = [QUESTION, { role: 'assistant', content }, { role: 'user', content: [result] }];
    return readMessages(readBody(JSON.parse(JSON.stringify({ ...BASE, messages })), CreateMessageDto), { betas: [] });
  },
  chat: (reply) => {
    const { message } = doAtOnce(viewChat(reply, generationView(), false)).choices[0]!;
    const messages = [QUESTION, message, { role: 'tool', tool_call_id: 'tooluse_1', content: 'ok' }];
    return readChat(readBody(JSON.parse(JSON.stringify({ ...BASE, messages })), CreateChatDto), { betas: [] });
  },
};

const turnSent = (dialect: Dialect, request: ModelRequest, target: Target): unknown =>
  (
    JSON.parse(JSON.stringify(doAtOnce(dialect.encode(request, target, new Map())).body)) as {
      messages: { content: unknown }[];
    }
  ).messages[1]!.content;

describe.each(Object.entries(NEXT))('through %s', (_, next) => {
  it.each([CLAUDE, NOVA])('%s is given its own back', (name) => {
    const target = targetOf(name);
    expect(turnSent(bedrockConverse, next(replyOf(target)), target)).toEqual([...REASONING, CALL]);
  });

  it.each([
    [NOVA, CLAUDE, 'amazon-bedrock'],
    [CLAUDE, NOVA, 'amazon-bedrock'],
    [NOVA, NOVA, 'another'],
  ])('what %s signed is not shown to %s at %s', (maker, name, slug) => {
    expect(turnSent(bedrockConverse, next(replyOf(targetOf(maker))), targetOf(name, slug))).toEqual([CALL]);
  });

  it('what Claude signed is shown to it in its own format', () => {
    expect(turnSent(anthropicMessages, next(replyOf(targetOf(CLAUDE))), targetOf('claude', 'anthropic'))).toEqual([
      { type: 'thinking', thinking: 'I will look.', signature: 'c2lnbmF0dXJl+/==' },
      { type: 'redacted_thinking', data: 'c2VhbGVk+/==' },
      expect.objectContaining({ type: 'tool_use' }),
    ]);
  });
});
