/**
 * Goal: a signature returns on the part that it came with, byte for byte, through either face, and goes to no other
 * provider. Method: replies in Gemini's own parts, decoded, printed by a face, read by its reader, encoded again; a
 * property over turns of any parts.
 */
import fc from 'fast-check';
import { geminiChunk, geminiTarget, GEMINI_3, replyOf, streamGemini } from '../../../../test/support/gemini.js'; // oxfmt-ignore
import { modelRequest } from '../../../../test/support/model-request.js';
import { readMessages as readChat } from '../../../faces/chat/read-messages.js';
import { viewReply as viewChat } from '../../../faces/chat/view-reply.js';
import type { Message } from '../../../core/conversation/content.js';
import type { Reply } from '../../../core/conversation/reply.js';
import { printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import type { GenerationView } from '../../../faces/common/face.js';
import { readMessage } from '../../../faces/messages/read-blocks.js';
import { viewReply as viewMessage } from '../../../faces/messages/view-reply.js';
import { DIALECTS } from '../index.js';
import { googleGemini } from './dialect.js';

const GENERATION: GenerationView = {
  id: 'gen-1700000000-AAAAAAAAAAAAAAAAAAAA',
  model: 'google/gemini',
  provider: 'Google',
  bill: undefined,
  isByok: false,
  charged: undefined,
  extras: {},
  files: [],
  upstreamBody: undefined,
};

/** The assistant's turn as a caller sends it back after receiving it from a face. */
const FACES: Readonly<Record<'messages' | 'chat', (reply: Reply) => Message[]>> = {
  messages: (reply) => {
    const { role, content } = doAtOnce(viewMessage(GENERATION, reply));
    return [readMessage(JSON.parse(JSON.stringify({ role, content })) as never)];
  },
  chat: (reply) => {
    const [choice] = doAtOnce(viewChat(reply, GENERATION, false))['choices'] as JsonObject[];
    return [...readChat([JSON.parse(JSON.stringify(choice!['message'])) as never]).messages];
  },
};
const BOTH = Object.keys(FACES) as (keyof typeof FACES)[];

/** A model that generates images and reads them. */
const SEES: Target = { ...GEMINI_3, model: { ...GEMINI_3.model, inputModalities: ['text', 'image'] } };

const HELLO: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const replyTo = (parts: readonly JsonObject[]): Reply =>
  replyOf(streamGemini(parts.map((part, index) => geminiChunk([part], index === parts.length - 1 ? { finishReason: 'STOP' } : {})))); // oxfmt-ignore

/** The model's turn as it is sent. */
function sentBack(messages: readonly Message[], target: Target = GEMINI_3): JsonObject[] {
  const request = modelRequest({ messages: [HELLO, ...messages] });
  const body = JSON.parse(printJson(doAtOnce(googleGemini.encode(request, target, new Map())).body)) as { contents: { parts: JsonObject[] }[] }; // oxfmt-ignore
  return body.contents[1]?.parts ?? [];
}

const functionCall = (id: string, args: Json = {}): JsonObject => ({ functionCall: { id, name: 'f', args } });
const signed = (part: JsonObject, thoughtSignature: string): JsonObject => ({ ...part, thoughtSignature });

it.each<[string, JsonObject[]]>([
  ['parallel calls, the first signed', [{ text: 'Looking.' }, signed(functionCall('a', { x: 1 }), 'cw=='), functionCall('b')]],
  ['calls that are all signed', [signed(functionCall('a'), 'czE='), signed(functionCall('b'), 'czI=')]],
  ['thoughts, a text and a call', [signed({ text: 'hm', thought: true }, 'czA='), signed({ text: 'Hi.' }, 'czE='), signed(functionCall('a'), 'czI=')]],
  ['a text', [signed({ text: 'Hi.' }, 'czE=')]],
  ['nothing but a signature', [signed({ text: '' }, 'czE=')]],
  ['what its own tools did', [signed({ toolCall: { id: 't', args: { q: 'é"\\' } } }, 'czE='), signed({ toolResponse: { id: 't', response: {} } }, 'czI='), signed({ text: 'So.' }, 'czM=')]],
])('gives back %s unchanged, through either face', (_, parts) => {
  for (const face of BOTH) expect([face, sentBack(FACES[face](replyTo(parts)))]).toEqual([face, parts]);
}); // oxfmt-ignore

it('joins no texts that reasoning stood between, so that a signature stays with its own text', () => {
  const turn = FACES.messages(
    replyTo([{ text: 'One.' }, { text: 'hm', thought: true }, signed({ text: 'Two.' }, 'czE=')]),
  );
  expect(sentBack(turn)).toEqual([{ text: 'One.' }, signed({ text: 'Two.' }, 'czE=')]);
});

it('gives back a text that was signed in its stream as one, signed', () => {
  for (const face of BOTH) {
    const turn = FACES[face](replyTo([{ text: 'One ' }, { text: 'two.' }, signed({ text: '' }, 'czE=')]));
    expect(sentBack(turn)).toEqual([signed({ text: 'One two.' }, 'czE=')]);
  }
});

it('gives back any turn through the Messages face, and every signature of a call or picture through both', () => {
  const signature = fc.option(fc.base64String({ minLength: 4, maxLength: 12 }), { nil: undefined });
  const withSignature = (part: JsonObject, thoughtSignature: string | undefined): JsonObject => (thoughtSignature === undefined ? part : { ...part, thoughtSignature }); // oxfmt-ignore
  const part = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), signature }),
    fc.record({ kind: fc.constant('call' as const), signature }),
    fc.record({ kind: fc.constant('own' as const), signature }),
    fc.record({ kind: fc.constant('picture' as const), signature }),
    fc.record({ kind: fc.constant('thought' as const), signature: fc.base64String({ minLength: 4, maxLength: 12 }) }),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (kinds) => {
      const parts = kinds
        // Adjacent texts are one text.
        .filter(({ kind }, index) => kind !== 'text' || kinds[index - 1]?.kind !== 'text')
        .map(({ kind, signature: given }, index) => {
          if (kind === 'text') return withSignature({ text: `t${index}` }, given);
          if (kind === 'call') return withSignature(functionCall(`c${index}`), given);
          if (kind === 'picture') return withSignature({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }, given);
          if (kind === 'own') return withSignature({ executableCode: { code: `x${index}` } }, given);
          return withSignature({ text: `h${index}`, thought: true }, given);
        });
      // The first call of a step always has one.
      const first = parts.findIndex((one) => 'functionCall' in one);
      const expected = parts.map((one, index) =>
        index === first && !('thoughtSignature' in one) ? signed(one, 'skip_thought_signature_validator') : one,
      );
      const reply = replyTo(parts);
      expect(sentBack(FACES.messages(reply), SEES)).toEqual(expected);
      const inOrder = (turn: readonly JsonObject[]) =>
        ['functionCall', 'inlineData'].map((key) => turn.filter((one) => key in one));
      // The chat format has an order of its own among kinds.
      expect(inOrder(sentBack(FACES.chat(reply), SEES))).toEqual(inOrder(expected));
    }),
  );
});

describe('of another provider', () => {
  const turn = FACES.messages(replyTo([signed({ text: 'hm', thought: true }, 'czA='), signed({ text: 'Hi.' }, 'czE='), signed(functionCall('a'), 'czI=')])); // oxfmt-ignore
  const VERTEX = geminiTarget('gemini-3-flash');
  const elsewhere: Target = {
    ...VERTEX,
    endpoint: { ...VERTEX.endpoint, provider: { ...VERTEX.endpoint.provider, slug: 'google-vertex' } },
  };

  it('C18: is not sent, and the first call of a step has the documented word instead', () => {
    expect(sentBack(turn, elsewhere)).toEqual([{ text: 'Hi.' }, signed(functionCall('a'), 'skip_thought_signature_validator')]); // oxfmt-ignore
  });

  it('is shown to no other dialect', () => {
    for (const dialect of [DIALECTS['anthropic-messages'], DIALECTS['openai-chat']]) {
      const call = doAtOnce(dialect.encode(modelRequest({ messages: [HELLO, ...turn] }), elsewhere, new Map()));
      expect(printJson(call.body)).not.toMatch(/cz[AEI]=/);
    }
  });

  it('is accepted from a caller who does not name its maker', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'czI=', format: 'google-gemini-v1', id: 'a', index: 0 }];
    const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const { messages } = readChat([{ role: 'assistant', content: null, reasoning_details: details, tool_calls: calls } as never]); // oxfmt-ignore
    expect(sentBack(messages)).toEqual([signed(functionCall('a'), 'czI=')]);
  });
});

it.each([
  '{',
  '{"fileData":{"fileUri":"gs://b/x"}}',
  '{"executableCode":{},"fileData":{}}',
  '{"text":"x"}',
  '{"thought":true}',
])('takes no %s as an encrypted part', (data) => {
  const mark = { format: 'google-gemini-v1' };
  const content: Message['content'] = [
    { type: 'redacted-thinking', data, mark },
    { type: 'text', text: 'Hi.' },
  ];
  expect(sentBack([{ role: 'assistant', content }])).toEqual([{ text: 'Hi.' }]);
});

it('gives a model that signs no call no word in place of a signature', () => {
  const message: Message = { role: 'assistant', content: [{ type: 'tool-use', id: 'a', name: 'f', input: {} }] };
  expect(sentBack([message], geminiTarget('gemini-2.5-pro'))).toEqual([{ functionCall: { name: 'f', args: {} } }]);
});
