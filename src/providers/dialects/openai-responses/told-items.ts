import type { JsonObject } from '../../../core/json/json.js';
import type { ReplyItem } from './reply-item.js';

/** Those of one id, in their order. */
interface Queue {
  readonly items: ReplyItem[];
  next: number;
}

/**
 * The items that events told, each of which the end of the reply finds once. By their ids in tables: looked through one
 * by one, many items would take time squared.
 */
export class ToldItems {
  private readonly free: Set<ReplyItem>;
  private readonly byId = new Map<string, Queue>();
  private readonly byCallId = new Map<string, Queue>();

  /** @param items by their place, or another key */
  constructor(private readonly items: ReadonlyMap<number | string, ReplyItem>) {
    this.free = new Set(items.values());
    for (const item of this.free) {
      add(this.byId, item.id, item);
      add(this.byCallId, item.callId, item);
    }
  }

  /**
   * The item as events told it: by its ids, which xAI gives to several and others change from event to event, else by
   * its place.
   */
  take(item: JsonObject, index: number): ReplyItem | undefined {
    const found = this.find(item, index);
    if (found !== undefined) this.free.delete(found);
    return found;
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

function add(queues: Map<string, Queue>, id: string | undefined, item: ReplyItem): void {
  if (id === undefined) return;
  const queue = queues.get(id);
  if (queue === undefined) queues.set(id, { items: [item], next: 0 });
  else queue.items.push(item);
}
