import type { MediaSource } from '../../../core/conversation/content.js';
import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { RESPONSES_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import type { BlockSequencer } from '../block-sequencer.js';
import { listOf, malformed, nonEmpty, printed } from '../read-json.js';
import { ReplyCall } from './reply-call.js';
import { ReplyPart } from './reply-part.js';

/** The kinds of parts that hold words. */
export type PartKind = 'text' | 'refusal' | 'summary' | 'reasoning';

/** A text of its own, so that faces of OpenAI's formats can tell it apart. */
const REFUSAL: BlockStart = { type: 'text', extras: { vendor: 'openai', value: { type: 'refusal' } } };

/** What the items of one reply have in common. */
export interface ReplyParts {
  readonly sequencer: BlockSequencer;
  /** Slug of the provider that answers. */
  readonly provider: string;
  /** Whether it was asked how likely the words are. */
  readonly wantsLogprobs: boolean;
  /** Begins a call, under the caller's own name of the tool. */
  beginCall(id: string | undefined, name: string, out: ModelEvent[]): ReplyCall;
  /** A text begins. @returns whether it is the first */
  beginText(): boolean;
  refuses(): void;
  /** The vendor ran a tool. */
  ran(item: JsonObject): void;
}

/**
 * One item of `output` under construction: it may come in events, or whole, or both. What was told in events is not
 * told again. An item of another type than are modelled is the vendor's own, and told whole.
 */
export class ReplyItem {
  id: string | undefined;
  type: string | undefined;
  callId: string | undefined;
  private phase: string | undefined;
  private call: ReplyCall | undefined;
  private readonly parts = new Map<string, ReplyPart>();
  private readonly latest = new Map<PartKind, ReplyPart>();
  private hasEnded = false;

  constructor(private readonly reply: ReplyParts) {}

  /** Whether this is it, told again: by its ids, where both have them. */
  is({ id, call_id: callId }: JsonObject): boolean {
    return (this.id !== undefined && this.id === id) || (this.callId !== undefined && this.callId === callId);
  }

  /** It begins. What it holds already is told when it has ended, or comes in pieces. */
  begin(item: JsonObject, out: ModelEvent[]): void {
    this.id ??= nonEmpty(item['id']);
    this.type ??= nonEmpty(item['type']);
    this.callId ??= nonEmpty(item['call_id']);
    this.phase ??= nonEmpty(item['phase']);
    const name = nonEmpty(item['name']);
    if (this.type === 'function_call' && name !== undefined) {
      this.call ??= this.reply.beginCall(this.callId, name, out);
    }
  }

  words(kind: PartKind, index: Json | undefined, text: string, out: ModelEvent[]): void {
    if (text !== '' && !this.hasEnded) this.part(kind, index, out).add(text, out);
  }

  likely(index: Json | undefined, logprobs: Json | undefined, out: ModelEvent[]): void {
    if (this.reply.wantsLogprobs && !this.hasEnded) this.part('text', index, out).likely(listOf(logprobs), out);
  }

  cite(index: Json | undefined, annotation: Json | undefined, out: ModelEvent[]): void {
    if (!this.hasEnded) this.part('text', index, out).cite(annotation, out);
  }

  /** A part of its reasoning has ended: what follows is told at once, however long it reasons on. */
  endPart(kind: 'summary' | 'reasoning', index: Json | undefined, out: ModelEvent[]): void {
    this.parts.get(partKey(kind, index))?.end(out);
  }

  arguments(json: string, out: ModelEvent[]): void {
    this.call?.add(json, out);
  }

  /** It has ended, and this is all of it. */
  *end(item: JsonObject, out: ModelEvent[]): Steps<void> {
    if (this.hasEnded) return;
    this.begin(item, out);
    switch (this.type) {
      case 'message':
        yield* this.endMessage(item, out);
        break;
      case 'reasoning':
        this.endReasoning(item, out);
        break;
      case 'function_call':
        if (this.call === undefined) throw malformed('calls a tool that it does not name');
        this.call.complete(argumentsOf(item['arguments']), out);
        this.call.end(out);
        break;
      default:
        this.endOwn(item, out);
    }
    for (const part of this.parts.values()) part.end(out);
    this.hasEnded = true;
  }

  private *endMessage(item: JsonObject, out: ModelEvent[]): Steps<void> {
    const steps = new StepCounter();
    for (const [index, content] of listOf(item['content']).entries()) {
      if (steps.isOver()) yield;
      if (!isJsonObject(content)) continue;
      const refusal = nonEmpty(content['refusal']);
      if (refusal !== undefined) this.part('refusal', index, out).complete(refusal, out);
      const text = typeof content['text'] === 'string' ? content['text'] : '';
      const annotations = listOf(content['annotations']);
      if (text === '' && annotations.length === 0) continue;
      const part = this.part('text', index, out);
      part.complete(text, out);
      if (this.reply.wantsLogprobs) part.completeLikely(listOf(content['logprobs']), out);
      for (const annotation of annotations) part.cite(annotation, out);
    }
  }

  private endReasoning(item: JsonObject, out: ModelEvent[]): void {
    for (const [kind, parts] of [
      ['summary', item['summary']],
      ['reasoning', item['content']],
    ] as const) {
      for (const [index, part] of listOf(parts).entries()) {
        const text = isJsonObject(part) ? nonEmpty(part['text']) : undefined;
        if (text !== undefined) this.part(kind, index, out).complete(text, out);
      }
    }
    const data = nonEmpty(item['encrypted_content']);
    if (data === undefined) return;
    const mark = this.mark(false);
    this.reply.sequencer.begin({ type: 'redacted-thinking', data, mark }, { isComplete: true }, out);
  }

  private endOwn(item: JsonObject, out: ModelEvent[]): void {
    if (this.type === undefined) return;
    this.reply.ran(item);
    const source = this.type === 'image_generation_call' ? drawnBy(item) : undefined;
    if (source !== undefined) {
      this.reply.sequencer.begin({ type: 'image', source }, { isComplete: true }, out);
      return;
    }
    const opaque = { vendor: 'openai-responses', value: item } as const;
    this.reply.sequencer.begin({ type: 'opaque', opaque }, { isComplete: true }, out);
  }

  private part(kind: PartKind, index: Json | undefined, out: ModelEvent[]): ReplyPart {
    const key = partKey(kind, index);
    let part = this.parts.get(key);
    if (part === undefined) {
      // One part of a kind ends where the next begins; of another kind it may grow beside it.
      this.latest.get(kind)?.end(out);
      const isFirst = kind === 'text' && this.reply.beginText();
      if (kind === 'refusal') this.reply.refuses();
      part = new ReplyPart(this.startOf(kind), this.reply.sequencer, isFirst);
      this.parts.set(key, part);
      this.latest.set(kind, part);
    }
    return part;
  }

  private startOf(kind: PartKind): BlockStart {
    switch (kind) {
      case 'text':
        return this.phase === undefined ? { type: 'text' } : { type: 'text', phase: this.phase };
      case 'refusal':
        return REFUSAL;
      case 'summary':
      case 'reasoning':
        return { type: 'thinking', mark: this.mark(kind === 'summary') };
    }
  }

  private mark(isSummary: boolean): ReasoningMark {
    const { id } = this;
    return {
      format: RESPONSES_REASONING,
      provider: this.reply.provider,
      ...(id !== undefined && { id }),
      ...(isSummary && { isSummary }),
    };
  }
}

/** What the vendor's own tool drew; of one that failed there is nothing. */
function drawnBy({ result, output_format: format }: JsonObject): MediaSource | undefined {
  const data = nonEmpty(result);
  return data === undefined ? undefined : { type: 'base64', mediaType: `image/${nonEmpty(format) ?? 'png'}`, data };
}

const partKey = (kind: PartKind, index: Json | undefined): string => `${kind} ${typeof index === 'number' ? index : 0}`;

/** Some upstreams send the object itself. */
const argumentsOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : isJsonObject(value) ? printed(value) : '';
