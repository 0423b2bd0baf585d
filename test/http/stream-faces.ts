import { readChunks } from '../support/chat-stream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';

/** A stream as its caller reads it, in the words of neither face. */
export interface ReadStream {
  readonly id: string;
  readonly provider: string | undefined;
  readonly text: string;
  /** True where the model ended its reply. */
  readonly isFinished: boolean;
  /** The last event, where it is an error. The generic form has no `type`. */
  readonly error: JsonBody;
}

/** An inference route that streams. Bodies of one word and a limit are the same for all. */
export interface StreamFace {
  readonly route: '/messages' | '/chat/completions';
  /** @throws where the stream breaks the grammar or does not end with the sentinel */
  read(stream: string | Uint8Array): ReadStream;
  /** The words of a whole reply. */
  textOf(body: JsonBody): string;
  /** An expected error, as far as the face reports it. */
  error(shown: object): object;
}

export const STREAM_FACES: readonly StreamFace[] = [
  {
    route: '/messages',
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
];
