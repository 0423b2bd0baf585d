import type { Target, UpstreamCall } from '../../core/provider.js';

const JSON_TYPE = 'application/json';
const EVENT_STREAM = 'text/event-stream';

/**
 * A call of a dialect with all parameters in its body.
 * @param streamType the media type of a streamed reply
 */
export const jsonCall = (path: string, body: object, stream: boolean, streamType = EVENT_STREAM): UpstreamCall => ({
  path,
  headers: { 'content-type': JSON_TYPE, accept: stream ? streamType : JSON_TYPE },
  body,
  stream,
});

/** Removes the fields that the provider refuses from a body, whatever their origin. */
export function omitFields(body: Record<string, unknown>, { definition }: Target): void {
  for (const field of definition.quirks.omit ?? []) delete body[field];
}
