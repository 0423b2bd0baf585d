import type { ModelEvent } from '../../../core/conversation/event.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { listOf, malformed, objectOf, parseEvent } from '../read-json.js';
import { CohereReply } from './cohere-reply.js';
import { findInBandFault } from './fault.js';

/** Reads a streamed reply. One per reply; frames after its end are ignored. */
export class CohereStreamDecoder implements StreamStage<SseFrame, ModelEvent> {
  private readonly reply: CohereReply;

  constructor(context: DecodeContext) {
    this.reply = new CohereReply(context);
  }

  push(frame: SseFrame, out: ModelEvent[]): void {
    // Other frames are no events: the sentinel at the end, keep-alives.
    if (this.reply.isOver || !frame.data.startsWith('{')) return;
    const event = parseEvent(frame.data);
    if (event === undefined) return;
    const fault = findInBandFault(event);
    if (fault !== undefined) throw fault;
    this.read(event, out);
  }

  end(out: ModelEvent[]): void {
    this.reply.end(out);
  }

  private read(event: JsonObject, out: ModelEvent[]): void {
    const { reply } = this;
    const delta = objectOf(event['delta']);
    const message = objectOf(delta['message']);
    const { type } = event;
    // The first event begins the reply, whatever it is.
    reply.begin(event['id'], out);
    switch (type) {
      case 'content-start':
        reply.beginContent();
        reply.content(objectOf(message['content']), out);
        break;
      case 'content-delta':
        reply.content(objectOf(message['content']), out);
        reply.logprobs(event['logprobs'], out);
        break;
      case 'tool-plan-delta':
        reply.plan(message['tool_plan'], out);
        break;
      case 'tool-call-start':
        reply.beginCall(indexOf(event), firstOf(message['tool_calls']), out);
        break;
      case 'tool-call-delta':
        reply.arguments(indexOf(event), firstOf(message['tool_calls']), out);
        break;
      case 'tool-call-end':
        reply.endCall(indexOf(event), out);
        break;
      case 'citation-start':
        reply.cite(message['citations'], out);
        break;
      case 'message-end':
        reply.finish(delta);
        reply.end(out);
        break;
      // `message-start`, `content-end`, `citation-end` and future events add nothing.
      default:
    }
  }
}

/**
 * The events of a whole reply: those of a stream with the same content.
 * @throws ProviderFault for an error inside a 200 and for a body without a completion
 */
export function* decodeWholeCohere(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  if (!isJsonObject(body)) throw malformed('is not a JSON object');
  const fault = findInBandFault(body);
  if (fault !== undefined) throw fault;
  const { message } = body;
  if (!isJsonObject(message)) throw malformed('has no answer');
  const out: ModelEvent[] = [];
  const reply = new CohereReply(context);
  reply.begin(body['id'], out);
  reply.plan(message['tool_plan'], out);
  const citations = listOf(message['citations']);
  reply.cite(citations.filter(isOfPlan), out);
  const content = listOf(message['content']);
  const firstText = content.findIndex((part) => isJsonObject(part) && part['type'] === 'text');
  const ofPart = byPart(citations, firstText);
  const steps = new StepCounter();
  for (const [index, part] of content.entries()) {
    if (steps.isOver()) yield;
    if (!isJsonObject(part)) continue;
    reply.beginContent();
    reply.content(part, out);
    if (index === firstText) reply.logprobs(body['logprobs'], out);
    reply.cite(ofPart.get(index), out);
  }
  for (const [index, call] of listOf(message['tool_calls']).entries()) {
    if (steps.isOver()) yield;
    if (!isJsonObject(call)) continue;
    reply.beginCall(index, call, out);
    reply.endCall(index, out);
  }
  reply.finish(body);
  reply.end(out);
  return out;
}

/** Citations by the index of their part: a search for each part would take quadratic time. */
function byPart(citations: readonly Json[], firstText: number): ReadonlyMap<Json, Json[]> {
  const parts = new Map<Json, Json[]>();
  for (const citation of citations) {
    if (isOfPlan(citation)) continue;
    // Older models give no index: they have one text.
    const index = objectOf(citation)['content_index'] ?? firstText;
    const known = parts.get(index);
    if (known === undefined) parts.set(index, [citation]);
    else known.push(citation);
  }
  return parts;
}

const isOfPlan = (citation: Json): boolean => objectOf(citation)['type'] === 'PLAN';

function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

/** One call, or a list of calls, as in the reference. */
const firstOf = (value: Json | undefined): JsonObject => objectOf(Array.isArray(value) ? (value as Json[])[0] : value);
