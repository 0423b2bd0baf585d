import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { doAtOnce, type Steps } from '../../../core/steps.js';
import { BlockSequencer, type BlockOptions, type SequencedBlock } from '../block-sequencer.js';
import { nonEmpty, objectOf } from '../read-json.js';
import { UniqueToolIds } from '../tool-ids.js';
import { assertNoFault } from '../stop-reason-table.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';
import { NAMING } from './encode-context.js';
import { PartialCall } from './partial-call.js';
import { ReplySources } from './read-citations.js';
import { readLogprobs } from './read-logprobs.js';
import { NO_REASON, readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';
import { isOwnPart, isPicture, markOf, pictureId, sealPart } from './signatures.js';
import { TABLE } from './table.js';

const AT_ANY_TIME: BlockOptions = { isComplete: true };
const UNREADABLE = "The provider could not read its model's answer.";
const TEXT: BlockStart = { type: 'text' };

/**
 * The reply under construction, streamed or whole: it takes pieces, and emits events that obey the grammar. One per
 * reply.
 */
export class GeminiReply {
  private hasBegun = false;
  private readonly sequencer = new BlockSequencer();
  private readonly provider: string;
  private readonly thinkingStart: BlockStart;
  /** The latest block of thoughts, which grows until it is signed. */
  private thoughts: SequencedBlock | undefined;
  /** Signatures of the open text, emitted when the text is complete. */
  private textSignatures: string[] = [];
  private hasCalls = false;
  private pictures = 0;
  private readonly ids: UniqueToolIds;
  private openCall: PartialCall | undefined;
  private names: ToolNames | undefined;
  private readonly sources = new ReplySources((characters) => this.sequencer.keep(characters));
  /** Undefined until the provider reports that it has finished. */
  private finishReason: string | null | undefined;
  private blockReason: string | undefined;
  private usage: Usage | undefined;
  private outputBytes = 0;
  /** Output bytes at the latest report. */
  private bytesReported = 0;
  /** Whether the provider has stated an answer, or that there is none. */
  private hasCandidate = false;

  constructor(private readonly context: DecodeContext) {
    this.ids = new UniqueToolIds(context.request.messages);
    this.provider = context.target.endpoint.provider.slug;
    this.thinkingStart = { type: 'thinking', mark: markOf(this.provider) };
  }

  get hasAnswer(): boolean {
    return this.hasCandidate || this.blockReason !== undefined;
  }

  /** Reads the fields beside the candidates. The first chunk begins the reply. */
  envelope(chunk: JsonObject, out: ModelEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const id = nonEmpty(chunk['responseId']);
    const model = nonEmpty(chunk['modelVersion']);
    out.push({ type: 'reply-start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) });
  }

  /** Reads one part of a turn, complete or as far as it has come. */
  *part(part: JsonObject, out: ModelEvent[]): Steps<void> {
    const { text, functionCall } = part;
    const signature = nonEmpty(part['thoughtSignature']);
    if (typeof text === 'string') {
      if (part['thought'] === true) this.think(text, signature, out);
      else this.words(text, signature, out);
    } else if (isJsonObject(functionCall)) {
      yield* this.call(functionCall, signature, out);
    } else if (isPicture(part)) {
      this.picture(objectOf(part['inlineData']), signature, out);
    } else if (isOwnPart(part)) {
      this.seal(sealPart(part), undefined, out);
    } else if (Object.keys(part).every((key) => key === 'thoughtSignature' || key === 'thought')) {
      this.words('', signature, out);
    } else {
      // Parts that neither face supports: audio, drafts of images, and future kinds.
      this.begin({ type: 'opaque', opaque: { vendor: 'google', value: part } }, out);
    }
  }

  /** Reads the fields beside the parts: cited pages and log probabilities. */
  beside(candidate: JsonObject, out: ModelEvent[]): void {
    this.hasCandidate = true;
    this.sources.read(candidate);
    const { sampling } = this.context.request;
    const { last } = this.sequencer;
    if (candidate['logprobsResult'] === undefined || last?.start.type !== 'text') return;
    if (sampling.logprobs !== true && sampling.topLogprobs === undefined) return;
    const logprobs = readLogprobs(objectOf(candidate['logprobsResult']));
    this.sequencer.add(last, { type: 'opaque', opaque: { vendor: 'openai', value: { logprobs } } }, out);
  }

  /** @throws ProviderFault when the finish reason is a failure */
  finish(candidate: JsonObject): void {
    const reason = nonEmpty(candidate['finishReason']);
    if (reason === undefined || reason === NO_REASON) return;
    assertNoFault(TABLE.stops, reason, nonEmpty(candidate['finishMessage']), UNREADABLE);
    this.finishReason = reason;
  }

  /** The prompt itself may be refused: then there is no candidate. */
  feedback(promptFeedback: JsonObject): void {
    this.blockReason = nonEmpty(promptFeedback['blockReason']) ?? this.blockReason;
  }

  /**
   * Figures are cumulative: the latest report counts (docs/contribute/decisions/0035-one-rule-for-usage.md).
   * @returns whether it has any figures
   */
  report(value: Json | undefined, out: ModelEvent[]): boolean {
    const usage = readUsage(value);
    if (usage === undefined) return false;
    // The first report gives the prompt's size early; the last one is emitted at the end.
    if (this.usage === undefined) out.push({ type: 'usage', usage, isInterim: true });
    this.usage = usage;
    return true;
  }

  /** The latest report counts all output so far. */
  reported(): void {
    this.bytesReported = this.outputBytes;
  }

  /** A whole reply has ended even without a finish reason. */
  endWhole(out: ModelEvent[]): void {
    this.finishReason ??= this.blockReason === undefined ? null : undefined;
    this.end(out);
  }

  /** @throws ProviderFault `malformed-reply` when the provider never reported that it had finished */
  end(out: ModelEvent[]): void {
    const { finishReason, blockReason } = this;
    if (finishReason === undefined && blockReason === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', {
        isCut: true,
      });
    }
    if (this.openCall !== undefined) this.completeCall(doAtOnce(this.openCall.cut()), out);
    this.cite(out);
    this.flushSignatures(out);
    this.sequencer.finish(out);
    const isInterim = this.outputBytes > this.bytesReported;
    out.push({ type: 'usage', usage: this.finalUsage(), ...(isInterim && { isInterim }) });
    out.push({ type: 'reply-end', stop: readStop(finishReason, blockReason, this.hasCalls) });
  }

  private think(text: string, signature: string | undefined, out: ModelEvent[]): void {
    if (text === '' && signature === undefined) return;
    this.outputBytes += Buffer.byteLength(text);
    const continuesBlock = this.thoughts !== undefined && this.sequencer.last === this.thoughts;
    if (!continuesBlock) this.thoughts = this.begin(this.thinkingStart, out);
    const block = this.thoughts!;
    if (text !== '') this.sequencer.add(block, { type: 'thinking', text }, out);
    if (signature === undefined) return;
    this.sequencer.add(block, { type: 'signature', signature }, out);
    this.thoughts = undefined;
  }

  private picture(data: JsonObject, signature: string | undefined, out: ModelEvent[]): void {
    const mediaType = nonEmpty(data['mimeType'])!;
    this.pictures++;
    if (signature !== undefined) this.seal(signature, pictureId(this.pictures), out);
    this.begin({ type: 'image', source: { type: 'base64', mediaType, data: nonEmpty(data['data'])! } }, out);
  }

  private words(text: string, signature: string | undefined, out: ModelEvent[]): void {
    const { last } = this.sequencer;
    const isOpen = last?.start.type === 'text';
    if (text !== '') {
      this.outputBytes += Buffer.byteLength(text);
      this.sources.addText(text);
      this.sequencer.add(isOpen ? last : this.begin(TEXT, out), { type: 'text', text }, out);
    }
    if (signature === undefined) return;
    // The signature is emitted after the text, because a block in between would split the text.
    if (!isOpen && text === '') return this.seal(signature, undefined, out);
    this.sequencer.keep(signature.length);
    this.textSignatures.push(signature);
  }

  private *call(piece: JsonObject, signature: string | undefined, out: ModelEvent[]): Steps<void> {
    const name = nonEmpty(piece['name']);
    if (name !== undefined) {
      if (this.openCall !== undefined) this.completeCall(yield* this.openCall.cut(), out);
      this.openCall = new PartialCall(name, nonEmpty(piece['id']), signature, objectOf(piece['args']));
    }
    const { openCall } = this;
    // The event ends a call that has already ended.
    if (openCall === undefined) return;
    openCall.add(piece['partialArgs']);
    if (piece['willContinue'] !== true) this.completeCall(yield* openCall.whole(), out);
  }

  private completeCall(json: string, out: ModelEvent[]): void {
    const { name, givenId, signature } = this.openCall!;
    this.openCall = undefined;
    this.names ??= toolNamesOf(this.context, NAMING);
    const id = this.ids.take(givenId);
    this.hasCalls = true;
    this.outputBytes += Buffer.byteLength(name) + Buffer.byteLength(json);
    if (signature !== undefined) this.seal(signature, id, out);
    const block = this.begin({ type: 'tool-use', id, name: this.names.toOriginal(name) }, out);
    this.sequencer.add(block, { type: 'input-json', json }, out);
  }

  /** @param id the call or image with the signature */
  private seal(data: string, id: string | undefined, out: ModelEvent[]): void {
    this.begin({ type: 'redacted-thinking', data, mark: markOf(this.provider, id) }, out);
  }

  private begin(start: BlockStart, out: ModelEvent[]): SequencedBlock {
    this.flushSignatures(out);
    return this.sequencer.begin(start, AT_ANY_TIME, out);
  }

  private flushSignatures(out: ModelEvent[]): void {
    if (this.textSignatures.length === 0) return;
    const signatures = this.textSignatures;
    this.textSignatures = [];
    const mark = { ...markOf(this.provider), isOfText: true };
    for (const data of signatures) this.sequencer.begin({ type: 'redacted-thinking', data, mark }, AT_ANY_TIME, out);
  }

  /** Attaches citations to the current text; citations after a call, for example, need a separate text. */
  private cite(out: ModelEvent[]): void {
    const citations = this.sources.cite();
    if (citations.length === 0) return;
    const { last } = this.sequencer;
    const block = last?.start.type === 'text' ? last : this.begin(TEXT, out);
    for (const citation of citations) this.sequencer.add(block, { type: 'citation', citation }, out);
  }

  /** Usage as reported; the charge estimates what is missing (`core/money/judge-usage.ts`). */
  private finalUsage(): Usage {
    const { searches, fetches } = this.sources;
    const beside = definedOnly({
      webSearchRequests: searches > 0 ? searches : undefined,
      webFetchRequests: fetches > 0 ? fetches : undefined,
    });
    return mergeUsage(this.usage ?? NO_USAGE, beside);
  }
}
