import { isDeepStrictEqual } from 'node:util';
import type { JsonBody } from '../support/recorded-request.js';
import { differs, type Difference } from './compare-response.js';
import type { Reading, Recording } from './harness.js';
import { seeStream } from './seen-response.js';

/** Statuses that are passed on; every other is a 502 (docs/use/errors.md). */
const STATUSES: Readonly<Record<number, readonly number[]>> = {
  400: [400],
  413: [413],
  422: [422],
  429: [429],
  503: [503],
  529: [529, 503],
  408: [504],
  504: [504],
};

/** How many characters of the provider's message must appear. */
const WORDS_MIN = 25;

function messageOf({ bytes }: Recording): string | undefined {
  try {
    const body: JsonBody = [JSON.parse(bytes.toString('utf8'))].flat()[0];
    const texts = [body.error?.message, body.error, body.message, body.detail];
    const text: string | undefined = texts.find((one) => typeof one === 'string');
    // Addresses are not passed on.
    return text?.replaceAll(/\b[a-z]+:\/\/\S*/g, '').trim();
  } catch {
    return undefined;
  }
}

/** Words by which agents recognise a failure after which they ask again, and codes (docs/use/responses.md#failures). */
const KNOWN_WORDS = /provider returned error|overloaded|connection error|rate limit/i;
const OPERATORS = 'insufficient_quota';
const CODES: readonly unknown[] = ['rate_limit_exceeded', 'invalid_prompt', 'server_error'];
/** Kinds of failures that a repetition would meet again: their messages need no such words. */
const LASTING_KINDS: readonly unknown[] = ['payment_required', 'permission_denied'];

/** A stream that ends with a failure: its grammar, its last event, and the items that had ended before. */
function compareFailedStream(text: string, words: string | undefined): Difference[] {
  const { faults, last, assembled } = seeStream(text);
  const { status, error, error_type: kind, output } = last;
  const grown: JsonBody[] = assembled?.output ?? [];
  const foreign = output.filter((item: JsonBody) => !grown.some((one) => isDeepStrictEqual(one, item)));
  const isLasting = error?.code === 'invalid_prompt' || LASTING_KINDS.includes(kind);
  const isExplained =
    CODES.includes(error?.code) && typeof kind === 'string' && (isLasting || KNOWN_WORDS.test(error.message));
  return [
    ...faults.map((fault) => differs('grammar', 'none', fault)),
    ...(status === 'failed' ? [] : [differs('status', 'failed', status)]),
    ...(isExplained ? [] : [differs('error shape', 'a code, a kind and known words', { error, kind })]),
    ...(!words || JSON.stringify(error).includes(JSON.stringify(words).slice(1, -1)) ? [] : [differs('error words', words, error)]), // oxfmt-ignore
    ...foreign.map((item: JsonBody) => differs('assembled', item, grown)),
  ];
}

/** A failure before the first event. */
function compareShape(
  { status, text }: { readonly status: number; readonly text: string },
  words: string | undefined,
): Difference[] {
  const { error }: JsonBody = JSON.parse(text);
  const isShaped = typeof error?.message === 'string' && error.code === status;
  const hasWords = !words || JSON.stringify(error).includes(JSON.stringify(words).slice(1, -1));
  return [
    ...(isShaped ? [] : [differs('error shape', status, error)]),
    ...(hasWords ? [] : [differs('error words', words, error)]),
  ];
}

const beginningOf = (words: unknown): string | undefined =>
  typeof words === 'string'
    ? words
        .replaceAll(/\b[a-z]+:\/\/\S*/g, '')
        .trim()
        .slice(0, WORDS_MIN)
    : undefined;

/**
 * A failure of the provider, by its status or inside a reply.
 * @param reading undefined: by its status
 */
export function compareFailure(
  recording: Recording,
  seen: { readonly status: number; readonly text: string },
  reading?: Reading,
): Difference[] {
  if (recording.status < 400) {
    // The words about the gateway's own account are for its operator.
    const words = reading?.error?.code === OPERATORS ? undefined : beginningOf(reading?.error?.message);
    if (seen.status >= 400) return compareShape(seen, words);
    if (!/"type":"response\.failed"/.test(seen.text)) return [differs('error lost', 'a failure', `${seen.status} ${seen.text}`)]; // oxfmt-ignore
    return compareFailedStream(seen.text, words);
  }
  if (seen.status === 200) return compareFailedStream(seen.text, undefined);
  const differences: Difference[] = [];
  const statuses = STATUSES[recording.status] ?? [502];
  if (!statuses.includes(seen.status)) differences.push(differs('error status', statuses[0], `${seen.status} ${seen.text}`)); // oxfmt-ignore
  return [...differences, ...compareShape(seen, messageOf(recording)?.slice(0, WORDS_MIN))];
}
