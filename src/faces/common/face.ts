import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import type { Reply } from '../../core/conversation/reply.js';
import type { Usage } from '../../core/conversation/usage.js';
import type { GatewayError } from '../../core/errors.js';
import type { GenerationStart } from '../../core/generation/generation.js';
import type { GenerationId } from '../../core/ids.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { Bill } from '../../core/money/bill.js';
import type { Steps } from '../../core/steps.js';
import type { FramePrinter } from '../../shared/http/frame-printer.js';

/** The part of a generation that faces read. */
export interface GenerationView {
  readonly id: GenerationId;
  /** Id of the model that answers; the requested name where none does. */
  readonly model: string;
  /** Display name of the provider that answers; empty where none does. */
  readonly provider: string;
  /** Answered with the caller's own credential. */
  readonly isByok: boolean;
  /** Known when the reply has ended. Undefined where nothing was answered. */
  readonly bill: Bill | undefined;
  /** The usage that is charged; known when the reply has ended. */
  readonly charged: Usage | undefined;
  /** Keys that are added at the end of the reply or of its failure; known when it has ended. */
  readonly extras: JsonObject;
  /** The context edits that this gateway applied before sending; absent: the vendor applies them. */
  readonly appliedEdits?: readonly JsonObject[] | undefined;
  /** Files that were converted to text. */
  readonly files: readonly ParsedFile[];
  /** The shortened body that the answering provider received, where the caller requested it. */
  readonly upstreamBody: Json | undefined;
}

/** The form of a whole reply in a wire format. */
export interface WholeFace<Body extends object = object> {
  /** The whole reply's body. @throws ProviderFault when it cannot be printed validly */
  view(generation: GenerationView, reply: Reply): Steps<Body>;
}

/** The form of a reply in a wire format, streamed and whole. */
export interface Face<Body extends object = object> extends WholeFace<Body> {
  /** The printer of one reply, made when the reply begins. */
  printer(generation: GenerationView): FramePrinter;
  /** The in-band failure of a stream that has begun, and the sentinel. */
  readonly failure: (generation: GenerationView, error: GatewayError) => string;
  /**
   * The end of a stream whose process has stopped, for its readers at other processes. Its events are numbered from 0;
   * `continueFrames` continues the numbers that were read. Absent: as `failure`.
   */
  readonly lost?: (generation: GenerationView, error: GatewayError) => string;
}

/** The inference of a controller: `Delivery` begins it, and answers in the form of its face. */
export interface Inference<Body extends object = object> extends GenerationStart {
  /** A `WholeFace` has no streams. */
  readonly face: Face<Body> | WholeFace<Body>;
}
