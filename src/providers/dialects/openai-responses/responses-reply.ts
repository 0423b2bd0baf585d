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
import { CUSTOM_CALL, ownToolName, ownToolNames } from './own-tools.js';
import { readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';
import { RepeatedText } from './repeated-text.js';
import { ReplyCall } from './reply-call.js';
import { ReplyTextCall } from './reply-text-call.js';
import { ownId, ReplyItem, type CallHead, type ReplyParts } from './reply-item.js';
import { StreamedItems } from './streamed-items.js';

/**
 * The reply under construction, streamed or whole: it takes items, and emits events that obey the grammar. One per
 * reply.
 */
export class ResponsesReply implements ReplyParts {
  readonly sequencer = new BlockSequencer();
  readonly provider: string;
  readonly wantsLogprobs: boolean;
  /** By their index in `output` where the event has it, else by their id. */
  private readonly items = new Map<number | string, ReplyItem>();
  private latest: ReplyItem | undefined;
  /** The text of the latest message that only reasoning items have followed. */
  private latestText: RepeatedText | undefined;
  private readonly callIds: UniqueToolIds;
  private names: ToolNames | undefined;
  /** Names of the caller's tools that are not functions in this format. */
  private ownNames: ReadonlyMap<string, string> | undefined;
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

  /** The first event, whatever it contains, begins the reply. */
  begin(response: JsonObject, out: ModelEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const id = nonEmpty(response['id']);
    const model = nonEmpty(response['model']);
    out.push({ type: 'reply-start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) });
  }

  /** The item that an event concerns; an event without a known item continues the latest one. */
  item({ output_index: index, item_id: id, item }: JsonObject): ReplyItem {
    const key = typeof index === 'number' ? index : (nonEmpty(id) ?? nonEmpty(objectOf(item)['id']));
    if (key === undefined) return this.latest ?? this.add(this.items.size);
    return this.items.get(key) ?? this.add(key);
  }

  /**
   * Ends the reply with its whole content: items that were in no event are emitted now.
   * @param response the whole reply
   */
  *finish(response: JsonObject, out: ModelEvent[]): Steps<void> {
    this.begin(response, out);
    const output = listOf(response['output']);
    const streamed = new StreamedItems(this.items, output);
    const steps = new StepCounter();
    for (const [index, item] of output.entries()) {
      if (steps.isOver()) yield;
      if (isJsonObject(item)) yield* (streamed.at(index) ?? this.add(`of the end ${index}`)).end(item, out);
    }
    this.hasEnded = true;
    for (const item of this.items.values()) item.release(out);
    this.sequencer.finish(out);
    out.push({ type: 'usage', usage: this.usageOf(response) });
    const { hasToolCalls, hasRefusal } = this;
    out.push({ type: 'reply-end', stop: readStop(response, { hasToolCalls, hasRefusal }) });
  }

  /** @throws ProviderFault `malformed-reply` when the provider never reported that it had finished */
  end(): void {
    if (this.hasEnded) return;
    throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', { isCut: true });
  }

  beginCall({ callId, itemId, name }: CallHead & { readonly name: string }, out: ModelEvent[]): ReplyCall {
    this.names ??= toolNamesOf(this.context);
    this.hasToolCalls = true;
    this.latestText = undefined;
    const start = { id: this.callIds.take(callId), name: this.names.toOriginal(name), ...ownId(itemId) };
    return new ReplyCall(start, this.sequencer, out);
  }

  beginOwnCall(type: string, call: CallHead, out: ModelEvent[]): ReplyCall | ReplyTextCall | undefined {
    const { tools } = this.context.request;
    if (tools.length === 0) return undefined;
    this.names ??= toolNamesOf(this.context);
    this.ownNames ??= ownToolNames(tools);
    const known = ownToolName(this.ownNames, type, call.name && this.names.toOriginal(call.name));
    if (known === undefined) return undefined;
    const begun = this.beginCall({ ...call, name: this.names.toWire(known) }, out);
    return type === CUSTOM_CALL ? new ReplyTextCall(begun) : begun;
  }

  beginText(): boolean {
    const isFirst = !this.hasText;
    this.hasText = true;
    return isFirst;
  }

  beginMessage(): RepeatedText | undefined {
    if (this.context.target.definition.quirks.repeatsMessages !== true) return undefined;
    this.latestText = new RepeatedText(this.latestText?.text ?? '');
    return this.latestText;
  }

  refuses(): void {
    this.hasRefusal = true;
  }

  ran({ type, action }: JsonObject): void {
    // No tool ran: the conversation was shortened.
    if (type === 'compaction') return;
    this.ranVendorTools = true;
    this.latestText = undefined;
    // OpenAI charges for searches, and not for opening results.
    if (type === 'web_search_call' && (objectOf(action)['type'] ?? 'search') === 'search') this.searches++;
  }

  private add(key: number | string): ReplyItem {
    if (this.items.size === BLOCKS_MAX) throw malformed('has too many items');
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

/** A text member of an event; empty where it has none. */
export const textAt = (event: JsonObject, key: string): string => {
  const value: Json | undefined = event[key];
  return typeof value === 'string' ? value : '';
};
