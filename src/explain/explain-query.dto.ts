import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, oneOf, text } from '../shared/http/schema.js';

const format = compile(oneOf(['messages', 'chat', 'responses', 'embeddings', 'rerank']));
const seed = compile(
  text({ pattern: '^[A-Za-z0-9._-]{1,64}$', reason: 'must be 1 to 64 letters, digits, ".", "_", "-"' }),
);

/** Query of `POST /routing/explain`. */
export class ExplainQueryDto {
  /** The format of the body; the default is `messages`. */
  @MayOmit()
  @Fits(format)
  format?: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank';

  /** The seed of an earlier answer, which repeats its draw. */
  @MayOmit()
  @Fits(seed)
  seed?: string;
}
