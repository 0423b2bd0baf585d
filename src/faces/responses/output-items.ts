import type { BlockDelta, BlockStart, ServiceToolResult } from '../../core/conversation/event.js';
import { RESPONSES_REASONING, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { SERVER_TOOL_USE_PREFIX } from '../../core/ids.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { sealToolResults, type SealUse } from '../common/seal-tool-results.js';
import { CallItem } from './call-item.js';
import { OutputItemRef, type EventWriter, type ItemSink, type ItemStatus } from './item-sink.js';
import { itemIdOf, MessageItem } from './message-item.js';
import { ReasoningItem } from './reasoning-item.js';
import { serviceForm, ServiceItem } from './service-item.js';
import type { CallForms } from './tool-calls.js';

/** In other formats the mark has the id of the call that the reasoning belongs to, which another item already has. */
const ownIdOf = (mark: ReasoningMark | undefined): string | undefined =>
  mark?.format === RESPONSES_REASONING ? mark.id : undefined;

/** The options of a request that determine the form of its reply. */
export interface ReplyOptions {
  readonly forms: CallForms;
  readonly wantsProof: boolean;
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  shell_call: 'sh_',
  local_shell_call: 'lsh_',
  apply_patch_call: 'apc_',
  image_generation_call: 'ig_',
};

/** The events of a search; the format has none for one that failed. */
const SEARCHING = ['in_progress', 'searching'] as const;
const SEARCHED = [...SEARCHING, 'completed'] as const;

/** Builds the output of one reply from its blocks, with the same items whether it is streamed or whole. */
export class OutputItems implements ItemSink {
  readonly output: JsonObject[] = [];
  readonly wantsProof: boolean;
  private count = 0;
  private open: MessageItem | ReasoningItem | CallItem | undefined;
  private block: BlockStart | undefined;
  private service: ServiceItem | undefined;
  /** Uses that wait for their results, by the ids of their calls. */
  private readonly waiting = new Map<string, ServiceItem>();
  private readonly seals: SealUse[] = [];
  private calls = 0;
  private readonly taken = new Set<string>();

  /**
   * @param tail the end of generated ids
   * @param writer receives the events; undefined: the reply is whole
   */
  constructor(
    private readonly tail: string,
    private readonly options: ReplyOptions,
    readonly writer: EventWriter | undefined,
  ) {
    this.wantsProof = options.wantsProof;
  }

  begin(block: BlockStart): void {
    this.block = block;
    this.service = undefined;
    if (this.open && !(this.open instanceof CallItem) && this.open.accepts(block)) {
      this.beginIn(this.open, block);
      return;
    }
    this.closeOpen('completed');
    switch (block.type) {
      case 'text':
        this.beginIn((this.open = new MessageItem(this.newRef('message', itemIdOf(block)), block)), block);
        break;
      case 'thinking':
      case 'redacted-thinking':
        this.beginIn((this.open = this.reasoning(block.mark)), block);
        break;
      case 'tool-use': {
        const form = this.options.forms.get(block.name) ?? { type: 'function_call', name: block.name };
        this.calls++;
        this.open = new CallItem(this.newRef(form.type, itemIdOf(block)), block, form);
        break;
      }
      case 'server-tool-use': {
        const form = serviceForm(block.name);
        if (!form) break;
        this.waiting.get(block.id)?.finish(undefined);
        this.service = new ServiceItem(this.newServiceRef(block.id), form);
        this.waiting.set(block.id, this.service);
        break;
      }
      case 'service-tool-result':
        this.take(block.result);
        break;
      case 'image':
        this.draw(block.source.type === 'url' ? block.source.url : block.source.data, itemIdOf(block));
        break;
      case 'opaque':
        this.pass(block.opaque.vendor, block.opaque.value);
        break;
    }
  }

  grow(delta: BlockDelta): void {
    const { open, service } = this;
    if (service) {
      if (delta.type === 'input-json') service.grow(delta.json);
    } else if (open instanceof CallItem) {
      if (delta.type === 'input-json') open.grow(delta.json);
    } else open?.grow(delta);
  }

  /** The message whose text grows; undefined: another block does. */
  get message(): MessageItem | undefined {
    return this.block?.type === 'text' && this.open instanceof MessageItem ? this.open : undefined;
  }

  end(): void {
    const { open, block, service } = this;
    this.block = undefined;
    if (service) service.end();
    else if (open instanceof MessageItem) open.end();
    else if (open instanceof ReasoningItem && (block?.type === 'thinking' || block?.type === 'redacted-thinking'))
      open.end(block);
    this.service = undefined;
  }

  /** @param status the status of the item that is still open */
  finish(status: ItemStatus): void {
    this.closeOpen(status);
    for (const use of this.waiting.values()) use.finish(undefined);
    this.waiting.clear();
    if (!this.wantsProof || this.calls === 0) return;
    for (const seal of sealToolResults(this.seals)) {
      const ref = this.newRef('reasoning');
      const item = { type: 'reasoning', id: ref.id, summary: [] };
      ref.add(item);
      ref.finish({ ...item, encrypted_content: seal, status: 'completed' });
    }
  }

  private reasoning(mark: ReasoningMark | undefined): ReasoningItem {
    return new ReasoningItem(() => this.newRef('reasoning', ownIdOf(mark)), this, mark);
  }

  private closeOpen(status: ItemStatus): void {
    this.open?.close(status);
    this.open = undefined;
  }

  private beginIn(item: MessageItem | ReasoningItem, block: BlockStart): void {
    if (block.type === 'text') (item as MessageItem).begin(block);
    else if (block.type === 'thinking' || block.type === 'redacted-thinking') (item as ReasoningItem).begin(block);
  }

  /** @param own the vendor's id, where it has one that is still free */
  private newRef(type: string, own?: string): OutputItemRef {
    const index = this.count++;
    const isFree = own !== undefined && own !== '' && !this.taken.has(own);
    const id = isFree ? own : `${ID_PREFIXES[type] ?? 'item_'}${this.tail}${index}`;
    if (isFree) this.taken.add(id);
    return new OutputItemRef(this, index, id);
  }

  /** The id marks the item as a use of a tool when a later request contains it. */
  private newServiceRef(id: string): OutputItemRef {
    const index = this.count++;
    return new OutputItemRef(
      this,
      index,
      id.startsWith(SERVER_TOOL_USE_PREFIX) ? id : `${SERVER_TOOL_USE_PREFIX}${this.tail}${index}`,
    );
  }

  private take({ toolUseId, content, seal }: ServiceToolResult): void {
    this.seals.push(seal);
    this.settle(toolUseId, content);
  }

  private settle(id: string, content: Json): void {
    this.waiting.get(id)?.finish(content);
    this.waiting.delete(id);
  }

  private draw(result: string, own: string | undefined): void {
    const ref = this.newRef('image_generation_call', own);
    const item = { type: 'image_generation_call', id: ref.id };
    ref.add({ ...item, status: 'in_progress', result: null });
    for (const state of ['in_progress', 'generating', 'completed']) {
      ref.write(`response.image_generation_call.${state}`);
    }
    ref.finish({ ...item, status: 'completed', result });
  }

  /** An item of this format as it came; of another vendor's tool only the result of a use that has an item. */
  private pass(vendor: string, value: JsonObject): void {
    const { type, tool_use_id: useId, content } = value;
    if (vendor === 'anthropic' && typeof useId === 'string') this.settle(useId, content ?? null);
    if (vendor !== 'openai-responses' || typeof type !== 'string') return;
    const { id } = value;
    const ref = this.newRef(type, typeof id === 'string' ? id : undefined);
    const item = { ...value, id: ref.id };
    ref.add(item);
    if (type === 'web_search_call') {
      const states = value['status'] === 'failed' ? SEARCHING : SEARCHED;
      for (const state of states) ref.write(`response.web_search_call.${state}`);
    }
    ref.finish(item);
  }
}
