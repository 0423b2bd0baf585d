import { readChunks } from '../support/chat-stream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { readMessagesEvents } from '../support/sse.js';
import type { ask } from './messages-bench.js';

/** A stream as its caller reads it, in the words of no face. */
export interface ReadStream {
  readonly id: string;
  /** Absent where the face does not name it. */
  readonly provider: string | undefined;
  readonly text: string;
  /** True where the model ended its reply. */
  readonly isFinished: boolean;
  /** The last event, where it is an error. The generic form has no `type`. */
  readonly error: JsonBody;
}

/** An inference route that streams. */
export interface StreamFace {
  readonly route: '/messages' | '/chat/completions' | '/responses';
  /** A body of `POST /messages` in the form of this face. */
  readonly form: (body: ReturnType<typeof ask>) => object;
  /** The events of a stream that fails before its first word, without the sentinel. */
  readonly eventsOfFailure: number;
  /** @throws where the stream breaks the grammar or does not end with the sentinel */
  read(stream: string | Uint8Array): ReadStream;
  /** The words of a whole reply. */
  textOf(body: JsonBody): string;
  /** An expected error, as far as the face reports it. */
  error(shown: object): object;
}

/** Words of a failed response that agents take for a passing failure. */
/** Kinds of failures that a repetition meets again. */
const LASTING = new Set(['permission_denied', 'payment_required']);
const KNOWN_WORDS = /provider returned error|overloaded|connection error|rate limit/i;

export const STREAM_FACES: readonly StreamFace[] = [
  {
    route: '/messages',
    form: (body) => body,
    eventsOfFailure: 1,
    read: (stream) => {
      const events = readMessagesEvents(stream);
      const [{ message }, last] = [events[0], events.at(-1)];
      const errors = events.filter(({ type }) => type === 'error');
      if (errors.length > 1) throw new Error('The stream has more than one error.');
      return {
        id: message?.id ?? last.request_id,
        provider: message?.provider,
        text: events.map(({ delta }) => delta?.text ?? '').join(''),
        isFinished: events.some(({ type }) => type === 'message_stop'),
        error: last.type === 'error' ? last.error : undefined,
      };
    },
    textOf: ({ content: [block] }) => block.text,
    error: (shown) => shown,
  },
  {
    route: '/chat/completions',
    form: (body) => body,
    eventsOfFailure: 1,
    read: (stream) => {
      const chunks = readChunks(stream);
      const last = chunks.at(-1);
      const errors = chunks.filter(({ error }) => error);
      if (errors.length > 1) throw new Error('The stream has more than one error.');
      return {
        id: chunks[0].id,
        provider: chunks[0].provider,
        text: chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join(''),
        isFinished: chunks.some(({ choices: [choice] }) => !['error', null, undefined].includes(choice?.finish_reason)),
        error: last.error && { ...last.error, error_type: last.error.metadata.error_type },
      };
    },
    textOf: ({ choices: [{ message }] }) => message.content,
    error: (shown) => Object.fromEntries(Object.entries(shown).filter(([key]) => key !== 'type')),
  },
  {
    route: '/responses',
    form: ({ max_tokens: max_output_tokens, messages: input, ...rest }) => ({ ...rest, max_output_tokens, input }),
    eventsOfFailure: 3,
    read: (stream) => {
      const events = readResponseEvents(stream);
      const { type, response } = events.at(-1);
      const { error, error_type, error_metadata: metadata } = response;
      const mayRepeat = error && error.code !== 'invalid_prompt' && !LASTING.has(error_type);
      if (mayRepeat && !KNOWN_WORDS.test(error.message))
        throw new Error(`No agent knows these words: ${error.message}`);
      return {
        id: events[0].response.id,
        provider: undefined,
        text: events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join(''),
        isFinished: type === 'response.completed',
        error: type === 'response.failed' ? { ...error, error_type, metadata } : undefined,
      };
    },
    textOf: ({ output: [{ content }] }) => content[0].text,
    error: ({ type: _type, message, ...shown }: JsonBody) => ({
      ...shown,
      code: 'server_error',
      ...(message !== undefined && { message: expect.stringContaining(message) }),
    }),
  },
];
