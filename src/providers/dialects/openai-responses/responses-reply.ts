import type { ModelEvent } from '../../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { BLOCKS_MAX, BlockSequencer } from '../block-sequencer.js';
import { listOf, malformed, nonEmpty, objectOf } from '../read-json.js';
import { UniqueToolIds } from '../tool-ids.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';
import { readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';
import { ReplyCall } from './reply-call.js';
import { ReplyItem, type ReplyParts } from './reply-item.js';
import { ToldItems } from './told-items.js';

/**
 * The reply under construction, whether it comes in events or at once: items go in, events that obey the grammar come
 * out. One per reply.
 */
export class ResponsesReply implements ReplyParts {
  readonly sequencer = new BlockSequencer();
  readonly provider: string;
  readonly wantsLogprobs: boolean;
  /** By their place in `output`, where it is told, else by their id. */
  private readonly items = new Map<number | string, ReplyItem>();
  private latest: ReplyItem | undefined;
  private readonly callIds: UniqueToolIds;
  private names: ToolNames | undefined;
  private hasBegun = false;
  private hasEnded = false;
  private hasText = false;
  private hasToolCalls = false;
  private hasRefusal = false;
  private searches = 0;
  private ranVendorTools: true | undefined;

  constructor(private readonly context: DecodeContext) {
    const { request, target } = context;
    this.callIds = new UniqueToolIds(request.messages);
    this.provider = target.endpoint.provider.slug;
    this.wantsLogprobs = request.sampling.logprobs === true;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** The first event, whatever it holds, begins the reply. */
  begin(response: JsonObject, out: ModelEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const id = nonEmpty(response['id']);
    const model = nonEmpty(response['model']);
    out.push({ type: 'reply-start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) });
  }

  /** The item that an event speaks of; one that no event has named goes on with the latest. */
  item({ output_index: index, item_id: id, item }: JsonObject): ReplyItem {
    const key = typeof index === 'number' ? index : (nonEmpty(id) ?? nonEmpty(objectOf(item)['id']));
    if (key === undefined) return this.latest ?? this.add(this.items.size);
    return this.items.get(key) ?? this.add(key);
  }

  /**
   * The reply has ended, and this is all of it: items that no event told are told now.
   * @param response the whole reply
   */
  *finish(response: JsonObject, out: ModelEvent[]): Steps<void> {
    this.begin(response, out);
    const told = new ToldItems(this.items);
    const steps = new StepCounter();
    for (const [index, item] of listOf(response['output']).entries()) {
      if (steps.isOver()) yield;
      if (isJsonObject(item)) yield* (told.take(item, index) ?? this.add(`of the end ${index}`)).end(item, out);
    }
    this.hasEnded = true;
    this.sequencer.finish(out);
    out.push({ type: 'usage', usage: this.usageOf(response) });
    const { hasToolCalls, hasRefusal } = this;
    out.push({ type: 'reply-end', stop: readStop(response, { hasToolCalls, hasRefusal }) });
  }

  /** @throws ProviderFault `malformed-reply` when the provider never said that it had finished */
  end(): void {
    if (this.hasEnded) return;
    throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', { isCut: true });
  }

  beginCall(id: string | undefined, name: string, out: ModelEvent[]): ReplyCall {
    this.names ??= toolNamesOf(this.context);
    this.hasToolCalls = true;
    return new ReplyCall(this.callIds.take(id), this.names.toOriginal(name), this.sequencer, out);
  }

  beginText(): boolean {
    const isFirst = !this.hasText;
    this.hasText = true;
    return isFirst;
  }

  refuses(): void {
    this.hasRefusal = true;
  }

  ran({ type, action }: JsonObject): void {
    // Nothing was run: the conversation was shortened.
    if (type === 'compaction') return;
    this.ranVendorTools = true;
    // OpenAI charges for searches, and not for opening what was found.
    if (type === 'web_search_call' && (objectOf(action)['type'] ?? 'search') === 'search') this.searches++;
  }

  private add(key: number | string): ReplyItem {
    if (this.items.size === BLOCKS_MAX) throw malformed('has more items than can be');
    const item = new ReplyItem(this);
    this.items.set(key, item);
    this.latest = item;
    return item;
  }

  private usageOf(response: JsonObject): Usage {
    const usage = readUsage(response['usage'], response['tool_usage']);
    const beside = definedOnly({
      webSearchRequests: usage?.webSearchRequests ?? (this.searches || undefined),
      serviceTier: nonEmpty(response['service_tier']),
      ranVendorTools: this.ranVendorTools,
      reasoningIsApart: this.context.target.definition.quirks.countsReasoningApart,
    });
    return mergeUsage(usage ?? NO_USAGE, beside);
  }
}

/** What an event says in a field of text. */
export const textAt = (event: JsonObject, key: string): string => {
  const value: Json | undefined = event[key];
  return typeof value === 'string' ? value : '';
};
