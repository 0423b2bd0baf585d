import type { JsonObject } from '../../core/json/json.js';
import type { Face, GenerationView } from '../common/face.js';
import { lostFrames, ResponseFrames } from './frames.js';
import type { ReplyOptions } from './output-items.js';
import type { ResponseBody } from './schemas/reply.js';
import { viewReply } from './view-response.js';

/** Fields of the request that a reply repeats, and the options that determine its form. */
export interface ResponseOptions extends ReplyOptions {
  readonly echo: JsonObject;
}

/** The views of one request's generation in the responses format. */
export function responsesFace(options: ResponseOptions): Face<ResponseBody> {
  /** A failure continues the numbers and the items of the stream. */
  let frames: ResponseFrames | undefined;
  const printer = (generation: GenerationView): ResponseFrames =>
    (frames ??= new ResponseFrames(generation, options.echo, options));
  return {
    printer,
    view: (generation, reply) => viewReply(reply, generation, options),
    failure: (generation, error) => printer(generation).fail(error),
    lost: (generation, error) => lostFrames(generation, options.echo, error),
  };
}
