import type { MediaSource } from '../../core/conversation/content.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { viewParsedFile } from '../../core/conversation/parsed-file.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import { printJson, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';
import { generationSeconds } from '../../core/ids.js';
import { DONE_FRAME, writeFrame } from '../../core/stream/sse.js';
import type { GenerationView } from '../common/face.js';
import type { FramePrinter } from '../../shared/http/frame-printer.js';
import type { SealUse } from '../common/seal-tool-results.js';
import { ContentText } from './content-text.js';
import {
  isRefusal,
  isSealOfText,
  logprobsOf,
  NO_ARGUMENTS,
  reasoningSealed,
  reasoningText,
  sealedText,
  sealedTools,
  type SealedText,
  viewAnnotations,
  viewImage,
  viewPhase,
} from './view-block.js';
import { viewFinish } from './view-finish.js';
import { viewServiceTier } from '../common/view-cost.js';
import { viewUsage } from './view-usage.js';

/** The options of a request that determine the form of its reply. */
export interface ReplyOptions {
  /** The caller wants no reasoning in the reply. */
  readonly hidesReasoning: boolean;
  /**
   * The usage comes in a chunk without a choice: the caller requested it by the format's own option, and expects that.
   */
  readonly sendsUsageSeparately: boolean;
}

/** The common members of all chunks of a stream. */
export const chunkHead = ({ id, model, provider }: GenerationView): JsonObject => ({
  id,
  object: 'chat.completion.chunk',
  created: generationSeconds(id),
  model,
  provider,
});

/**
 * The in-band failure of a stream (docs/use/streaming.md#failures-in-mid-stream) and the sentinel. The status was
 * already sent.
 */
export const failureFrames = (head: JsonObject, error: JsonObject): string =>
  chunk({
    ...head,
    ...error,
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
  }) + DONE_FRAME;

const chunk = (payload: JsonObject): string => writeFrame('', printJson(payload));

const openingOf = (head: JsonObject): string => `data: ${printJson(head).slice(0, -1)},"choices":[{"index":0,"delta":`;

const ROLE: JsonObject = { role: 'assistant', content: '' };

/**
 * Prints a reply's events as chunks (docs/use/chat.md#chunks). One instance per reply; the events must obey the
 * grammar.
 */
export class ChatFrames implements FramePrinter {
  private usage: Usage = NO_USAGE;
  private head: JsonObject;
  /** A chunk with one choice, up to its delta: it is most of what a stream prints. */
  private opening: string;
  private readonly content = new ContentText();

  private block: BlockStart | undefined;
  private blockBegan = 0;
  private citations: Json[] = [];
  private hasArguments = false;
  private calls = 0;
  private reasonings = 0;
  private images = 0;
  private readonly phases = new Set<string | undefined>();
  /** Seals of the text. */
  private readonly textSeals: SealedText[] = [];
  /** Seals of the results of the gateway's tools. */
  private readonly seals: SealUse[] = [];

  constructor(
    private readonly generation: GenerationView,
    private readonly options: ReplyOptions,
  ) {
    this.head = chunkHead(generation);
    this.opening = openingOf(this.head);
  }

  print(events: readonly ModelEvent[]): string | undefined {
    let text = '';
    // Texts that came together are sent together: a chunk has twice the bytes of an event of the Messages format.
    let words = '';
    for (let index = 0; index < events.length; index++) {
      const event = events[index]!;
      const more = this.wordsOf(event);
      words += more ?? '';
      if (more !== undefined) continue;
      if (words !== '') text += this.words(words);
      words = '';
      text += this.frames(event);
    }
    if (words !== '') text += this.words(words);
    return text === '' ? undefined : text;
  }

  /** Text of the answer; undefined for every other event. */
  private wordsOf(event: ModelEvent): string | undefined {
    if (event.type !== 'block-delta' || event.delta.type !== 'text') return undefined;
    return this.block?.type === 'text' && !isRefusal(this.block) ? event.delta.text : undefined;
  }

  private frames(event: ModelEvent): string {
    switch (event.type) {
      case 'reply-start':
        return this.echo() + this.delta(ROLE);
      case 'block-start':
        return this.begin(event.block);
      case 'block-delta':
        return this.grow(event.delta);
      case 'block-end':
        return this.end();
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        return '';
      case 'reply-end':
        return this.finish(event.stop);
      case 'ping':
        // Comments keep the connection alive.
        return '';
    }
  }

  /** docs/use/chat.md#echo-of-the-upstream-body: a separate chunk, before all others, without a choice. */
  private echo(): string {
    const { upstreamBody } = this.generation;
    if (upstreamBody === undefined) return '';
    return chunk({ ...this.head, choices: [], debug: { echo_upstream_body: upstreamBody } });
  }

  private begin(block: BlockStart): string {
    this.nameModel();
    this.block = block;
    if (block.type !== 'text') this.content.interrupt();
    this.blockBegan = this.content.nextStart;
    this.citations = [];
    this.hasArguments = false;
    switch (block.type) {
      case 'tool-use': {
        const { id, name } = block;
        const call = { index: this.calls++, id, type: 'function', function: { name, arguments: '' } };
        return this.delta({ tool_calls: [call] });
      }
      case 'redacted-thinking':
        if (isSealOfText(block)) {
          this.textSeals.push(block);
          return '';
        }
        return this.reasoning({ reasoning_details: [reasoningSealed(this.reasonings++, block.data, block.mark)] });
      case 'thinking':
        this.reasonings++;
        return '';
      case 'text':
        if (!isRefusal(block)) this.phases.add(block.phase);
        return '';
      case 'image':
        return this.image(block.source);
      case 'service-tool-result':
        this.seals.push(block.result.seal);
        return block.result.image ? this.image(block.result.image) : '';
      case 'server-tool-use':
      case 'opaque':
        return '';
    }
  }

  /** A later call of a loop may be answered by another model. */
  private nameModel(): void {
    const { model, provider } = this.generation;
    if (model === this.head['model'] && provider === this.head['provider']) return;
    this.head = chunkHead(this.generation);
    this.opening = openingOf(this.head);
  }

  private grow(delta: BlockDelta): string {
    const { block } = this;
    switch (block?.type) {
      case 'text':
        if (delta.type === 'citation') this.citations.push(delta.citation);
        if (delta.type === 'opaque') return this.likelihood(delta.opaque);
        // Any other text is handled by `print`.
        return delta.type === 'text' && delta.text !== '' ? this.delta({ refusal: delta.text }) : '';
      case 'thinking':
        return this.think(delta);
      case 'tool-use':
        return delta.type === 'input-json' ? this.pass(delta.json) : '';
      default:
        return '';
    }
  }

  /** Printed without a serialiser, as in `pass`. */
  private words(text: string): string {
    return this.written(`{"content":${JSON.stringify(this.content.add(text))}}`);
  }

  private pass(json: string): string {
    if (json === '') return '';
    this.hasArguments = true;
    const index = this.calls - 1;
    return this.written(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(json)}}}]}`);
  }

  private think(delta: BlockDelta): string {
    const index = this.reasonings - 1;
    const mark = this.block?.type === 'thinking' ? this.block.mark : undefined;
    if (delta.type === 'thinking' && delta.text !== '') {
      return this.reasoning({
        reasoning: delta.text,
        reasoning_details: [reasoningText(index, delta.text, undefined, mark)],
      });
    }
    if (delta.type === 'signature' && delta.signature !== '') {
      return this.reasoning({ reasoning_details: [reasoningText(index, undefined, delta.signature, mark)] });
    }
    return '';
  }

  private image(source: MediaSource): string {
    return this.delta({ images: [viewImage(source, this.images++)] });
  }

  private likelihood(opaque: Opaque): string {
    const logprobs = logprobsOf(opaque);
    return logprobs ? this.written('{"content":""}', printJson(logprobs)) : '';
  }

  private end(): string {
    const { block } = this;
    this.block = undefined;
    if (block?.type === 'tool-use') return this.hasArguments ? '' : this.pass(NO_ARGUMENTS);
    if (this.citations.length === 0) return '';
    const annotations = viewAnnotations(this.citations, this.blockBegan, this.content.length);
    return annotations.length > 0 ? this.delta({ annotations }) : '';
  }

  private finish(stop: StopReason): string {
    this.nameModel();
    const choice = { index: 0, delta: viewPhase(this.phases), logprobs: null, ...viewFinish(stop) };
    return (
      this.sealedWords() +
      this.carriedTools() +
      this.parsedFiles() +
      chunk({ ...this.head, choices: [choice] }) +
      chunk({
        ...this.head,
        choices: this.options.sendsUsageSeparately
          ? []
          : [{ index: 0, delta: ROLE, logprobs: null, finish_reason: null }],
        usage: viewUsage(this.generation.charged ?? this.usage, this.generation),
        ...viewServiceTier(this.usage, this.generation),
        ...this.generation.extras,
      }) +
      DONE_FRAME
    );
  }

  private sealedWords(): string {
    const details = sealedText(this.textSeals, this.content, this.reasonings);
    this.reasonings += details.length;
    return details.length === 0 ? '' : this.reasoning({ reasoning_details: details });
  }

  private carriedTools(): string {
    if (this.calls === 0 || this.seals.length === 0) return '';
    return this.delta({ reasoning_details: sealedTools(this.seals, this.reasonings) });
  }

  private parsedFiles(): string {
    const { files } = this.generation;
    return files.length === 0 ? '' : this.delta({ annotations: files.map(viewParsedFile) });
  }

  private reasoning(delta: JsonObject): string {
    return this.options.hidesReasoning ? '' : this.delta(delta);
  }

  private delta(delta: JsonObject): string {
    return this.written(printJson(delta));
  }

  private written(delta: string, logprobs = 'null'): string {
    return `${this.opening}${delta},"logprobs":${logprobs},"finish_reason":null}]}\n\n`;
  }
}
