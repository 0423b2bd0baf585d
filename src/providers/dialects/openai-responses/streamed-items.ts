import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { ReplyItem } from './reply-item.js';

/** Items with one id, in order. */
interface Queue {
  readonly items: ReplyItem[];
  next: number;
}

/**
 * The items that came in events; the end of the reply finds each of them once. They are kept in tables by their ids,
 * because a search for each of many items would take quadratic time.
 */
export class StreamedItems {
  private readonly free: Set<ReplyItem>;
  private readonly byId = new Map<string, Queue>();
  private readonly byCallId = new Map<string, Queue>();
  private readonly taken = new Map<number, ReplyItem>();

  /**
   * @param items by their index, or another key
   * @param output the items at the end of the reply
   */
  constructor(
    private readonly items: ReadonlyMap<number | string, ReplyItem>,
    output: readonly Json[],
  ) {
    this.free = new Set(items.values());
    for (const item of this.free) {
      if (item.id !== undefined) add(this.byId, item.id, item);
      if (item.callId !== undefined) add(this.byCallId, item.callId, item);
    }
    if (this.free.size > 0) this.match(output);
  }

  /**
   * The item from the events: by its ids, else by its index, else by its content. xAI gives one id to several items,
   * and other providers change the id from event to event, or leave reasoning out of the end (Bedrock Mantle).
   * @param index of an item at the end of the reply
   */
  at(index: number): ReplyItem | undefined {
    return this.taken.get(index);
  }

  private match(output: readonly Json[]): void {
    const rest: [number, JsonObject][] = [];
    for (const [index, item] of output.entries()) {
      if (!isJsonObject(item)) continue;
      const found = this.find(item, index);
      if (found === undefined) rest.push([index, item]);
      else this.take(index, found);
    }
    if (rest.length === 0 || this.free.size === 0) return;
    const byType = new Map<Json | undefined, Queue>();
    for (const item of this.free) add(byType, item.type, item);
    for (const [index, item] of rest) {
      // An item of which no event had the type may be of any.
      const queues = [byType.get(item['type']), byType.get(undefined)];
      const queue = queues.find((candidate) => candidate?.items[candidate.next]?.resembles(item) === true);
      if (queue !== undefined) this.take(index, queue.items[queue.next++]!);
    }
  }

  private take(index: number, item: ReplyItem): void {
    this.free.delete(item);
    this.taken.set(index, item);
  }

  private find(item: JsonObject, index: number): ReplyItem | undefined {
    const there = this.items.get(index);
    const placed = there !== undefined && this.free.has(there) ? there : undefined;
    if (placed?.is(item)) return placed;
    const named = this.first(this.byId, item['id']) ?? this.first(this.byCallId, item['call_id']);
    if (named !== undefined) return named;
    return placed !== undefined && (placed.type ?? item['type']) === item['type'] ? placed : undefined;
  }

  private first(queues: ReadonlyMap<string, Queue>, id: unknown): ReplyItem | undefined {
    const queue = typeof id === 'string' ? queues.get(id) : undefined;
    if (queue === undefined) return undefined;
    while (queue.next < queue.items.length && !this.free.has(queue.items[queue.next]!)) queue.next++;
    return queue.items[queue.next];
  }
}

function add<Key>(queues: Map<Key, Queue>, id: Key, item: ReplyItem): void {
  const queue = queues.get(id);
  if (queue === undefined) queues.set(id, { items: [item], next: 0 });
  else queue.items.push(item);
}
