import type { ModelEvent } from '../../../core/conversation/event.js';
import { isJsonObject, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { doAtOnce, type Steps } from '../../../core/steps.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { faultOfErrorText, findInBandFault } from '../openai-faults.js';
import { malformed, objectOf, parseEvent } from '../read-json.js';
import { ResponsesReply, textAt } from './responses-reply.js';

type Reader = (reply: ResponsesReply, event: JsonObject, out: ModelEvent[]) => void;

const beginReply: Reader = (reply, { response }, out) => reply.begin(objectOf(response), out);

/** All three events contain the response, whose status gives the way it ended. */
const finishReply: Reader = (reply, { response }, out) => {
  const whole = objectOf(response);
  assertNotFailed(whole);
  // A status other than a final one may be stale, because some providers do not update it.
  if (whole['status'] === 'cancelled') throw malformed('was cancelled');
  doAtOnce(reply.finish(whole, out));
};

/**
 * A reader for each event. The events without one repeat others (`content_part.*`, most of `*.done`) or report the
 * progress of the vendor's own tools, whose items come whole. These and unknown events are ignored.
 */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['response.created', beginReply],
  ['response.in_progress', beginReply],
  ['response.queued', beginReply],
  ['response.output_item.added', (reply, event, out) => reply.item(event).begin(objectOf(event['item']), out)],
  ['response.output_item.done', (reply, event, out) => doAtOnce(reply.item(event).end(objectOf(event['item']), out))],
  [
    'response.output_text.delta',
    (reply, event, out) => {
      const item = reply.item(event);
      item.words('text', event['content_index'], textAt(event, 'delta'), out);
      if (reply.wantsLogprobs) item.likely(event['content_index'], event['logprobs'], out);
    },
  ],
  [
    'response.output_text.annotation.added',
    (reply, event, out) => reply.item(event).cite(event['content_index'], event['annotation'], out),
  ],
  [
    'response.refusal.delta',
    (reply, event, out) => reply.item(event).words('refusal', event['content_index'], textAt(event, 'delta'), out),
  ],
  [
    'response.reasoning_summary_text.delta',
    (reply, event, out) => reply.item(event).words('summary', event['summary_index'], textAt(event, 'delta'), out),
  ],
  [
    'response.reasoning_text.delta',
    (reply, event, out) => reply.item(event).words('reasoning', event['content_index'], textAt(event, 'delta'), out),
  ],
  [
    'response.reasoning_summary_part.done',
    (reply, event, out) => reply.item(event).endPart('summary', event['summary_index'], out),
  ],
  [
    'response.reasoning_text.done',
    (reply, event, out) => reply.item(event).endPart('reasoning', event['content_index'], out),
  ],
  [
    'response.function_call_arguments.delta',
    (reply, event, out) => reply.item(event).arguments(textAt(event, 'delta'), out),
  ],
  [
    'response.custom_tool_call_input.delta',
    (reply, event, out) => reply.item(event).arguments(textAt(event, 'delta'), out),
  ],
  ['response.completed', finishReply],
  ['response.incomplete', finishReply],
  ['response.failed', finishReply],
]);

/** Reads a streamed reply. One per reply; frames after its end are ignored. */
export class ResponsesStreamDecoder implements StreamStage<SseFrame, ModelEvent> {
  private readonly reply: ResponsesReply;

  constructor(context: DecodeContext) {
    this.reply = new ResponsesReply(context);
  }

  push(frame: SseFrame, out: ModelEvent[]): void {
    if (this.reply.isOver) return;
    const event = readEvent(frame);
    if (event === undefined) return;
    // Some providers name only the frame, others only the event.
    const type = textAt(event, 'type') || frame.event;
    const reader = READERS.get(type);
    if (reader !== undefined) {
      this.reply.begin(objectOf(event['response']), out);
      reader(this.reply, event, out);
      return;
    }
    const isNamedError = type === 'error' || frame.event === 'error';
    const fault = isNamedError || type === '' ? findInBandFault(event, isNamedError) : undefined;
    if (fault !== undefined) throw fault;
  }

  end(): void {
    this.reply.end();
  }
}

/**
 * The events of a whole reply: those of a stream with the same content.
 * @throws ProviderFault for an error inside a 200 and for a body without a finished reply
 */
export function* decodeWholeResponses(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  if (!isJsonObject(body)) throw malformed('is not a JSON object');
  assertNotFailed(body);
  if (!Array.isArray(body['output']) || !ANSWERED.has(body['status'])) throw malformed('has no answer');
  const out: ModelEvent[] = [];
  yield* new ResponsesReply(context).finish(body, out);
  return out;
}

/** The statuses of a reply that has ended; not all providers report one. */
const ANSWERED: ReadonlySet<unknown> = new Set(['completed', 'incomplete', undefined, null]);

/** @throws ProviderFault where the reply has failed, whichever event contains it */
function assertNotFailed(response: JsonObject): void {
  const fault = findInBandFault(response, response['status'] === 'failed');
  if (fault !== undefined) throw fault;
}

/** @returns undefined for frames without an object: keep-alives, the sentinel */
function readEvent({ event, data }: SseFrame): JsonObject | undefined {
  const text = data.trim();
  if (text.startsWith('{')) return parseEvent(text);
  if (event === 'error') throw faultOfErrorText(text);
  return undefined;
}
