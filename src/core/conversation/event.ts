import type { Json, Opaque, Vendor } from '../json/json.js';
import type { MediaSource } from './content.js';
import type { ByteRange } from '../stream/byte-range.js';
import type { ReasoningMark } from './reasoning-mark.js';
import type { Computed } from './task.js';
import type { Usage } from './usage.js';

/**
 * The bytes an event was read from, if they are one well-formed frame with exactly the content of the event. A face of
 * the same format prints them unchanged. A step that changes an event makes a new one, without them.
 */
export interface SourceBytes extends ByteRange {
  readonly vendor: Vendor;
}

/** The result of a use of a tool that this gateway ran, in the form of the Messages format. */
export interface ServiceToolResult {
  /** Type of the block. */
  readonly type: string;
  readonly toolUseId: string;
  readonly content: Json;
  /** The picture in it, for a format without a block for it. */
  readonly image?: MediaSource;
  /**
   * Seals the whole use, for a later turn of a format without a block for it; only this gateway reads it.
   * @param lengthMax in characters
   * @returns undefined where it is longer
   */
  readonly seal: (lengthMax: number) => string | undefined;
}

/** The start of a block. `extras` carries the wire keys of the block that core does not model. */
export type BlockStart =
  | { readonly type: 'text'; readonly phase?: string; readonly extras?: Opaque }
  | { readonly type: 'thinking'; readonly mark?: ReasoningMark; readonly extras?: Opaque }
  | {
      readonly type: 'redacted-thinking';
      readonly data: string;
      readonly mark?: ReasoningMark;
      readonly extras?: Opaque;
    }
  | { readonly type: 'tool-use'; readonly id: string; readonly name: string; readonly extras?: Opaque }
  /** A tool that the vendor or this gateway runs; its arguments stream like those of a function. */
  | { readonly type: 'server-tool-use'; readonly id: string; readonly name: string; readonly extras?: Opaque }
  /** The result of a tool that this gateway ran. Arrives whole. */
  | { readonly type: 'service-tool-result'; readonly result: ServiceToolResult }
  /** A picture that the model drew. Arrives whole. */
  | { readonly type: 'image'; readonly source: MediaSource; readonly extras?: Opaque }
  /** Arrives whole, or grows by opaque deltas. */
  | { readonly type: 'opaque'; readonly opaque: Opaque };

export type BlockDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'signature'; readonly signature: string }
  /** A piece of the arguments' JSON text, cut anywhere. */
  | { readonly type: 'input-json'; readonly json: string }
  /** A citation in the shape of the Messages format, for every vendor (`core/conversation/web-citation.ts`). */
  | { readonly type: 'citation'; readonly citation: Json }
  | { readonly type: 'opaque'; readonly opaque: Opaque };

/** Why a reply ended, in our own terms; `StopReason.raw` has the vendor's value. */
export type UnifiedStop =
  | 'end-turn'
  | 'output-limit'
  | 'context-limit'
  | 'stop-sequence'
  | 'tool-use'
  | 'pause'
  | 'refusal'
  | 'content-filter'
  | 'compaction'
  /** The task of the request is done. */
  | 'computed'
  | 'other';

export interface StopReason {
  readonly unified: UnifiedStop;
  /** The vendor's own word; `null` where there was none. */
  readonly raw: string | null;
  readonly vendor: Vendor;
  /** The stop sequence that was met. */
  readonly sequence?: string;
}

/**
 * The one sequence every reply takes, streamed or whole: start; then for each block its start, deltas and end,
 * with indexes that rise by one from zero; at least one usage; one end. A failure is not an event: the iterator
 * throws a `ProviderFault`.
 */
export type ModelEvent =
  | {
      readonly type: 'reply-start';
      /** The provider's id of the reply. */
      readonly id?: string;
      /** The model's name at the provider. */
      readonly model?: string;
      readonly extras?: Opaque;
    }
  | { readonly type: 'block-start'; readonly index: number; readonly block: BlockStart; readonly source?: SourceBytes }
  | { readonly type: 'block-delta'; readonly index: number; readonly delta: BlockDelta; readonly source?: SourceBytes }
  | { readonly type: 'block-end'; readonly index: number; readonly source?: SourceBytes }
  /** `isInterim`: content followed this report, so that its figures of the output are not final. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly isInterim?: boolean }
  | {
      readonly type: 'reply-end';
      readonly stop: StopReason;
      readonly extras?: Opaque;
      /** The result of the request's task, instead of blocks. */
      readonly computed?: Computed;
    }
  | { readonly type: 'ping'; readonly source?: SourceBytes };

/**
 * True for the first event that commits a reply to its provider: before it another provider may be tried, after it
 * none.
 */
export function isCommitting(event: ModelEvent): boolean {
  switch (event.type) {
    case 'block-delta':
      return !isEmptyDelta(event.delta);
    case 'block-start':
      return arrivesWhole(event.block);
    case 'reply-end':
      return true;
    case 'reply-start':
    case 'block-end':
    case 'usage':
    case 'ping':
      return false;
  }
}

/** True when the whole content of the block is in its start. */
export function arrivesWhole(block: BlockStart): boolean {
  if (block.type === 'opaque') return block.opaque.value['content'] !== null;
  return block.type === 'redacted-thinking' || block.type === 'service-tool-result' || block.type === 'image';
}

function isEmptyDelta(delta: BlockDelta): boolean {
  switch (delta.type) {
    case 'text':
    case 'thinking':
      return delta.text === '';
    case 'input-json':
      return delta.json === '';
    case 'signature':
      return delta.signature === '';
    case 'citation':
    case 'opaque':
      return false;
  }
}

/** The length of a delta's text, in UTF-16 units. */
export function charactersOf(delta: BlockDelta): number {
  switch (delta.type) {
    case 'text':
    case 'thinking':
      return delta.text.length;
    case 'input-json':
      return delta.json.length;
    case 'signature':
    case 'citation':
    case 'opaque':
      return 0;
  }
}
