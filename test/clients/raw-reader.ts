import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import type { AskOptions, Client, ClientKind, Fault, JsonSchema, Question, Sight } from './client.js';
import { messageBody, sightOfMessage } from './messages-form.js';

/** What a `message_delta` of the format may change in the message that began. */
const CUMULATIVE = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

class RawError extends Error {
  constructor(
    readonly body: JsonBody,
    readonly status: number | undefined,
    readonly headers: Headers,
  ) {
    super(body.error.message);
  }
}

/**
 * No library at all: `fetch`, a strict reader of event streams, and the format's documented way to add a message up.
 */
class RawReader implements Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  ask(question: Question, streamed: boolean, options: AskOptions = {}): Promise<Sight> {
    return this.send({ ...messageBody(question), stream: streamed }, options);
  }

  async askInShape(question: Question, schema: JsonSchema): Promise<unknown> {
    const output_config = { format: { type: 'json_schema', schema } };
    return JSON.parse((await this.send({ ...messageBody(question), output_config }, {})).text);
  }

  faultOf(error: unknown): Fault {
    if (!(error instanceof RawError)) throw error;
    const { body, status, headers } = error;
    return {
      errorName: 'RawError',
      status,
      type: body.error.type,
      message: body.error.message,
      retryAfter: headers.get('retry-after'),
    };
  }

  private async send(body: JsonBody, { signal, onText }: AskOptions): Promise<Sight> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const generationId = response.headers.get('x-generation-id');
    if (!response.ok) throw new RawError(await response.json(), response.status, response.headers);
    if (body.stream !== true) return sightOfMessage(await response.json(), generationId, body.messages);
    const events = readMessagesEvents(await readAll(response, onText));
    const failure = events.find(({ type }) => type === 'error');
    if (failure) throw new RawError(failure, undefined, response.headers);
    return sightOfMessage(addUp(events), generationId, body.messages);
  }
}

async function readAll(response: Response, onText: AskOptions['onText']): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    const piece = decoder.decode(bytes, { stream: true });
    if (piece.includes('text_delta')) onText?.();
    text += piece;
  }
  return text + decoder.decode();
}

/** The message that a stream's events add up to. */
function addUp(events: readonly JsonBody[]): JsonBody {
  const message = events[0].message;
  const blocks: JsonBody[] = message.content;
  const argumentsOf = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'content_block_start') blocks.push(event.content_block);
    if (event.type === 'content_block_delta') addDelta(blocks[event.index], event, argumentsOf);
    if (event.type === 'message_delta') {
      Object.assign(message, event.delta);
      for (const key of CUMULATIVE) message.usage[key] = event.usage[key] ?? message.usage[key];
    }
  }
  for (const [index, text] of argumentsOf) blocks[index].input = JSON.parse(text === '' ? '{}' : text);
  return message;
}

function addDelta(block: JsonBody, { index, delta }: JsonBody, argumentsOf: Map<number, string>): void {
  switch (delta.type) {
    case 'text_delta':
      block.text += delta.text;
      break;
    case 'thinking_delta':
      block.thinking += delta.thinking;
      break;
    case 'signature_delta':
      block.signature += delta.signature;
      break;
    case 'input_json_delta':
      argumentsOf.set(index, (argumentsOf.get(index) ?? '') + delta.partial_json);
      break;
    default:
      throw new Error(`No such delta was requested: ${delta.type}`);
  }
}

export const rawReader: ClientKind = {
  name: 'raw reader',
  connect: (origin, key) => new RawReader(`${origin}/api/v1/messages`, key),
  errorName: () => 'RawError',
  inBandErrorName: 'RawError',
  requestsShapeByTool: false,
  readsPromptTokensOnce: false,
  abortName: 'AbortError',
};
