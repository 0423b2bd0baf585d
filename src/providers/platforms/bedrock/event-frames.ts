import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject } from '../../../core/json/json.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { faultOfException } from '../../dialects/aws-faults.js';
import { nonEmpty, parseEvent } from '../../dialects/read-json.js';
import type { EventStreamMessage } from './event-stream.js';

/** The event in which `InvokeModelWithResponseStream` wraps the vendor's own events. */
const CHUNK = 'chunk';
/** The beginning of Anthropic's events; others are parsed for their name. */
const NAMED = /^\{"type":"([\w.]+)"/;

/**
 * Makes frames from the messages of a stream: an event of Converse with its name and payload, or the vendor's own event
 * where the platform only wraps it. Throws the fault for an exception. One per reply.
 */
export class EventFrames implements StreamStage<EventStreamMessage, SseFrame> {
  push({ headers, payload }: EventStreamMessage, out: SseFrame[]): void {
    switch (headers.get(':message-type')) {
      case 'exception':
        throw faultOfException(headers.get(':exception-type') ?? '', messageIn(payload));
      case 'error':
        throw faultOfException(headers.get(':error-code') ?? '', headers.get(':error-message') ?? messageIn(payload));
      case 'event': {
        const event = headers.get(':event-type') ?? '';
        out.push(event === CHUNK ? unwrapped(payload) : { event, data: payload });
        return;
      }
      default:
        throw new ProviderFault('malformed-reply', "The provider's stream has a message of an unknown kind.");
    }
  }

  end(): void {}
}

function unwrapped(payload: string): SseFrame {
  const bytes = parseEvent(payload)?.['bytes'];
  if (typeof bytes !== 'string') {
    throw new ProviderFault('malformed-reply', 'The provider sent a piece of its reply without bytes.');
  }
  const data = Buffer.from(bytes, 'base64').toString('utf8');
  const event = NAMED.exec(data)?.[1] ?? nonEmpty(parseEvent(data)?.['type']) ?? '';
  return { event, data };
}

function messageIn(payload: string): string | undefined {
  try {
    const body: unknown = JSON.parse(payload);
    return isJsonObject(body) ? (nonEmpty(body['message']) ?? nonEmpty(body['Message'])) : undefined;
  } catch {
    return payload;
  }
}
