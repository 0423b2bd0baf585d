import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { BlockSequencer, type BlockOptions, type SequencedBlock } from '../block-sequencer.js';
import { nonEmpty } from '../read-json.js';
import { assertNoFault } from '../stop-reason-table.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';
import { UniqueToolIds } from '../tool-ids.js';
import { CallArguments } from './call-arguments.js';
import { CitedSources } from './cited-sources.js';
import { citationsIn, readCitation } from './read-citations.js';
import { readLogprobs } from './read-logprobs.js';
import { readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';
import { IndexedText } from './indexed-text.js';
import { TABLE } from './table.js';
import { COHERE_REASONING } from './reasoning.js';

const AT_ANY_TIME: BlockOptions = { isComplete: true };
const UNTIL_COMPLETE: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };
const TEXT: BlockStart = { type: 'text' };
/** `tool_plan` of Cohere: a separate text block, whose citation offsets start at 0. */
const PLAN: BlockStart = { type: 'text' };

interface ToolCall {
  readonly block: SequencedBlock;
  readonly json: CallArguments;
}

/**
 * The reply under construction, streamed or whole: it takes pieces, and emits events that obey the grammar. One per
 * reply.
 */
export class CohereReply {
  private hasBegun = false;
  private hasEnded = false;
  private readonly sequencer = new BlockSequencer();
  private readonly thinking: BlockStart;
  private readonly calls = new Map<number, ToolCall>();
  private readonly ids: UniqueToolIds;
  private names: ToolNames | undefined;
  private sources: CitedSources | undefined;
  /** The last text so far. */
  private text = new IndexedText();
  /** Units of the texts before it. */
  private textBefore = 0;
  /** The block at the event's index is open: a start with the same index ends it. */
  private isOpen = false;
  private finishReason: string | null | undefined;
  private usage: Usage | undefined;

  constructor(private readonly context: DecodeContext) {
    const { provider } = context.target.endpoint;
    this.thinking = { type: 'thinking', mark: { format: COHERE_REASONING, provider: provider.slug } };
    this.ids = new UniqueToolIds(context.request.messages);
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  begin(id: Json | undefined, out: ModelEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const replyId = nonEmpty(id);
    out.push(replyId === undefined ? { type: 'reply-start' } : { type: 'reply-start', id: replyId });
  }

  /** Begins a new block with the next piece of content, even of the same kind. */
  beginContent(): void {
    this.isOpen = false;
  }

  /** Reads a part of the content, or a piece of one. */
  content(part: JsonObject, out: ModelEvent[]): void {
    const { text, thinking } = part;
    if (typeof thinking === 'string') this.add(this.thinking, 'thinking', thinking, out);
    if (typeof text === 'string') this.add(TEXT, 'text', text, out);
  }

  /** Reads text about the calls that follow. */
  plan(words: Json | undefined, out: ModelEvent[]): void {
    if (typeof words === 'string') this.add(PLAN, 'text', words, out);
  }

  /** Log probabilities of the text; kept only where they were requested. */
  logprobs(value: Json | undefined, out: ModelEvent[]): void {
    const { last } = this.sequencer;
    if (this.context.request.sampling.logprobs !== true || last?.start !== TEXT) return;
    const read = readLogprobs(value);
    if (read !== undefined)
      this.sequencer.add(last, { type: 'opaque', opaque: { vendor: 'openai', value: read } }, out);
  }

  /** Sources of the last text; citations in reasoning and calls are ignored. */
  cite(value: Json | undefined, out: ModelEvent[]): void {
    const { last } = this.sequencer;
    if (last?.start.type !== 'text') return;
    for (const citation of citationsIn(value)) {
      if ((citation['type'] === 'PLAN') !== (last.start === PLAN)) continue;
      if (citation['type'] === 'THINKING_CONTENT') continue;
      this.sources ??= new CitedSources(this.context.request);
      for (const read of readCitation(citation, this.text, this.textBefore, this.sources))
        this.sequencer.add(last, { type: 'citation', citation: read }, out);
    }
  }

  /** @throws ProviderFault for a call without a name */
  beginCall(index: number, call: JsonObject, out: ModelEvent[]): void {
    const described = isJsonObject(call['function']) ? call['function'] : {};
    const name = nonEmpty(described['name']);
    if (name === undefined) throw new ProviderFault('malformed-reply', 'The provider called a tool without its name.');
    this.names ??= toolNamesOf(this.context);
    const id = this.ids.take(nonEmpty(call['id']));
    const start = { type: 'tool-use', id, name: this.names.toOriginal(name) } as const;
    this.isOpen = false;
    const block = this.sequencer.begin(start, UNTIL_COMPLETE, out);
    this.calls.set(index, { block, json: new CallArguments() });
    this.arguments(index, call, out);
  }

  /** @throws ProviderFault for pieces of a call that did not begin */
  arguments(index: number, call: JsonObject, out: ModelEvent[]): void {
    const described = isJsonObject(call['function']) ? call['function'] : {};
    const piece = described['arguments'];
    if (typeof piece !== 'string' || piece === '') return;
    const known = this.calls.get(index);
    if (known === undefined)
      throw new ProviderFault('malformed-reply', 'The provider sent arguments of a tool call that did not begin.');
    const json = known.json.take(piece);
    if (json !== '') this.sequencer.add(known.block, { type: 'input-json', json }, out);
  }

  endCall(index: number, out: ModelEvent[]): void {
    const known = this.calls.get(index);
    if (known === undefined) return;
    const json = known.json.rest();
    if (json !== '') this.sequencer.add(known.block, { type: 'input-json', json }, out);
    this.sequencer.complete(known.block, out);
  }

  /** @throws ProviderFault when the finish reason is a failure */
  finish(source: JsonObject): void {
    const reason = nonEmpty(source['finish_reason']);
    if (reason !== undefined) assertNoFault(TABLE.stops, reason, nonEmpty(source['error']));
    this.finishReason = reason ?? null;
    this.usage = readUsage(source['usage']);
  }

  /** @throws ProviderFault `malformed-reply` when the provider never reported that it had finished */
  end(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    if (this.finishReason === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', {
        isCut: true,
      });
    }
    this.hasEnded = true;
    for (const index of this.calls.keys()) this.endCall(index, out);
    this.sequencer.finish(out);
    out.push({ type: 'usage', usage: this.usage ?? NO_USAGE });
    out.push({ type: 'reply-end', stop: readStop(this.finishReason, this.calls.size > 0) });
  }

  private add(start: BlockStart, type: 'text' | 'thinking', words: string, out: ModelEvent[]): void {
    if (words === '') return;
    let { last } = this.sequencer;
    if (!this.isOpen || last?.start !== start) {
      last = this.sequencer.begin(start, AT_ANY_TIME, out);
      this.isOpen = true;
      if (type === 'text') {
        this.textBefore += this.text.length;
        this.text = new IndexedText();
      }
    }
    if (type === 'text') this.text.add(words);
    this.sequencer.add(last, { type, text: words }, out);
  }
}
