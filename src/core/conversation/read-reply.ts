import type { ModelEvent } from './event.js';
import { ReplyBuilder, type Reply } from './reply.js';

/** A reply as a whole, when it has come to its end. @throws what the events throw */
export async function readReply(events: AsyncIterable<readonly ModelEvent[]>): Promise<Reply> {
  const builder = new ReplyBuilder();
  for await (const batch of events) for (const event of batch) builder.push(event);
  return builder.finish();
}
