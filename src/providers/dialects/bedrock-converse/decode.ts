import type { ModelEvent } from '../../../core/conversation/event.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { listOf, malformed, objectOf, parseEvent, printedInSteps } from '../read-json.js';
import { ConverseReply } from './converse-reply.js';

/** Reads a streamed Converse reply from its named events. One per reply; events after its end are ignored. */
export class ConverseStreamDecoder implements StreamStage<SseFrame, ModelEvent> {
  private readonly reply: ConverseReply;

  constructor(context: DecodeContext) {
    this.reply = new ConverseReply(context);
  }

  push({ event, data }: SseFrame, out: ModelEvent[]): void {
    const { reply } = this;
    if (reply.isOver) return;
    switch (event) {
      case 'contentBlockDelta': {
        const body = read(data);
        reply.blockDelta(indexOf(body), objectOf(body['delta']), out);
        break;
      }
      case 'contentBlockStart': {
        const body = read(data);
        reply.blockStart(indexOf(body), objectOf(body['start']), out);
        break;
      }
      case 'contentBlockStop':
        reply.blockStop(indexOf(read(data)), out);
        break;
      case 'messageStart':
        reply.begin(out);
        break;
      case 'messageStop':
        reply.finish(read(data));
        break;
      case 'metadata':
        reply.report(read(data));
        // No event follows these two, though the connection may stay open or break.
        if (reply.isComplete) reply.end(out);
        break;
      // A newer kind of event is ignored: the request cannot have requested it.
    }
  }

  /** Usage comes after the stop. A stream without it ends only with the connection. */
  end(out: ModelEvent[]): void {
    this.reply.end(out);
  }
}

/**
 * The events of a whole reply: those of a stream with the same content.
 * @throws ProviderFault for a body without an answer
 */
export function* decodeWholeConverse(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  if (!isJsonObject(body)) throw malformed('is not a JSON object');
  const message = objectOf(body['output'])['message'];
  if (!isJsonObject(message)) throw malformed('has no answer');
  const out: ModelEvent[] = [];
  const reply = new ConverseReply(context);
  reply.begin(out);
  const steps = new StepCounter();
  for (const [index, block] of listOf(message['content']).entries()) {
    if (steps.isOver()) yield;
    if (isJsonObject(block)) yield* wholeBlock(reply, index, block, out);
  }
  reply.finish(body);
  reply.report(body);
  reply.end(out);
  return out;
}

/** A block in the pieces that a stream would bring. */
function* wholeBlock(reply: ConverseReply, index: number, block: JsonObject, out: ModelEvent[]): Steps<void> {
  const { toolUse, reasoningContent, citationsContent, image } = block;
  if (isJsonObject(toolUse)) {
    reply.blockStart(index, block, out);
    const { input = {} } = toolUse;
    const json = isJsonObject(input) ? yield* printedInSteps(input) : input;
    reply.blockDelta(index, { toolUse: { input: json } }, out);
  } else if (isJsonObject(image)) {
    reply.blockStart(index, { image }, out);
    reply.blockDelta(index, { image }, out);
  } else if (isJsonObject(reasoningContent)) {
    const { reasoningText } = reasoningContent;
    reply.blockDelta(index, { reasoningContent: isJsonObject(reasoningText) ? reasoningText : reasoningContent }, out);
  } else if (isJsonObject(citationsContent)) {
    for (const piece of listOf(citationsContent['content'])) reply.blockDelta(index, objectOf(piece), out);
    for (const citation of listOf(citationsContent['citations'])) reply.blockDelta(index, { citation }, out);
  } else {
    reply.blockDelta(index, block, out);
  }
  reply.blockStop(index, out);
}

const read = (data: string): JsonObject => parseEvent(data) ?? {};

/** A missing index means the first block: a provider omits it only where there is one. */
function indexOf(body: JsonObject): number {
  const index: Json | undefined = body['contentBlockIndex'];
  return typeof index === 'number' ? index : 0;
}
