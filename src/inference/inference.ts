import type { Reply } from '../core/conversation/reply.js';
import type { GatewayError } from '../core/errors.js';
import type { Generation, GenerationStart } from '../core/generation/generation.js';
import type { FramePrinter } from '../shared/http/frame-printer.js';

/** What faces read of a generation. What is known at the end only is read when the reply ends. */
export type GenerationView = Pick<
  Generation,
  'id' | 'model' | 'provider' | 'isByok' | 'bill' | 'extras' | 'upstreamBody'
>;

/** How a reply looks in a wire format, streamed and whole. */
export interface Face<Body extends object = object> {
  /** One per reply, made when it begins. */
  printer(generation: GenerationView): FramePrinter;
  /** The whole reply's body. @throws ProviderFault when it cannot be printed validly */
  view(generation: GenerationView, reply: Reply): Body;
  /** The in-band failure of a stream that has begun, and the sentinel. */
  failure(generation: GenerationView, error: GatewayError): string;
}

/** What a controller of inference asks for: `Delivery` begins it, and answers in the words of its face. */
export interface Inference<Body extends object = object> extends GenerationStart {
  readonly face: Face<Body>;
}
