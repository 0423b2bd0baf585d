import type { BlockDelta, BlockStart, ModelEvent, SourceBytes, StopReason } from '../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import type { ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { viewCitation } from '../../core/conversation/web-citation.js';
import { printJson, type JsonObject, type Opaque } from '../../core/json/json.js';
import { sanitizeUsage } from '../../core/money/sane-usage.js';
import { DONE_FRAME, writeFrame } from '../../core/stream/sse.js';
import type { GenerationView } from '../common/face.js';
import type { FramePrinter } from '../../shared/http/frame-printer.js';
import { ChunkJoiner, type Chunk } from './chunk-joiner.js';
import { printToken } from './reasoning-token.js';
import { ownExtras, viewBlockStart, viewEdits, viewFiles, viewStop, viewUsage } from './view-reply.js';

/**
 * The in-band failure of a stream: an `error` event and the sentinel. The status was already sent
 * (docs/use/streaming.md#failures-in-mid-stream).
 */
export const failureFrames = (body: JsonObject): string => writeFrame('error', JSON.stringify(body)) + DONE_FRAME;

/**
 * Prints a reply's events as the stream of the Messages format (docs/use/streaming.md#events-of-messages). An event
 * with source bytes in that format is printed as these. One instance per reply; the events must obey the grammar.
 */
export class MessageFrames implements FramePrinter {
  private start: Extract<ModelEvent, { type: 'reply-start' }> | undefined;
  private hasPrintedStart = false;
  private usage: Usage = NO_USAGE;
  /** Vendors' own blocks that were left out: the indexes of later ones move up. */
  private hiddenBlocks = 0;
  private isInHiddenBlock = false;
  /** Mark of the open block of reasoning. */
  private mark: ReasoningMark | undefined;
  /**
   * Whether the mark of the open reasoning block must still be emitted: with the signature or, if there is none, at the
   * end of the block.
   */
  private owesMark = false;

  private readonly chunks = new ChunkJoiner();

  constructor(private readonly generation: GenerationView) {}

  print(events: readonly ModelEvent[]): Chunk | undefined {
    for (let index = 0; index < events.length; index++) this.add(events[index]!);
    return this.chunks.take();
  }

  private add(event: ModelEvent): void {
    switch (event.type) {
      case 'reply-start':
        // Held back until another event follows, so that it can carry the usage that often comes right after
        // (docs/contribute/reasons/translation.md#late-usage).
        this.start = event;
        break;
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        break;
      default: {
        if (!this.hasPrintedStart && this.start) {
          this.hasPrintedStart = true;
          this.chunks.add(this.startFrame(this.start.extras));
        }
        const frame = this.contentFrame(event);
        if (frame !== undefined) this.chunks.add(frame);
      }
    }
  }

  private contentFrame(
    event: Exclude<ModelEvent, { type: 'reply-start' | 'usage' }>,
  ): string | SourceBytes | undefined {
    switch (event.type) {
      case 'block-delta':
        if (this.isInHiddenBlock) return undefined;
        if (event.delta.type === 'signature') this.owesMark = false;
        return this.sourceOf(event.source) ?? deltaFrame(event.index - this.hiddenBlocks, event.delta, this.mark);
      case 'block-start':
        return this.blockStartFrame(event.index, event.block);
      case 'block-end':
        return this.blockEndFrame(event.index, event.source);
      case 'reply-end':
        return this.endFrames(event.stop, event.extras);
      case 'ping':
        return event.source?.vendor === 'anthropic' ? event.source : PING_FRAME;
    }
  }

  /** The bytes to be printed unchanged; undefined where the indexes in them would be wrong. */
  private sourceOf(source: SourceBytes | undefined): SourceBytes | undefined {
    return source?.vendor === 'anthropic' && this.hiddenBlocks === 0 ? source : undefined;
  }

  private startFrame(extras: Opaque | undefined): string {
    const { id, model, provider, isByok } = this.generation;
    const own = ownExtras(extras);
    return frame('message_start', {
      message: {
        type: 'message',
        ...own,
        id,
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: own['container'] ?? null,
        // docs/use/streaming.md#events-of-messages: no output exists yet. Vendors send 1 here, and clients that sum up
        // the events count it twice.
        usage: viewUsage({ ...sanitizeUsage(this.usage, Infinity), outputTokens: 0 }, { bill: undefined, isByok }),
        context_management: null,
        provider,
      },
    });
  }

  // Printed anew even where there are source bytes: vendors leave out keys that our blocks always have
  // (docs/use/conventions.md#values).
  private blockStartFrame(index: number, block: BlockStart): string | undefined {
    const view = viewBlockStart(block);
    this.mark = block.type === 'thinking' ? block.mark : undefined;
    this.owesMark = printToken('', this.mark) !== '';
    if (!view) {
      this.hiddenBlocks++;
      this.isInHiddenBlock = true;
      return undefined;
    }
    return frame('content_block_start', { index: index - this.hiddenBlocks, content_block: view });
  }

  private blockEndFrame(index: number, source: SourceBytes | undefined): string | SourceBytes | undefined {
    if (this.isInHiddenBlock) {
      this.isInHiddenBlock = false;
      return undefined;
    }
    const shownIndex = index - this.hiddenBlocks;
    if (this.owesMark) {
      this.owesMark = false;
      this.chunks.add(frame('content_block_delta', { index: shownIndex, delta: unsigned(this.mark) }));
    }
    return this.sourceOf(source) ?? frame('content_block_stop', { index: shownIndex });
  }

  private endFrames(stop: StopReason, extras: Opaque | undefined): string {
    const end = ownExtras(extras);
    const contextManagement = viewEdits(this.generation, end);
    return (
      frame('message_delta', {
        delta: viewStop(stop, ownExtras(this.start?.extras), end),
        usage: viewUsage(this.generation.charged ?? this.usage, this.generation),
        ...(contextManagement !== null && { context_management: contextManagement }),
        ...viewFiles(this.generation),
      }) +
      frame('message_stop', this.generation.extras) +
      DONE_FRAME
    );
  }
}

const frame = (type: string, payload: JsonObject): string => writeFrame(type, printJson({ type, ...payload }));

const PING_FRAME = frame('ping', {});

const unsigned = (mark: ReasoningMark | undefined): JsonObject => ({
  type: 'signature_delta',
  signature: printToken('', mark),
});

const DELTA_HEAD = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';

/** Printed without a serialiser: deltas are most of a stream. */
function deltaFrame(index: number, delta: BlockDelta, mark: ReasoningMark | undefined): string | undefined {
  const json = deltaJson(delta, mark);
  return json === undefined ? undefined : `${DELTA_HEAD}${index},"delta":${json}}\n\n`;
}

/** Undefined for a delta of another vendor's own, which this format cannot express. */
function deltaJson(delta: BlockDelta, mark: ReasoningMark | undefined): string | undefined {
  switch (delta.type) {
    case 'text':
      return `{"type":"text_delta","text":${JSON.stringify(delta.text)}}`;
    case 'thinking':
      return `{"type":"thinking_delta","thinking":${JSON.stringify(delta.text)}}`;
    case 'signature':
      return `{"type":"signature_delta","signature":${JSON.stringify(printToken(delta.signature, mark))}}`;
    case 'input-json':
      return `{"type":"input_json_delta","partial_json":${JSON.stringify(delta.json)}}`;
    case 'citation': {
      const citation = viewCitation(delta.citation);
      return citation === undefined ? undefined : `{"type":"citations_delta","citation":${printJson(citation)}}`;
    }
    case 'opaque':
      return delta.opaque.vendor === 'anthropic' ? printJson(delta.opaque.value) : undefined;
  }
}
