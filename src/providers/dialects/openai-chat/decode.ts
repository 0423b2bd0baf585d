import type { ModelEvent } from '../../../core/conversation/event.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { listOf, malformed, parseEvent } from '../read-json.js';
import { ChatReply } from './chat-reply.js';
import { faultOfErrorText, findInBandFault } from '../openai-faults.js';
import { PlainChunk } from './plain-chunk.js';
import { isWithheld } from './read-stop.js';

const DONE = '[DONE]';
/** Calls that are read before other work gets its turn. */
const STEP_CALLS = 500;
const NOTHING: JsonObject = {};

/** Reads a streamed chat reply. One per reply; frames after its end are ignored. */
export class ChatStreamDecoder implements StreamStage<SseFrame, ModelEvent> {
  private readonly reply: ChatReply;
  private readonly plain = new PlainChunk();

  constructor(context: DecodeContext) {
    this.reply = new ChatReply(context);
  }

  push(frame: SseFrame, out: ModelEvent[]): void {
    if (this.reply.isOver) return;
    const words = frame.event === '' ? this.plain.read(frame.data) : undefined;
    if (words !== undefined) {
      this.reply.words(words, out);
      return;
    }
    const data = frame.data.trim();
    if (data === DONE) {
      this.reply.done(out);
      return;
    }
    const isNamedError = frame.event === 'error';
    const chunk = readChunk(data, isNamedError);
    if (chunk === undefined) return;
    const fault = findInBandFault(chunk, isNamedError);
    if (fault !== undefined) throw fault;
    const { choices } = chunk;
    // Other objects are no chunks of a reply: keep-alives in JSON, notices of a proxy.
    if (!Array.isArray(choices) && !isJsonObject(chunk['usage'])) return;
    this.reply.envelope(chunk, out);
    const choice = firstChoice(choices);
    if (isJsonObject(choice?.['delta'])) this.reply.content(choice['delta'], chunk, out);
    else this.reply.cite(undefined, chunk, out);
    if (choice !== undefined) {
      this.reply.logprobs(choice, out);
      this.reply.finish(choice);
    }
    this.reply.report(usageOf(chunk, choice), out);
    this.plain.learn(frame.data, chunk);
  }

  /** Not every provider sends the sentinel: a reply with a finish reason is complete without it. */
  end(out: ModelEvent[]): void {
    this.reply.end(out);
  }
}

/**
 * The events of a whole chat reply: those of a stream with the same content.
 * @throws ProviderFault for an error inside a 200 and for a body without a completion
 */
export function* decodeWholeChat(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  if (!isJsonObject(body)) throw malformed('is not a JSON object');
  const fault = findInBandFault(body);
  if (fault !== undefined) throw fault;
  const choice = firstChoice(body['choices']);
  const message = choice && messageOf(choice);
  if (choice === undefined || message === undefined) throw malformed('has no answer');
  const out: ModelEvent[] = [];
  const reply = new ChatReply(context);
  reply.envelope(body, out);
  if (message['tool_calls'] === undefined) reply.content(message, body, out);
  else yield* wholeContent(withCallIndexes(message), body, reply, out);
  reply.logprobs(choice, out);
  reply.finishWhole(choice);
  reply.report(usageOf(body, choice), out);
  reply.end(out);
  return out;
}

/** A message in the pieces of a stream: many calls are read in groups. */
function* wholeContent(message: JsonObject, body: JsonObject, reply: ChatReply, out: ModelEvent[]): Steps<void> {
  const calls = listOf(message['tool_calls']);
  reply.content({ ...message, tool_calls: calls.slice(0, STEP_CALLS) }, body, out);
  for (let from = STEP_CALLS; from < calls.length; from += STEP_CALLS) {
    yield;
    reply.content({ tool_calls: calls.slice(from, from + STEP_CALLS) }, NOTHING, out);
  }
}

/** @returns undefined for frames without an object: keep-alives of some providers */
function readChunk(data: string, isNamedError: boolean): JsonObject | undefined {
  if (!data.startsWith('{')) {
    if (isNamedError) throw faultOfErrorText(data);
    return undefined;
  }
  return parseEvent(data);
}

/**
 * The choice with index 0 or without an index: only one was requested.
 * @throws ProviderFault when the choice is an error, as routers of other providers report it
 */
function firstChoice(choices: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices as readonly Json[]) {
    if (!isJsonObject(choice) || (choice['index'] ?? 0) !== 0) continue;
    const fault = findInBandFault(choice);
    if (fault !== undefined) throw fault;
    return choice;
  }
  return undefined;
}

/** Moonshot reports usage inside the choice; Groq first reports it in a separate object beside the choices. */
function usageOf(chunk: JsonObject, choice: JsonObject | undefined): Json | undefined {
  const groq = chunk['x_groq'];
  return chunk['usage'] ?? choice?.['usage'] ?? (isJsonObject(groq) ? groq['usage'] : undefined);
}

const NO_MESSAGE: JsonObject = {};

/** A choice that was filtered as a whole may have no message (Azure): its finish reason suffices. */
function messageOf(choice: JsonObject): JsonObject | undefined {
  const { message, finish_reason: reason } = choice;
  if (isJsonObject(message)) return message;
  return typeof reason === 'string' && isWithheld(reason) ? NO_MESSAGE : undefined;
}

/** In a whole message each entry is a separate call, whatever its index or id. */
function withCallIndexes(message: JsonObject): JsonObject {
  const calls = message['tool_calls'];
  if (!Array.isArray(calls)) return message;
  const indexed = (calls as readonly Json[]).map((call, index) => (isJsonObject(call) ? { ...call, index } : call));
  return { ...message, tool_calls: indexed };
}
