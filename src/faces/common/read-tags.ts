import { GatewayError } from '../../core/errors.js';
import { shortened } from '../../core/shortened.js';
import { setTag, TAGS_MAX, tagsOver, type Tags } from '../../core/tags.js';
import { IS_TAGS } from '../../shared/http/tag-validators.js';

/** Sources of a request's tags besides its body. */
export interface GivenTags {
  /** The tags of the header, else of the key, else of its workspace. */
  readonly tags?: Tags;
  /** Names of further tags that the request must have. */
  readonly requiredTags?: readonly string[];
}

const HEADER = 'x-fairlead-tags';

/**
 * The tags of a header, `name=value` separated by commas (docs/use/tags.md#the-header). Undefined: it has none.
 * @throws GatewayError `invalid-request`
 */
export function readTagsHeader(text: string): Tags | undefined {
  const isPlain = PLAIN.test(text);
  const tags: Record<string, string> = {};
  let isEmpty = true;
  for (let start = 0; start < text.length;) {
    const comma = text.indexOf(',', start);
    const end = comma < 0 ? text.length : comma;
    const pair = text.slice(start, end).trim();
    start = end + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 1) throw invalid(`${HEADER}: must be pairs of name=value separated by commas`);
    const name = isPlain ? pair.slice(0, equals) : decoded(pair.slice(0, equals));
    const value = pair.slice(equals + 1);
    if (Object.hasOwn(tags, name)) throw invalid(`${HEADER}: names the tag ${shortened(name)} twice`);
    setTag(tags, name, isPlain ? value : decoded(value));
    isEmpty = false;
  }
  if (isEmpty) return undefined;
  if (!IS_TAGS.check(tags)) throw faultOf(tags);
  return tags;
}

/** A header that needs no decoding. */
const PLAIN = /^[ -$&-~]*$/;

function faultOf(tags: Tags): GatewayError {
  const { path, reason } = IS_TAGS.fault(tags)!;
  return invalid(`${path === '' ? HEADER : `${HEADER}.${path}`}: ${reason}`);
}

/** Node decodes header bytes as latin1; the bytes that are not percent-encoded are UTF-8 too. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(Buffer.from(text, 'latin1').toString('utf8'));
  } catch {
    throw invalid(`${HEADER}: is not percent-encoded UTF-8`);
  }
}

/**
 * The tags of a request: those of the body, else of the header, of the key, of the workspace. Undefined: none.
 * @throws GatewayError `invalid-request` where they are too many, or a required one is missing
 */
export function readTags({ tags: others, requiredTags }: GivenTags, own: Tags | undefined): Tags | undefined {
  const tags = tagsOver(own, others);
  if (!tags) {
    if (requiredTags) assertComplete(requiredTags, tags);
    return undefined;
  }
  let count = 0;
  for (const _ in tags) count++;
  if (count > TAGS_MAX)
    throw invalid(
      `trace.tags: with those of the header, the key and the workspace there are more than ${TAGS_MAX} tags`,
    );
  if (requiredTags) assertComplete(requiredTags, tags);
  return count > 0 ? tags : undefined;
}

/** Gives a request its tags, if it has any. @throws GatewayError as `readTags` */
export function addTags(request: { tags?: Tags }, sources: GivenTags, own: Tags | undefined): void {
  const tags = readTags(sources, own);
  if (tags) request.tags = tags;
}

function assertComplete(required: readonly string[], tags: Tags | undefined): void {
  const missing = required.filter((name) => !tags || !Object.hasOwn(tags, name));
  if (missing.length === 0) return;
  throw invalid(`trace.tags: the workspace requires ${missing.join(', ')}; send it in trace.tags or X-Fairlead-Tags`);
}

const invalid = (message: string): GatewayError => new GatewayError('invalid-request', message);
