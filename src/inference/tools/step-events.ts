import type { BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { ARGUMENTS_LENGTH_MAX, assistantTurn, readArguments } from '../../core/conversation/assistant-turn.js';
import type { Message } from '../../core/conversation/content.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import { newServerToolUseId } from '../../core/ids.js';
import { isJsonObject, type Json, type Opaque } from '../../core/json/json.js';
import { CallSeals } from './call-seals.js';
import { CitingBlock, type CitedSources } from './cited-sources.js';
import type { OfferedTool, OfferedTools } from './offered-tools.js';

/** A call of a tool that this gateway runs. */
export interface ServiceCall {
  /** As the caller is told it, and the model from here on. */
  readonly id: string;
  readonly offered: OfferedTool;
  /** The arguments; undefined where they are no JSON, or more than any tool reads. Known when the block has ended. */
  input?: Json | undefined;
}

/** What stands before a step's reply in the one that the caller is told. */
export interface StepBeginning {
  /** Blocks that were told before. */
  readonly blocks: number;
  readonly usage: Usage;
  readonly sources: CitedSources | undefined;
}

/** The model was cut off, or would not go on: what it had called by then may be half of it, and is not run. */
const CUT_OFF: ReadonlySet<StopReason['unified']> = new Set([
  'output-limit',
  'context-limit',
  'refusal',
  'content-filter',
]);

type EventOf<Type extends ModelEvent['type']> = Extract<ModelEvent, { type: Type }>;

/**
 * One call's reply as a part of the one that the caller is told: calls of the gateway's tools are told as such, indexes
 * and usage go on from those of the calls before, and its end is kept back while tools are to be run. One per call.
 */
export class StepEvents {
  readonly calls: ServiceCall[] = [];
  /** Names of the caller's tools that it calls. */
  readonly callersTools: string[] = [];
  /** Names of tools that the vendor ran in it. */
  readonly vendorsTools: string[] = [];
  /** Blocks told so far, those of earlier steps among them. */
  blocks: number;
  stop: StopReason | undefined;
  endExtras: Opaque | undefined;
  usage: Usage = NO_USAGE;
  private readonly reply = new ReplyBuilder();
  private finished: Message | undefined;
  private call: ServiceCall | undefined;
  /** Of the call under way, what has come of its arguments. */
  private json = '';
  /** The text block under way, where pages may be cited. */
  private citing: CitingBlock | undefined;
  private readonly seals = new CallSeals();

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

  /** Whether tools of the gateway's are to be run: false before the reply has ended, and where nobody told its end. */
  get goesOn(): boolean {
    return this.stop !== undefined && this.calls.length > 0 && !CUT_OFF.has(this.stop.unified);
  }

  /** Whether it said anything to the caller. */
  get hasText(): boolean {
    return this.turn.content.some((block) => block.type === 'text' && block.text.trim() !== '');
  }

  /** @returns what of a batch the caller is told; empty: nothing yet */
  tell(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const told: ModelEvent[] = [];
    for (const event of batch) this.add(event, told);
    return told;
  }

  private add(event: ModelEvent, told: ModelEvent[]): void {
    const call = event.type === 'block-start' ? this.serviceCall(event.block) : undefined;
    for (const sealed of this.seals.release(event, call?.id)) this.pass(sealed, undefined, told);
    if (!this.seals.hold(event)) this.pass(event, call, told);
  }

  private pass(event: ModelEvent, call: ServiceCall | undefined, told: ModelEvent[]): void {
    switch (event.type) {
      case 'reply-start':
        this.reply.push(event);
        if (this.before.blocks === 0) told.push(event);
        return;
      case 'block-start':
        told.push(this.begin(event, call));
        return;
      case 'block-delta':
        if (this.call && event.delta.type === 'input-json') {
          if (this.json.length <= ARGUMENTS_LENGTH_MAX) this.json += event.delta.json;
          return;
        }
        this.reply.push(event);
        this.citing?.grow(event.delta);
        told.push(this.moved(event));
        return;
      case 'block-end':
        if (this.call) told.push(this.moved(this.endArguments(this.call, event.index)));
        this.reply.push(event);
        for (const delta of this.citing?.end() ?? []) told.push({ type: 'block-delta', index: this.blocks, delta });
        this.citing = undefined;
        told.push(this.moved(event));
        this.blocks++;
        return;
      case 'usage':
        this.reply.push(event);
        this.usage = event.usage;
        told.push(
          this.before.usage === NO_USAGE ? event : { ...event, usage: addUsage(this.before.usage, event.usage) },
        );
        return;
      case 'reply-end':
        this.reply.push(event);
        this.stop = event.stop;
        this.endExtras = event.extras;
        if (!this.goesOn) told.push(event);
        return;
      case 'ping':
        told.push(event);
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

  /** Told whole: half of them is of no use to one who does not run the tool, and what is no object says nothing. */
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

  /** At its place among all blocks; the bytes it was read from would say another. */
  private moved<Event extends EventOf<'block-start' | 'block-delta' | 'block-end'>>(event: Event): Event {
    if (event.index === this.blocks) return event;
    const { source: _source, ...rest } = event;
    return { ...rest, index: this.blocks } as Event;
  }
}
