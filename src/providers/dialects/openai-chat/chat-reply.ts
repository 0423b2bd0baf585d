import { append } from '../../../core/append.js';
import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { ProviderFault } from '../../../core/errors.js';
import type { DecodeContext } from '../../../core/provider.js';
import { definedOnly } from '../../../core/defined.js';
import { ArgumentScan } from '../argument-scan.js';
import { BlockSequencer, type SequencedBlock, type BlockOptions } from '../block-sequencer.js';
import { ReplyCitations } from './read-citations.js';
import { readContentParts } from './read-content.js';
import { plainReasoning, readReasoning, type ReasoningPiece } from './read-reasoning.js';
import { readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';
import { TABLE } from './table.js';
import { sourceOf } from '../media-parts.js';
import { listOf, malformed, nonEmpty, objectOf, printed } from '../read-json.js';
import { UniqueToolIds } from '../tool-ids.js';
import { assertNoFault } from '../stop-words.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';

const AT_ANY_TIME: BlockOptions = { isComplete: true };
/** A call without arguments is a call with none of them, not a call with broken ones. */
const UNTIL_COMPLETE: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };

const TEXT: BlockStart = { type: 'text' };
const REFUSAL: BlockStart = { type: 'text', extras: { vendor: 'openai', value: { type: 'refusal' } } };

interface ToolCall {
  /** The provider's own; undefined where it gave none. */
  readonly givenId: string | undefined;
  readonly block: SequencedBlock;
  readonly scan: ArgumentScan;
}

/** All that have begun, and what they are called. */
interface ToolCalls {
  readonly all: ToolCall[];
  readonly byIndex: Map<number, ToolCall>;
  readonly byIndexAndId: Map<string, ToolCall>;
  readonly names: ToolNames;
  readonly ids: UniqueToolIds;
}

const noCalls = (context: DecodeContext): ToolCalls => ({
  all: [],
  byIndex: new Map(),
  byIndexAndId: new Map(),
  names: toolNamesOf(context),
  ids: new UniqueToolIds(context.request.messages),
});

/**
 * The reply under construction, whether it comes in chunks or at once: the pieces go in, events that obey the grammar
 * come out. One per reply.
 */
export class ChatReply {
  private hasBegun = false;
  private hasEnded = false;
  private readonly sequencer = new BlockSequencer();
  /** Undefined before the first call. */
  private calls: ToolCalls | undefined;
  /** Undefined until the provider says that it has finished. */
  private finishReason: string | null | undefined;
  private stopSequence: string | undefined;
  private hasRefusal = false;
  private usage: Usage | undefined;
  private serviceTier: string | undefined;
  private ranVendorTools: true | undefined;
  private outputBytes = 0;
  /** When the chunk being read began. */
  private bytesBefore = 0;
  /** At the last report that stood in a chunk without words. */
  private bytesAtReport: number | undefined;
  /** What the latest reasoning goes on with, until it is signed. */
  private reasoning: { readonly block: SequencedBlock; readonly key: string } | undefined;
  /** Undefined before the first. */
  private citations: ReplyCitations | undefined;
  /** Pages cited before there was a text. */
  private readonly unplaced: JsonObject[] = [];
  /** At the latest report of the output. */
  private bytesReported = 0;

  constructor(private readonly context: DecodeContext) {}

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Reads what stands beside the choices. The first chunk, whatever it holds, begins the reply. */
  envelope(chunk: JsonObject, out: ModelEvent[]): void {
    if (!this.hasBegun) {
      this.hasBegun = true;
      const id = nonEmpty(chunk['id']);
      const model = nonEmpty(chunk['model']);
      out.push(
        id !== undefined && model !== undefined
          ? { type: 'reply-start', id, model }
          : { type: 'reply-start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) },
      );
    }
    this.serviceTier = nonEmpty(chunk['service_tier']) ?? this.serviceTier;
    this.bytesBefore = this.outputBytes;
  }

  /**
   * @param piece a chunk's `delta` or a whole reply's `message`: the same fields, in part or complete
   * @param chunk what it stands in
   */
  content(piece: JsonObject, chunk: JsonObject, out: ModelEvent[]): void {
    if ((piece['reasoning_content'] ?? piece['reasoning'] ?? piece['reasoning_details'] ?? null) !== null) {
      for (const reasoning of readReasoning(piece, this.context.target.endpoint.provider.slug))
        this.think(reasoning, out);
    }
    const { content } = piece;
    if (typeof content === 'string') this.words(content, out);
    // An answer to a schema, as Cloudflare gives it.
    else if (isJsonObject(content)) this.words(printed(content), out);
    else if (Array.isArray(content)) readContentParts(content, (type, text) => this.part(type, text, out));
    const refusal = nonEmpty(piece['refusal']);
    if (refusal !== undefined) {
      this.hasRefusal = true;
      this.refuse(refusal, out);
    }
    if (piece['images'] !== undefined) for (const image of listOf(piece['images'])) this.image(image, out);
    this.cite(piece, chunk, out);
    // Groq's compound models search and run programs unasked; their results count as prompt.
    const ran = piece['executed_tools'];
    if (Array.isArray(ran) && ran.length > 0) this.ranVendorTools = true;
    const calls = piece['tool_calls'];
    if (!Array.isArray(calls)) return;
    for (const call of calls as readonly Json[]) if (isJsonObject(call)) this.toolCall(call, out);
  }

  /** A piece of the answer's text. */
  words(text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.outputBytes += Buffer.byteLength(text);
    const { last } = this.sequencer;
    const goesOn = last?.start.type === 'text' && last.start !== REFUSAL;
    this.sequencer.add(goesOn ? last : this.sequencer.begin(TEXT, AT_ANY_TIME, out), { type: 'text', text }, out);
    if (this.unplaced.length > 0) this.placeCitations(out);
  }

  /**
   * What the model drew, as vendors of this format tell it.
   * @throws ProviderFault `malformed-reply` for what is neither an address nor a data URL
   */
  private image(image: Json, out: ModelEvent[]): void {
    const url = nonEmpty(objectOf(objectOf(image)['image_url'])['url']);
    const source = url === undefined ? undefined : sourceOf(url);
    if (source === undefined) throw malformed('holds an image that cannot be read');
    this.sequencer.begin({ type: 'image', source }, AT_ANY_TIME, out);
  }

  private part(type: 'text' | 'thinking', text: string, out: ModelEvent[]): void {
    if (type === 'text') this.words(text, out);
    else this.think(plainReasoning(text), out);
  }

  /** The pages that the answer cites, at the text there is; those that come before it wait for it. */
  cite(piece: JsonObject | undefined, chunk: JsonObject, out: ModelEvent[]): void {
    const named = piece?.['annotations'] ?? chunk['citations'] ?? chunk['search_results'] ?? null;
    if (named === null && this.unplaced.length === 0) return;
    const pages = (this.citations ??= new ReplyCitations()).read(piece, chunk);
    for (const page of pages) this.sequencer.keep(printed(page).length);
    append(this.unplaced, pages);
    if (this.unplaced.length > 0) this.placeCitations(out);
  }

  private placeCitations(out: ModelEvent[]): void {
    const { last } = this.sequencer;
    if (last?.start.type !== 'text' || last.start === REFUSAL) return;
    for (const citation of this.unplaced.splice(0)) this.sequencer.add(last, { type: 'citation', citation }, out);
  }

  /** Beside the words they are about, for faces of this format; where nobody asked for them they are not kept. */
  logprobs(choice: JsonObject, out: ModelEvent[]): void {
    const { logprobs } = choice;
    const { last } = this.sequencer;
    if (this.context.request.sampling.logprobs !== true || !isJsonObject(logprobs) || last?.start.type !== 'text')
      return;
    this.sequencer.add(last, { type: 'opaque', opaque: { vendor: 'openai', value: { logprobs } } }, out);
  }

  /** @throws ProviderFault when the finish reason stands for a failure */
  finish(choice: JsonObject): void {
    const reason = nonEmpty(choice['finish_reason']);
    if (reason === undefined) return;
    assertNoFault(TABLE.stops, reason);
    this.finishReason ??= reason;
    const sequence = nonEmpty(choice['stop_reason']);
    if (sequence !== undefined && this.context.request.stopSequences?.includes(sequence)) this.stopSequence = sequence;
  }

  /** A whole reply has ended even where it does not say why. */
  finishWhole(choice: JsonObject): void {
    this.finish(choice);
    this.finishReason ??= null;
  }

  /** Figures are cumulative: the latest report counts (docs/reasons/money.md#cumulative-usage). */
  report(value: Json | undefined, out: ModelEvent[]): void {
    const usage = readUsage(value);
    if (usage === undefined) return;
    // Some upstreams report on every chunk: the first report tells the prompt's size early, the last
    // one is given at the end.
    if (this.usage === undefined && this.finishReason === undefined)
      out.push({ type: 'usage', usage, isInterim: true });
    this.usage = usage;
    // One that tells no output leaves the figure of an earlier report, which more was said after.
    if (usage.outputTokens !== undefined) this.bytesReported = this.outputBytes;
    this.bytesAtReport = this.outputBytes === this.bytesBefore ? this.outputBytes : undefined;
  }

  /** The sentinel. Right behind a report of usage it ends a reply that does not say why it does. */
  done(out: ModelEvent[]): void {
    if (this.bytesAtReport === this.outputBytes) this.finishReason ??= null;
    this.end(out);
  }

  /** @throws ProviderFault `malformed-reply` when the provider never said that it had finished */
  end(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    if (this.finishReason === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', {
        isCut: true,
      });
    }
    this.hasEnded = true;
    if (this.unplaced.length > 0) {
      // What is cited behind the text, after a call, say, stands in a text of its own.
      this.sequencer.begin(TEXT, AT_ANY_TIME, out);
      this.placeCitations(out);
    }
    this.sequencer.finish(out);
    const isInterim = this.outputBytes > this.bytesReported;
    out.push({ type: 'usage', usage: this.finalUsage(), ...(isInterim && { isInterim }) });
    const stop = readStop(this.finishReason, {
      hasToolCalls: this.calls !== undefined && this.calls.all.length > 0,
      hasRefusal: this.hasRefusal,
      sequence: this.stopSequence,
    });
    out.push({ type: 'reply-end', stop });
  }

  /**
   * What must go back to its maker is a block of its own; a signature ends one. A signature whose block is closed is
   * one without words: its maker reads those in it.
   */
  private think({ text, key, mark, signature, sealed }: ReasoningPiece, out: ModelEvent[]): void {
    const marked = mark === undefined ? {} : { mark };
    if (sealed !== undefined) {
      this.sequencer.begin({ type: 'redacted-thinking', data: sealed, ...marked }, AT_ANY_TIME, out);
      return;
    }
    if (text === '' && signature === undefined) return;
    let { reasoning } = this;
    if (reasoning === undefined || reasoning.block !== this.sequencer.last || reasoning.key !== key) {
      reasoning = { block: this.sequencer.begin({ type: 'thinking', ...marked }, AT_ANY_TIME, out), key };
    }
    this.reasoning = signature === undefined ? reasoning : undefined;
    this.outputBytes += Buffer.byteLength(text);
    if (text !== '') this.sequencer.add(reasoning.block, { type: 'thinking', text }, out);
    if (signature !== undefined) this.sequencer.add(reasoning.block, { type: 'signature', signature }, out);
  }

  /** A text of its own, so that faces of this format can tell it apart. */
  private refuse(text: string, out: ModelEvent[]): void {
    this.outputBytes += Buffer.byteLength(text);
    const { last } = this.sequencer;
    this.sequencer.add(
      last?.start === REFUSAL ? last : this.sequencer.begin(REFUSAL, AT_ANY_TIME, out),
      { type: 'text', text },
      out,
    );
  }

  private toolCall(piece: JsonObject, out: ModelEvent[]): void {
    const described = isJsonObject(piece['function']) ? piece['function'] : {};
    const name = nonEmpty(described['name']);
    const json = argumentsOf(described['arguments']);
    const calls = (this.calls ??= noCalls(this.context));
    const call =
      findCall(piece, name, calls) ?? (name === undefined ? undefined : this.beginCall(piece, name, calls, out));
    if (json === '') return;
    if (call === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider sent arguments of a tool call that it did not name.');
    }
    const kept = call.scan.take(json);
    if (kept === '') return;
    this.outputBytes += Buffer.byteLength(kept);
    this.sequencer.add(call.block, { type: 'input-json', json: kept }, out);
    if (call.scan.hasEnded) this.sequencer.complete(call.block, out);
  }

  private beginCall(piece: JsonObject, name: string, calls: ToolCalls, out: ModelEvent[]): ToolCall {
    this.outputBytes += Buffer.byteLength(name);
    const givenId = nonEmpty(piece['id']);
    const id = calls.ids.take(givenId);
    const start = { type: 'tool-use', id, name: calls.names.toOriginal(name) } as const;
    const block = this.sequencer.begin(start, UNTIL_COMPLETE, out);
    const call: ToolCall = { givenId, block, scan: new ArgumentScan() };
    calls.all.push(call);
    const index = readIndex(piece);
    if (index !== undefined) calls.byIndex.set(index, call);
    if (givenId !== undefined) calls.byIndexAndId.set(indexAndId(index, givenId), call);
    return call;
  }

  /** As it was reported: what was not is estimated where it is charged (`core/money/judge-usage.ts`). */
  private finalUsage(): Usage {
    const { countsReasoningApart } = this.context.target.definition.quirks;
    const isAlone = (this.serviceTier ?? countsReasoningApart ?? this.ranVendorTools) === undefined;
    if (isAlone && this.usage !== undefined) return this.usage;
    const beside = definedOnly({
      serviceTier: this.serviceTier,
      reasoningIsApart: countsReasoningApart,
      ranVendorTools: this.ranVendorTools,
    });
    return mergeUsage(this.usage ?? NO_USAGE, beside);
  }
}

function argumentsOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  // Some upstreams send the object itself, at once.
  return isJsonObject(value) ? printed(value) : '';
}

/**
 * The call a piece goes on with: that of its index and id, else of its index, else the latest; none when the piece
 * begins another.
 */
function findCall(piece: JsonObject, name: string | undefined, calls: ToolCalls): ToolCall | undefined {
  const index = readIndex(piece);
  const id = nonEmpty(piece['id']);
  const known =
    (id === undefined ? undefined : calls.byIndexAndId.get(indexAndId(index, id))) ??
    (index === undefined ? calls.all.at(-1) : calls.byIndex.get(index));
  if (name === undefined) return known;
  // Some upstreams repeat the name in each piece; others give all calls the same index, or none,
  // and tell them apart by id.
  const beginsAnother = id === undefined ? index === undefined : id !== known?.givenId;
  return beginsAnother ? undefined : known;
}

const indexAndId = (index: number | undefined, id: string): string => `${index ?? ''} ${id}`;

function readIndex(piece: JsonObject): number | undefined {
  const { index } = piece;
  return typeof index === 'number' ? index : undefined;
}
