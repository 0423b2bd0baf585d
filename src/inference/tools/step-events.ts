import type { BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { ARGUMENTS_LENGTH_MAX, assistantTurn, readArguments } from '../../core/conversation/assistant-turn.js';
import type { Message } from '../../core/conversation/content.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import { newServerToolUseId } from '../../core/ids.js';
import { isJsonObject, type Json, type Opaque } from '../../core/json/json.js';
import { CallSignatures } from './call-signatures.js';
import { CitingBlock, type CitedSources } from './cited-sources.js';
import type { OfferedTool, OfferedTools } from './offered-tools.js';

/** A call of a tool that this gateway runs. */
export interface ServiceCall {
  /** The id that the caller sees, and the model in later steps. */
  readonly id: string;
  readonly offered: OfferedTool;
  /**
   * The arguments; undefined where they are not JSON, or larger than any tool reads. Known when the block has ended.
   */
  input?: Json | undefined;
}

/** The parts of the reply to the caller that precede a step. */
export interface StepBeginning {
  /** Number of blocks that were emitted before. */
  readonly blocks: number;
  readonly usage: Usage;
  readonly sources: CitedSources | undefined;
}

/** Stop reasons after which tool calls may be incomplete and are not run. */
const CUT_OFF: ReadonlySet<StopReason['unified']> = new Set([
  'output-limit',
  'context-limit',
  'refusal',
  'content-filter',
]);

type EventOf<Type extends ModelEvent['type']> = Extract<ModelEvent, { type: Type }>;

/**
 * One call's reply as a part of the reply to the caller. Calls of the gateway's tools get their own block type, indexes
 * and usage continue those of earlier calls, and the end is held back while tools are to be run. One per call.
 */
export class StepEvents {
  readonly calls: ServiceCall[] = [];
  /** Names of the caller's tools that it calls. */
  readonly callersTools: string[] = [];
  /** Names of tools that the vendor ran in it. */
  readonly vendorsTools: string[] = [];
  /** Number of blocks emitted so far, including those of earlier steps. */
  blocks: number;
  stop: StopReason | undefined;
  endExtras: Opaque | undefined;
  usage: Usage = NO_USAGE;
  private readonly reply = new ReplyBuilder();
  private finished: Message | undefined;
  private call: ServiceCall | undefined;
  /** The arguments of the current call that have arrived. */
  private json = '';
  /** The open text block, where pages may be cited. */
  private citing: CitingBlock | undefined;
  private readonly signatures = new CallSignatures();

  constructor(
    private readonly offered: OfferedTools,
    private readonly before: StepBeginning,
  ) {
    this.blocks = before.blocks;
  }

  /** The conversation's next turn. Known when the reply has ended. */
  get turn(): Message {
    return (this.finished ??= assistantTurn(this.reply.finish()));
  }

  /**
   * Whether tools of the gateway are to be run: false before the reply has ended, and where its end was not reported.
   */
  get hasPendingToolCalls(): boolean {
    return this.stop !== undefined && this.calls.length > 0 && !CUT_OFF.has(this.stop.unified);
  }

  /** Whether it emitted text to the caller. */
  get hasText(): boolean {
    return this.turn.content.some((block) => block.type === 'text' && block.text.trim() !== '');
  }

  /** @returns the part of a batch that goes to the caller; empty: none yet */
  pass(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const event of batch) this.add(event, out);
    return out;
  }

  private add(event: ModelEvent, out: ModelEvent[]): void {
    const call = event.type === 'block-start' ? this.serviceCall(event.block) : undefined;
    for (const signature of this.signatures.release(event, call?.id)) this.forward(signature, undefined, out);
    if (!this.signatures.hold(event)) this.forward(event, call, out);
  }

  private forward(event: ModelEvent, call: ServiceCall | undefined, out: ModelEvent[]): void {
    switch (event.type) {
      case 'reply-start':
        this.reply.push(event);
        if (this.before.blocks === 0) out.push(event);
        return;
      case 'block-start':
        out.push(this.begin(event, call));
        return;
      case 'block-delta':
        if (this.call && event.delta.type === 'input-json') {
          if (this.json.length <= ARGUMENTS_LENGTH_MAX) this.json += event.delta.json;
          return;
        }
        this.reply.push(event);
        this.citing?.grow(event.delta);
        out.push(this.moved(event));
        return;
      case 'block-end':
        if (this.call) out.push(this.moved(this.endArguments(this.call, event.index)));
        this.reply.push(event);
        for (const delta of this.citing?.end() ?? []) out.push({ type: 'block-delta', index: this.blocks, delta });
        this.citing = undefined;
        out.push(this.moved(event));
        this.blocks++;
        return;
      case 'usage':
        this.reply.push(event);
        this.usage = event.usage;
        out.push(
          this.before.usage === NO_USAGE ? event : { ...event, usage: addUsage(this.before.usage, event.usage) },
        );
        return;
      case 'reply-end':
        this.reply.push(event);
        this.stop = event.stop;
        this.endExtras = event.extras;
        if (!this.hasPendingToolCalls) out.push(event);
        return;
      case 'ping':
        out.push(event);
    }
  }

  private begin(event: EventOf<'block-start'>, call: ServiceCall | undefined): ModelEvent {
    const { block } = event;
    const { sources } = this.before;
    this.citing = block.type === 'text' && sources ? new CitingBlock(sources) : undefined;
    this.call = call;
    if (!call || block.type !== 'tool-use') {
      if (block.type === 'tool-use') this.callersTools.push(block.name);
      else if (block.type === 'server-tool-use') this.vendorsTools.push(block.name);
      this.reply.push(event);
      return this.moved(event);
    }
    const { id, offered } = call;
    this.calls.push(call);
    this.reply.push({ ...event, block: { type: 'tool-use', id, name: block.name } });
    return { type: 'block-start', index: this.blocks, block: { type: 'server-tool-use', id, name: offered.name } };
  }

  /**
   * Emitted whole: the caller does not run the tool, so parts of the arguments are of no use. Arguments that are no
   * object are emitted as an empty one.
   */
  private endArguments(call: ServiceCall, index: number): EventOf<'block-delta'> {
    call.input = readArguments(this.json);
    const json = isJsonObject(call.input) && this.json.trim() !== '' ? this.json : '{}';
    this.json = '';
    this.call = undefined;
    const event = { type: 'block-delta', index, delta: { type: 'input-json', json } } as const;
    this.reply.push(event);
    return event;
  }

  private serviceCall(block: BlockStart): ServiceCall | undefined {
    const offered = block.type === 'tool-use' ? this.offered.get(block.name) : undefined;
    return offered && { id: newServerToolUseId(), offered };
  }

  /** Gives the event its index among all blocks, and omits the source bytes, which state another index. */
  private moved<Event extends EventOf<'block-start' | 'block-delta' | 'block-end'>>(event: Event): Event {
    if (event.index === this.blocks) return event;
    const { source: _source, ...rest } = event;
    return { ...rest, index: this.blocks } as Event;
  }
}
