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
import { assertNoFault } from '../stop-reason-table.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';

const AT_ANY_TIME: BlockOptions = { isComplete: true };
/** A call without arguments gets an empty object, not broken JSON. */
const UNTIL_COMPLETE: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };

/** For the one call in the older form of the format, which has no index; no entry of a list has this one. */
const LEGACY_INDEX = -1;

const TEXT: BlockStart = { type: 'text' };
const REFUSAL: BlockStart = { type: 'text', extras: { vendor: 'openai', value: { type: 'refusal' } } };

interface ToolCall {
  /** The provider's own id; undefined where it gave none. */
  readonly givenId: string | undefined;
  readonly block: SequencedBlock;
  readonly scan: ArgumentScan;
}

/** A call whose name has not come yet. */
interface UnnamedCall {
  id: string | undefined;
  json: string;
}

/** All calls that have begun, and their names. */
interface ToolCalls {
  readonly all: ToolCall[];
  readonly byIndex: Map<number, ToolCall>;
  readonly byIndexAndId: Map<string, ToolCall>;
  /** By index: pieces that came before the names of their calls. */
  readonly unnamed: Map<number | undefined, UnnamedCall>;
  readonly names: ToolNames;
  readonly ids: UniqueToolIds;
}

const noCalls = (context: DecodeContext): ToolCalls => ({
  all: [],
  byIndex: new Map(),
  byIndexAndId: new Map(),
  unnamed: new Map(),
  names: toolNamesOf(context),
  ids: new UniqueToolIds(context.request.messages),
});

/**
 * The reply under construction, streamed or whole: it takes pieces, and emits events that obey the grammar. One per
 * reply.
 */
export class ChatReply {
  private hasBegun = false;
  private hasEnded = false;
  private readonly sequencer = new BlockSequencer();
  /** Undefined before the first call. */
  private calls: ToolCalls | undefined;
  /** Undefined until the provider reports that it has finished. */
  private finishReason: string | null | undefined;
  private stopSequence: string | undefined;
  private hasRefusal = false;
  private usage: Usage | undefined;
  private serviceTier: string | undefined;
  private ranVendorTools: true | undefined;
  private outputBytes = 0;
  /** Output bytes before the current chunk. */
  private bytesBefore = 0;
  /** Output bytes at the last report in a chunk without text. */
  private bytesAtReport: number | undefined;
  /** The latest block of reasoning, which grows until it is signed. */
  private reasoning: { readonly block: SequencedBlock; readonly key: string } | undefined;
  /** Undefined before the first. */
  private citations: ReplyCitations | undefined;
  /** Pages cited before there was a text. */
  private readonly unplaced: JsonObject[] = [];
  /** Output bytes at the latest report of the output. */
  private bytesReported = 0;

  constructor(private readonly context: DecodeContext) {}

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Reads the fields beside the choices. The first chunk, whatever it contains, begins the reply. */
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
   * @param chunk the chunk or body that contains it
   */
  content(piece: JsonObject, chunk: JsonObject, out: ModelEvent[]): void {
    if ((piece['reasoning_content'] ?? piece['reasoning'] ?? piece['reasoning_details'] ?? null) !== null) {
      for (const reasoning of readReasoning(piece, this.context.target.endpoint.provider.slug))
        this.think(reasoning, out);
    }
    const { content } = piece;
    if (typeof content === 'string') this.words(content, out);
    // An answer to a schema, in Cloudflare's form.
    else if (isJsonObject(content)) this.words(printed(content), out);
    else if (Array.isArray(content)) readContentParts(content, (type, text) => this.part(type, text, out));
    const refusal = nonEmpty(piece['refusal']);
    if (refusal !== undefined) {
      this.hasRefusal = true;
      this.refuse(refusal, out);
    }
    if (piece['images'] !== undefined) for (const image of listOf(piece['images'])) this.image(image, out);
    this.cite(piece, chunk, out);
    // Groq's compound models search and run programs by themselves; the results count as prompt.
    const ran = piece['executed_tools'];
    if (Array.isArray(ran) && ran.length > 0) this.ranVendorTools = true;
    const calls = piece['tool_calls'];
    if (Array.isArray(calls) && calls.length > 0) {
      for (const call of calls as readonly Json[]) if (isJsonObject(call)) this.toolCall(call, out);
    } else if (isJsonObject(piece['function_call'])) {
      this.toolCall({ index: LEGACY_INDEX, function: piece['function_call'] }, out);
    }
  }

  /** Reads a piece of the answer's text. */
  words(text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.outputBytes += Buffer.byteLength(text);
    const { last } = this.sequencer;
    const continuesBlock = last?.start.type === 'text' && last.start !== REFUSAL;
    this.sequencer.add(
      continuesBlock ? last : this.sequencer.begin(TEXT, AT_ANY_TIME, out),
      { type: 'text', text },
      out,
    );
    if (this.unplaced.length > 0) this.placeCitations(out);
  }

  /**
   * Reads an image that the model generated, in the form that vendors of this format use.
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

  /** Attaches the cited pages to the current text; pages that come before it wait for it. */
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

  /** Attaches log probabilities to their text, for faces of this format; kept only where they were requested. */
  logprobs(choice: JsonObject, out: ModelEvent[]): void {
    const { logprobs } = choice;
    const { last } = this.sequencer;
    if (this.context.request.sampling.logprobs !== true || !isJsonObject(logprobs) || last?.start.type !== 'text')
      return;
    this.sequencer.add(last, { type: 'opaque', opaque: { vendor: 'openai', value: { logprobs } } }, out);
  }

  /** @throws ProviderFault when the finish reason is a failure */
  finish(choice: JsonObject): void {
    const reason = nonEmpty(choice['finish_reason']);
    if (reason === undefined) return;
    assertNoFault(TABLE.stops, reason);
    this.finishReason ??= reason;
    const sequence = nonEmpty(choice['stop_reason']);
    if (sequence !== undefined && this.context.request.stopSequences?.includes(sequence)) this.stopSequence = sequence;
  }

  /** A whole reply has ended even without a finish reason. */
  finishWhole(choice: JsonObject): void {
    this.finish(choice);
    this.finishReason ??= null;
  }

  /** Figures are cumulative: the latest report counts (docs/contribute/decisions/0035-one-rule-for-usage.md). */
  report(value: Json | undefined, out: ModelEvent[]): void {
    const usage = readUsage(value);
    if (usage === undefined) return;
    // Some providers report on every chunk: the first report gives the prompt's size early, and the last one is emitted
    // at the end.
    if (this.usage === undefined && this.finishReason === undefined)
      out.push({ type: 'usage', usage, isInterim: true });
    this.usage = usage;
    // A report without output tokens leaves the figure of an earlier report, which does not count the output after it.
    if (usage.outputTokens !== undefined) this.bytesReported = this.outputBytes;
    this.bytesAtReport = this.outputBytes === this.bytesBefore ? this.outputBytes : undefined;
  }

  /** The sentinel. Directly after a report of usage it ends a reply without a finish reason. */
  done(out: ModelEvent[]): void {
    if (this.bytesAtReport === this.outputBytes) this.finishReason ??= null;
    this.end(out);
  }

  /** @throws ProviderFault `malformed-reply` when the provider never reported that it had finished */
  end(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    if (this.finishReason === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', {
        isCut: true,
      });
    }
    for (const { json } of this.calls?.unnamed.values() ?? []) {
      if (json === '') continue;
      throw new ProviderFault('malformed-reply', 'The provider sent arguments of a tool call that it did not name.');
    }
    this.hasEnded = true;
    if (this.unplaced.length > 0) {
      // Citations after the text, behind a call for example, need a separate text.
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
   * Reasoning that must return to its maker is a separate block, and a signature ends a block. A signature whose
   * block is closed becomes a block without text: its maker reads the thoughts in it.
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

  /** A separate text, so that faces of this format can recognise it. */
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
    if (call === undefined) this.keepUnnamed(piece, json, calls);
    else if (json !== '') this.addArguments(call, json, out);
  }

  /** Some providers send the name after the id, or after the arguments. */
  private keepUnnamed(piece: JsonObject, json: string, { unnamed }: ToolCalls): void {
    const index = readIndex(piece);
    const before = unnamed.get(index);
    this.sequencer.keep(json.length);
    unnamed.set(index, { id: nonEmpty(piece['id']) ?? before?.id, json: (before?.json ?? '') + json });
  }

  private addArguments(call: ToolCall, json: string, out: ModelEvent[]): void {
    const kept = call.scan.take(json);
    if (kept === '') return;
    this.outputBytes += Buffer.byteLength(kept);
    this.sequencer.add(call.block, { type: 'input-json', json: kept }, out);
    if (call.scan.hasEnded) this.sequencer.complete(call.block, out);
  }

  private beginCall(piece: JsonObject, name: string, calls: ToolCalls, out: ModelEvent[]): ToolCall {
    this.outputBytes += Buffer.byteLength(name);
    const index = readIndex(piece);
    const early = calls.unnamed.get(index);
    const givenId = nonEmpty(piece['id']) ?? early?.id;
    calls.unnamed.delete(index);
    const id = calls.ids.take(givenId);
    const start = { type: 'tool-use', id, name: calls.names.toOriginal(name) } as const;
    const block = this.sequencer.begin(start, UNTIL_COMPLETE, out);
    const call: ToolCall = { givenId, block, scan: new ArgumentScan() };
    calls.all.push(call);
    if (index !== undefined) calls.byIndex.set(index, call);
    if (givenId !== undefined) calls.byIndexAndId.set(indexAndId(index, givenId), call);
    if (early !== undefined && early.json !== '') this.addArguments(call, early.json, out);
    return call;
  }

  /** Usage as reported; the charge estimates what is missing (`core/money/judge-usage.ts`). */
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
  // Some providers send the object itself, at once.
  return isJsonObject(value) ? printed(value) : '';
}

/**
 * The call that a piece continues: by index and id, else by index, else the latest one. None when the piece begins
 * another call.
 */
function findCall(piece: JsonObject, name: string | undefined, calls: ToolCalls): ToolCall | undefined {
  const index = readIndex(piece);
  const id = nonEmpty(piece['id']);
  const known =
    (id === undefined ? undefined : calls.byIndexAndId.get(indexAndId(index, id))) ??
    (index === undefined ? calls.all.at(-1) : calls.byIndex.get(index));
  if (name === undefined) return known;
  // Some providers repeat the name in each piece. Others give all calls the same index, or none, and distinguish them
  // by id.
  const beginsAnother = id === undefined ? index === undefined : id !== known?.givenId;
  return beginsAnother ? undefined : known;
}

const indexAndId = (index: number | undefined, id: string): string => `${index ?? ''} ${id}`;

function readIndex(piece: JsonObject): number | undefined {
  const { index } = piece;
  return typeof index === 'number' ? index : undefined;
}
