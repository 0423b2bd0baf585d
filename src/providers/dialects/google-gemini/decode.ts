import type { ModelEvent } from '../../../core/conversation/event.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { doAtOnce, StepCounter, type Steps } from '../../../core/steps.js';
import { listOf, malformed, objectOf, parseEventValue } from '../read-json.js';
import { findInBandFault } from './fault.js';
import { GeminiReply } from './gemini-reply.js';

/** Compatible proxies send it; Google does not. */
const DONE = '[DONE]';

/** Reads a streamed reply. One per reply. It ends with its stream; no event marks the end. */
export class GeminiStreamDecoder implements StreamStage<SseFrame, ModelEvent> {
  private readonly reply: GeminiReply;

  constructor(context: DecodeContext) {
    this.reply = new GeminiReply(context);
  }

  push(frame: SseFrame, out: ModelEvent[]): void {
    const { data } = frame;
    if (data === '' || data === DONE) return;
    for (const chunk of chunksIn(parseEventValue(data))) doAtOnce(readChunk(chunk, this.reply, out));
  }

  end(out: ModelEvent[]): void {
    this.reply.end(out);
  }
}

/**
 * The events of a whole reply: those of a stream with the same content.
 * @throws ProviderFault for an error inside a 200 and for a body without a reply
 */
export function* decodeWholeGemini(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  const out: ModelEvent[] = [];
  const reply = new GeminiReply(context);
  for (const chunk of chunksIn(body as Json)) yield* readChunk(chunk, reply, out);
  if (!reply.hasAnswer) throw malformed('has no answer');
  reply.endWhole(out);
  return out;
}

/** One chunk, or a list: streams without frames are lists, and so are failures inside streams. */
function chunksIn(value: Json | undefined): readonly JsonObject[] {
  return isJsonObject(value) ? [value] : listOf(value).filter(isJsonObject);
}

function* readChunk(chunk: JsonObject, reply: GeminiReply, out: ModelEvent[]): Steps<void> {
  const fault = findInBandFault(chunk);
  if (fault !== undefined) throw fault;
  const { candidates, promptFeedback, usageMetadata } = chunk;
  // Other objects are no chunks of a reply.
  if (!Array.isArray(candidates) && !isJsonObject(promptFeedback) && !isJsonObject(usageMetadata)) return;
  reply.envelope(chunk, out);
  // Usage is read before the text that it counts, so that the start of a stream can report the prompt's size.
  const hasReport = reply.report(usageMetadata, out);
  const candidate = firstCandidate(candidates);
  if (candidate !== undefined) {
    const steps = new StepCounter();
    for (const part of listOf(objectOf(candidate['content'])['parts'])) {
      if (steps.isOver()) yield;
      if (isJsonObject(part)) yield* reply.part(part, out);
    }
    reply.beside(candidate, out);
    reply.finish(candidate);
  }
  reply.feedback(objectOf(promptFeedback));
  if (hasReport) reply.reported();
}

/** The candidate with index 0 or without an index: only one was requested. */
function firstCandidate(candidates: Json | undefined): JsonObject | undefined {
  for (const candidate of listOf(candidates)) {
    if (isJsonObject(candidate) && (candidate['index'] ?? 0) === 0) return candidate;
  }
  return undefined;
}
