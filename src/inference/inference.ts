import type { ParsedFile } from '../core/conversation/parsed-file.js';
import type { Reply } from '../core/conversation/reply.js';
import type { Usage } from '../core/conversation/usage.js';
import type { GatewayError } from '../core/errors.js';
import type { GenerationStart } from '../core/generation/generation.js';
import type { GenerationId } from '../core/ids.js';
import type { Json, JsonObject } from '../core/json/json.js';
import type { Bill } from '../core/money/bill.js';
import type { Steps } from '../core/steps.js';
import type { FramePrinter } from '../shared/http/frame-printer.js';

/** What faces read of a generation. */
export interface GenerationView {
  readonly id: GenerationId;
  /** Id of the model that answers; the name that was asked for where nobody does. */
  readonly model: string;
  /** Display name of who answers; empty where nobody does. */
  readonly provider: string;
  /** Answered through a credential of the caller's own. */
  readonly isByok: boolean;
  /** Known when the reply has ended. Undefined where nothing was answered. */
  readonly bill: Bill | undefined;
  /** The usage that is charged; known when the reply has ended. */
  readonly charged: Usage | undefined;
  /** Keys that are added where the reply or its failure ends; known when it has ended. */
  readonly extras: JsonObject;
  /** What this gateway cleared of the request before it was sent; absent: that was left to the vendor. */
  readonly appliedEdits?: readonly JsonObject[] | undefined;
  /** Files that were turned into words. */
  readonly files: readonly ParsedFile[];
  /** What the answering provider was sent, shortened, where the caller wants to see it. */
  readonly upstreamBody: Json | undefined;
}

/** How a reply looks in a wire format, streamed and whole. */
export interface Face<Body extends object = object> {
  /** One per reply, made when it begins. */
  printer(generation: GenerationView): FramePrinter;
  /** The whole reply's body. @throws ProviderFault when it cannot be printed validly */
  view(generation: GenerationView, reply: Reply): Steps<Body>;
  /** The in-band failure of a stream that has begun, and the sentinel. */
  failure(generation: GenerationView, error: GatewayError): string;
}

/** What a controller of inference asks for: `Delivery` begins it, and answers in the words of its face. */
export interface Inference<Body extends object = object> extends GenerationStart {
  readonly face: Face<Body>;
}
