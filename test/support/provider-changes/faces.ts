import { CreateChatDto } from '../../../src/faces/chat/create-chat.dto.js';
import { ChatFrames } from '../../../src/faces/chat/frames.js';
import { readRequest as readChat } from '../../../src/faces/chat/read-request.js';
import { viewReply as viewChat } from '../../../src/faces/chat/view-reply.js';
import type { ModelEvent } from '../../../src/core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../../src/core/conversation/reply.js';
import type { ModelRequest } from '../../../src/core/conversation/request.js';
import { doAtOnce } from '../../../src/core/steps.js';
import { CreateMessageDto } from '../../../src/faces/messages/create-message.dto.js';
import { MessageFrames } from '../../../src/faces/messages/frames.js';
import { readRequest as readMessages } from '../../../src/faces/messages/read-request.js';
import { viewReply as viewMessages } from '../../../src/faces/messages/view-reply.js';
import { CreateResponseDto } from '../../../src/faces/responses/create-response.dto.js';
import { ResponseFrames } from '../../../src/faces/responses/frames.js';
import { readRequest as readResponses } from '../../../src/faces/responses/read-request.js';
import { NO_FORMS } from '../../../src/faces/responses/tool-calls.js';
import { viewReply as viewResponses } from '../../../src/faces/responses/view-response.js';
import { readBody } from '../../../src/shared/http/dto.pipe.js';
import type { FramePrinter } from '../../../src/shared/http/frame-printer.js';
import { buildMessage } from '../../http/messages-bench.js';
import { joinChunks, readChunks } from '../chat-stream.js';
import { generationView } from '../generation-view.js';
import { pdf, show } from '../pdfs.js';
import type { JsonBody } from '../recorded-request.js';
import { readResponseEvents } from '../response-events.js';
import { readMessagesEvents } from '../sse.js';

/** The content of a tool result. */
export type ResultKind = 'text' | 'nothing' | 'image' | 'pdf' | 'failure' | 'silent failure';

/** Media beside the words of a question. */
export type Media = 'none' | 'image' | 'pdf';

/** Request settings of a client besides the conversation. */
export interface Wishes {
  readonly system: boolean;
  readonly tools: readonly string[];
  readonly thinks: boolean;
  readonly stream: boolean;
  /** Cache markers of the caller's own: on the last tool, the instructions, and the first words. */
  readonly marked: boolean;
}

/** A client of one face, which builds its bodies. */
export interface ClientFace {
  readonly name: 'messages' | 'chat' | 'responses';
  user(text: string, options: { readonly media: Media; readonly marked: boolean }): JsonBody;
  results(results: readonly { readonly id: string; readonly kind: ResultKind }[]): JsonBody[];
  body(messages: readonly JsonBody[], wishes: Wishes): JsonBody;
  /** The gateway's reading of a body. */
  read(body: JsonBody): ModelRequest;
  /** The assistant's turn as the client keeps it, from the events of the gateway. */
  turn(events: readonly ModelEvent[], stream: boolean): JsonBody;
  /** The ids and names of a turn's calls. */
  calls(turn: JsonBody): { readonly id: string; readonly name: string }[];
  /** The turn with other ids. */
  renumbered(turn: JsonBody): JsonBody;
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const PDF = pdf({ pages: [show('Rain')] }).toString('base64');
const MESSAGES_MEDIA: Readonly<Record<Media, readonly object[]>> = {
  none: [],
  image: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
  pdf: [{ type: 'document', title: 'report', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }],
};
const CHAT_MEDIA: Readonly<Record<Media, readonly object[]>> = {
  none: [],
  image: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
  pdf: [{ type: 'file', file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` } }],
};
const SCHEMA = { type: 'object', properties: { at: { type: 'string' } } };
const MARKER = { type: 'ephemeral', ttl: '1h' };
const INSTRUCTIONS = 'You are a guide.';
const BUDGET = 2_000;
const OUTPUT_MAX = 8_000;
/** Events of one write of the gateway's. */
const BATCH = 7;

const marker = (marked: boolean): object => (marked ? { cache_control: MARKER } : {});
const headers = { betas: [] };

function printed(printer: FramePrinter, events: readonly ModelEvent[]): Buffer {
  const pieces: Buffer[] = [];
  for (let start = 0; start < events.length; start += BATCH) {
    const piece = printer.print(events.slice(start, start + BATCH));
    if (piece !== undefined) pieces.push(Buffer.from(piece as string));
  }
  return Buffer.concat(pieces);
}

function folded(events: readonly ModelEvent[]): Reply {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return builder.finish();
}

const throughJson = (value: unknown): JsonBody => JSON.parse(JSON.stringify(value));

const messages: ClientFace = {
  name: 'messages',
  user: (text, { media, marked }) => ({
    role: 'user',
    content: [{ type: 'text', text, ...marker(marked) }, ...MESSAGES_MEDIA[media]],
  }),
  results: (results) => [
    {
      role: 'user',
      content: results.map(({ id, kind }) => ({
        type: 'tool_result',
        tool_use_id: id,
        ...{
          text: { content: `result of ${id}` },
          nothing: { content: '' },
          image: { content: [{ type: 'text', text: 'see' }, ...MESSAGES_MEDIA.image] },
          pdf: { content: [{ type: 'text', text: 'read' }, ...MESSAGES_MEDIA.pdf] },
          failure: { content: [{ type: 'text', text: 'no such place' }], is_error: true },
          'silent failure': { is_error: true },
        }[kind],
      })),
    },
  ],
  body: (turns, { system, tools, thinks, stream, marked }) => ({
    model: 'test/model',
    max_tokens: OUTPUT_MAX,
    stream,
    ...(system && { system: [{ type: 'text', text: INSTRUCTIONS, ...marker(marked) }] }),
    ...(tools.length > 0 && {
      tools: tools.map((name, index) => ({
        name,
        input_schema: SCHEMA,
        ...marker(marked && index === tools.length - 1),
      })),
    }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: BUDGET } }),
    messages: turns,
  }),
  read: (body) => readMessages(readBody(throughJson(body), CreateMessageDto), headers),
  turn: (events, stream) => {
    const { content } = stream
      ? buildMessage(readMessagesEvents(printed(new MessageFrames(generationView()), events)))
      : throughJson(doAtOnce(viewMessages(generationView(), folded(events))));
    return { role: 'assistant', content };
  },
  calls: ({ content }) =>
    content.filter(({ type }: JsonBody) => type === 'tool_use').map(({ id, name }: JsonBody) => ({ id, name })),
  renumbered: (turn) => {
    let calls = 0;
    const content = turn.content.map((block: JsonBody) =>
      block.type === 'tool_use' ? { ...block, id: `call_${calls++}` } : block,
    );
    return { ...turn, content };
  },
};

const chat: ClientFace = {
  name: 'chat',
  user: (text, { media, marked }) => ({
    role: 'user',
    content: [{ type: 'text', text, ...marker(marked) }, ...CHAT_MEDIA[media]],
  }),
  results: (results) =>
    results.map(({ id, kind }) => ({
      role: 'tool',
      tool_call_id: id,
      content: {
        text: `result of ${id}`,
        nothing: '',
        image: [{ type: 'text', text: 'see' }, ...CHAT_MEDIA.image],
        pdf: [{ type: 'text', text: 'read' }, ...CHAT_MEDIA.pdf],
        // The format cannot mark a failure.
        failure: 'no such place',
        'silent failure': '',
      }[kind],
    })),
  body: (turns, { system, tools, thinks, stream, marked }) => ({
    model: 'test/model',
    max_tokens: OUTPUT_MAX,
    stream,
    ...(tools.length > 0 && {
      tools: tools.map((name, index) => ({
        type: 'function',
        function: { name, parameters: SCHEMA },
        ...marker(marked && index === tools.length - 1),
      })),
    }),
    ...(thinks && { reasoning: { max_tokens: BUDGET } }),
    messages: [
      ...(system ? [{ role: 'system', content: [{ type: 'text', text: INSTRUCTIONS, ...marker(marked) }] }] : []),
      ...turns,
    ],
  }),
  read: (body) => readChat(readBody(throughJson(body), CreateChatDto), headers),
  turn: (events, stream) => {
    if (!stream) return throughJson(doAtOnce(viewChat(folded(events), generationView(), false))).choices[0].message;
    const frames = new ChatFrames(generationView(), { hidesReasoning: false, sendsUsageSeparately: false });
    return joinChunks(readChunks(printed(frames, events))).message;
  },
  calls: ({ tool_calls: calls = [] }) => calls.map(({ id, function: called }: JsonBody) => ({ id, name: called.name })),
  renumbered: (turn) =>
    turn.tool_calls
      ? {
          ...turn,
          tool_calls: turn.tool_calls.map((call: JsonBody, index: number) => ({ ...call, id: `call_${index}` })),
        }
      : turn,
};

const RESPONSES_MEDIA: Readonly<Record<Media, readonly object[]>> = {
  none: [],
  image: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
  pdf: [{ type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` }],
};
const inputText = (text: string): object => ({ type: 'input_text', text });
const REPLY = { forms: NO_FORMS, wantsProof: true };

/** The responses face: turns are lists of items, and there are no cache markers. */
const responses: ClientFace = {
  name: 'responses',
  user: (text, { media }) => ({ role: 'user', content: [inputText(text), ...RESPONSES_MEDIA[media]] }),
  results: (results) =>
    results.map(({ id, kind }) => ({
      type: 'function_call_output',
      call_id: id,
      output: {
        text: `result of ${id}`,
        nothing: '',
        image: [inputText('see'), ...RESPONSES_MEDIA.image],
        pdf: [inputText('read'), ...RESPONSES_MEDIA.pdf],
        // The format cannot mark a failure.
        failure: 'no such place',
        'silent failure': '',
      }[kind],
    })),
  body: (turns, { system, tools, thinks, stream }) => ({
    model: 'test/model',
    max_output_tokens: OUTPUT_MAX,
    stream,
    include: ['reasoning.encrypted_content'],
    ...(system && { instructions: INSTRUCTIONS }),
    ...(tools.length > 0 && { tools: tools.map((name) => ({ type: 'function', name, parameters: SCHEMA })) }),
    ...(thinks && { reasoning: { max_tokens: BUDGET } }),
    input: turns.flatMap((turn) => turn.items ?? turn),
  }),
  read: (body) => readResponses(readBody(throughJson(body), CreateResponseDto), headers).request,
  turn: (events, stream) => {
    const view = generationView();
    const { output } = stream
      ? readResponseEvents(printed(new ResponseFrames(view, {}, REPLY), events)).at(-1).response
      : throughJson(doAtOnce(viewResponses(folded(events), view, { ...REPLY, echo: {} })));
    return { items: output };
  },
  calls: ({ items }) =>
    items
      .filter(({ type }: JsonBody) => type === 'function_call')
      .map(({ call_id: id, name }: JsonBody) => ({ id, name })),
  renumbered: ({ items }) => {
    let calls = 0;
    return {
      items: items.map((item: JsonBody) =>
        item.type === 'function_call' ? { ...item, call_id: `call_${calls++}` } : item,
      ),
    };
  },
};

export const CLIENT_FACES: readonly ClientFace[] = [messages, chat, responses];
