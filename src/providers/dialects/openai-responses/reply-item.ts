import type { MediaSource } from '../../../core/conversation/content.js';
import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { RESPONSES_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../../../core/json/json.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import type { BlockSequencer } from '../block-sequencer.js';
import { listOf, malformed, nonEmpty } from '../read-json.js';
import { argumentsIn, isOwnCall } from './own-tools.js';
import { placeParts, type Placement } from './placed-parts.js';
import { ReplyCall } from './reply-call.js';
import type { RepeatedText } from './repeated-text.js';
import { ReplyPart } from './reply-part.js';
import type { ReplyTextCall } from './reply-text-call.js';

/** The two representations of one reasoning. */
type ReasoningKind = 'summary' | 'reasoning';
/** The kinds of parts with text. */
export type PartKind = 'text' | 'refusal' | ReasoningKind;

const OTHER: Readonly<Record<ReasoningKind, ReasoningKind>> = { summary: 'reasoning', reasoning: 'summary' };
const isReasoning = (kind: PartKind): kind is ReasoningKind => kind === 'summary' || kind === 'reasoning';

/** What an item of a call begins with. */
export interface CallHead {
  readonly callId: string | undefined;
  readonly itemId: string | undefined;
  readonly name: string | undefined;
}

/** The id of the item, for callers of the same format. */
export const ownId = (id: string | undefined): { readonly extras?: Opaque } =>
  id === undefined ? {} : { extras: { vendor: 'openai-responses', value: { id } } };

/** What the items of one reply share. */
export interface ReplyParts {
  readonly sequencer: BlockSequencer;
  /** Slug of the provider of the reply. */
  readonly provider: string;
  /** Whether log probabilities were requested. */
  readonly wantsLogprobs: boolean;
  /** Begins a call, with the tool's name in the caller's request. */
  beginCall(call: CallHead & { readonly name: string }, out: ModelEvent[]): ReplyCall;
  /**
   * Begins a call of a caller's tool that is no function (custom, shell, patch); undefined: the request has no such
   * tool.
   */
  beginOwnCall(type: string, call: CallHead, out: ModelEvent[]): ReplyCall | ReplyTextCall | undefined;
  /** Begins a text. @returns whether it is the first */
  beginText(): boolean;
  /** Begins the text of a message, where its provider repeats messages. */
  beginMessage(): RepeatedText | undefined;
  refuses(): void;
  /** Counts a run of one of the vendor's tools. */
  ran(item: JsonObject): void;
}

/**
 * One item of `output` under construction: it may come in events, or whole, or both. Content of events is not emitted a
 * second time. An item of an unknown type is the vendor's own, and is emitted whole.
 */
export class ReplyItem {
  id: string | undefined;
  type: string | undefined;
  callId: string | undefined;
  private name: string | undefined;
  private phase: string | undefined;
  private call: ReplyCall | ReplyTextCall | undefined;
  /** By kind, and within a kind by the index of their events. */
  private readonly parts = new Map<PartKind, Map<number, ReplyPart>>();
  private readonly latest = new Map<PartKind, ReplyPart>();
  /** Whether the summary and the text of the reasoning are known to differ. */
  private areApart = false;
  private hasEnded = false;

  constructor(private readonly reply: ReplyParts) {}

  /** Whether a later item is this one: by its ids, where both have them. */
  is({ id, call_id: callId }: JsonObject): boolean {
    return (this.id !== undefined && this.id === id) || (this.callId !== undefined && this.callId === callId);
  }

  /** Whether a later item of the same type has what came in events. */
  resembles(item: JsonObject): boolean {
    if (this.call !== undefined) return this.name === nonEmpty(item['name']) && this.call.mayHave(argumentsIn(item));
    for (const [kind, parts] of this.parts) {
      const texts = textsOf(kind, item);
      for (const part of parts.values()) return texts.some((text) => text?.startsWith(part.head) === true);
    }
    return false;
  }

  /** Begins the item. Content that it already has is emitted at its end, or comes in pieces. */
  begin(item: JsonObject, out: ModelEvent[]): void {
    this.id ??= nonEmpty(item['id']);
    this.type ??= nonEmpty(item['type']);
    this.callId ??= nonEmpty(item['call_id']);
    this.phase ??= nonEmpty(item['phase']);
    this.name ??= nonEmpty(item['name']);
    if (this.call !== undefined || this.type === undefined) return;
    if (isOwnCall(this.type))
      this.call = this.reply.beginOwnCall(this.type, { callId: this.callId, itemId: this.id, name: this.name }, out);
    else if (this.type === 'function_call' && this.name !== undefined)
      this.call = this.reply.beginCall({ callId: this.callId, itemId: this.id, name: this.name }, out);
  }

  words(kind: PartKind, index: Json | undefined, text: string, out: ModelEvent[]): void {
    if (text === '' || this.hasEnded) return;
    const part = this.part(kind, index, out);
    part.add(text, out);
    if (part.isHeld && !this.beginAlike()) this.release(out);
  }

  /** Emits what was held back as a possible repetition. */
  release(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    this.areApart = true;
    for (const [kind, parts] of this.parts) {
      for (const part of parts.values()) {
        if (!part.isHeld) continue;
        part.release(out);
        if (this.latest.get(kind) !== part) part.end(out);
      }
    }
  }

  private beginAlike(): boolean {
    const [summary] = this.parts.get('summary')!.values();
    const [text] = this.parts.get('reasoning')!.values();
    return summary!.head.startsWith(text!.head) || text!.head.startsWith(summary!.head);
  }

  likely(index: Json | undefined, logprobs: Json | undefined, out: ModelEvent[]): void {
    if (this.reply.wantsLogprobs && !this.hasEnded) this.part('text', index, out).likely(listOf(logprobs), out);
  }

  cite(index: Json | undefined, annotation: Json | undefined, out: ModelEvent[]): void {
    if (this.hasEnded) return;
    // An event without an index concerns the latest text.
    const part = this.parts.get('text')?.get(indexOf(index)) ?? this.latest.get('text');
    (part ?? this.part('text', index, out)).cite(annotation, out);
  }

  /** Ends a part of its reasoning, so that what follows is emitted at once, however long the item continues. */
  endPart(kind: ReasoningKind, index: Json | undefined, out: ModelEvent[]): void {
    this.parts.get(kind)?.get(indexOf(index))?.end(out);
  }

  arguments(json: string, out: ModelEvent[]): void {
    this.call?.add(json, out);
  }

  /** Ends the item with its whole content. */
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
        this.endCall(this.call, item, out);
        break;
      default:
        if (this.call === undefined) this.endOwn(item, out);
        else this.endCall(this.call, item, out);
    }
    for (const parts of this.parts.values()) for (const part of parts.values()) part.end(out);
    this.hasEnded = true;
  }

  private endCall(call: ReplyCall | ReplyTextCall, item: JsonObject, out: ModelEvent[]): void {
    call.complete(argumentsIn({ ...item, type: this.type }), out);
    call.end(out);
  }

  private *endMessage(item: JsonObject, out: ModelEvent[]): Steps<void> {
    const steps = new StepCounter();
    const parts = listOf(item['content']);
    const refusalAt = this.positionsOf('refusal', textsOf('refusal', item));
    const textAt = this.positionsOf('text', textsOf('text', item));
    for (const [index, content] of parts.entries()) {
      if (steps.isOver()) yield;
      if (!isJsonObject(content)) continue;
      const refusal = refusalOf(content);
      if (refusal !== undefined) this.complete('refusal', refusalAt(index), refusal, out);
      const text = citedTextOf(content);
      if (text === undefined) continue;
      const part = this.complete('text', textAt(index), text, out);
      if (this.reply.wantsLogprobs) part.completeLikely(listOf(content['logprobs']), out);
      for (const annotation of listOf(content['annotations'])) part.cite(annotation, out);
    }
  }

  private endReasoning(item: JsonObject, out: ModelEvent[]): void {
    const repeated = this.repetitionIn(item);
    if (repeated === undefined) this.release(out);
    for (const kind of ['summary', 'reasoning'] as const) {
      if (kind === repeated) continue;
      const texts = textsOf(kind, item);
      if (texts.length === 0) continue;
      const streamed = this.streamedKind(kind, item);
      const positionAt = this.positionsOf(streamed, texts);
      for (const [index, text] of texts.entries()) {
        if (text !== undefined) this.complete(streamed, positionAt(index), text, out);
      }
    }
    const data = nonEmpty(item['encrypted_content']);
    if (data === undefined) return;
    const mark = this.mark(false);
    this.reply.sequencer.begin({ type: 'redacted-thinking', data, mark }, { isComplete: true }, out);
  }

  /** The later of summary and reasoning if both have the same text: one of them is emitted. */
  private repetitionIn(item: JsonObject): ReasoningKind | undefined {
    const summary = wordsOf('summary', item);
    if (summary === '' || summary !== wordsOf('reasoning', item)) return undefined;
    return OTHER[[...this.parts.keys()].find(isReasoning) ?? 'reasoning'];
  }

  /** The kind in which the events had it: some providers name their reasoning a summary in the finished item alone. */
  private streamedKind(kind: ReasoningKind, item: JsonObject): PartKind {
    const otherKind = OTHER[kind];
    const isOther = !this.parts.has(kind) && this.parts.has(otherKind) && textsOf(otherKind, item).length === 0;
    return isOther ? otherKind : kind;
  }

  private positionsOf(kind: PartKind, texts: readonly (string | undefined)[]): (index: number) => Placement {
    return placeParts(this.parts.get(kind), texts);
  }

  private complete(kind: PartKind, { index, from }: Placement, text: string, out: ModelEvent[]): ReplyPart {
    const part = this.part(kind, index, out);
    part.add(text.slice(from), out);
    return part;
  }

  private endOwn(item: JsonObject, out: ModelEvent[]): void {
    if (this.type === undefined) return;
    this.reply.ran(item);
    const source = this.type === 'image_generation_call' ? drawnBy(item) : undefined;
    if (source !== undefined) {
      this.reply.sequencer.begin({ type: 'image', source, ...ownId(this.id) }, { isComplete: true }, out);
      return;
    }
    const opaque = { vendor: 'openai-responses', value: item } as const;
    this.reply.sequencer.begin({ type: 'opaque', opaque }, { isComplete: true }, out);
  }

  private part(kind: PartKind, index: Json | undefined, out: ModelEvent[]): ReplyPart {
    let parts = this.parts.get(kind);
    if (parts === undefined) this.parts.set(kind, (parts = new Map<number, ReplyPart>()));
    let part = parts.get(indexOf(index));
    if (part === undefined) {
      // A part ends where the next of its kind begins; parts of other kinds may grow in parallel.
      this.latest.get(kind)?.end(out);
      const isFirst = kind === 'text' && this.reply.beginText();
      const repeated = kind === 'text' && parts.size === 0 ? this.reply.beginMessage() : undefined;
      if (kind === 'refusal') this.reply.refuses();
      part = new ReplyPart(this.startOf(kind), this.reply.sequencer, isFirst, repeated);
      if (isReasoning(kind) && !this.areApart && this.parts.has(OTHER[kind])) part.hold();
      parts.set(indexOf(index), part);
      this.latest.set(kind, part);
    }
    return part;
  }

  private startOf(kind: PartKind): BlockStart {
    switch (kind) {
      case 'text':
        return { type: 'text', ...(this.phase !== undefined && { phase: this.phase }), ...ownId(this.id) };
      case 'refusal':
        return this.refusalStart();
      case 'summary':
      case 'reasoning':
        return { type: 'thinking', mark: this.mark(kind === 'summary') };
    }
  }

  /** A separate text, so that faces of OpenAI's formats can recognise it. */
  private refusalStart(): BlockStart {
    const { id, phase } = this;
    const value = { type: 'refusal', ...(id !== undefined && { id }) };
    return { type: 'text', ...(phase !== undefined && { phase }), extras: { vendor: 'openai', value } };
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

/** The image that the vendor's own tool generated; undefined where it failed. */
function drawnBy({ result, output_format: format }: JsonObject): MediaSource | undefined {
  const data = nonEmpty(result);
  return data === undefined ? undefined : { type: 'base64', mediaType: `image/${nonEmpty(format) ?? 'png'}`, data };
}

/** The index of a part in an event; without one it is the first part. */
const indexOf = (index: Json | undefined): number => (typeof index === 'number' ? index : 0);

const textOf = (part: Json | undefined): string | undefined =>
  isJsonObject(part) ? nonEmpty(part['text']) : undefined;

const refusalOf = (part: Json | undefined): string | undefined =>
  isJsonObject(part) ? nonEmpty(part['refusal']) : undefined;

/** The text of a part, which may be empty where it cites pages. */
const citedTextOf = (part: Json | undefined): string | undefined =>
  textOf(part) ?? (isJsonObject(part) && listOf(part['annotations']).length > 0 ? '' : undefined);

/** The texts of one kind in a finished item, by their indexes. */
function textsOf(kind: PartKind, item: JsonObject): readonly (string | undefined)[] {
  switch (kind) {
    case 'text':
      return listOf(item['content']).map(citedTextOf);
    case 'refusal':
      return listOf(item['content']).map(refusalOf);
    case 'summary':
      return listOf(item['summary']).map(textOf);
    case 'reasoning':
      return listOf(item['content']).map(textOf);
  }
}

/** The text of one kind without white space, however it is divided. */
const wordsOf = (kind: ReasoningKind, item: JsonObject): string => textsOf(kind, item).join('').replaceAll(/\s+/g, '');
