import { type ExtensionContext, ExtensionFault, type FetchedPage } from '../../core/extension.js';
import { isHtml, type PageText } from './page-text.js';
import { type FailureTable, orFail, orFailAnswered, type Page, type PageRequest } from './page.js';

/** Chosen: nearly all PDFs of books and papers are smaller. */
const PAGE_BYTES_MAX = 10 * 1024 * 1024;
const PAGE_TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 5;
/** Accepted media types besides `text/*`. */
const MEDIA_TYPES = [
  'text/html',
  'application/xhtml+xml',
  'text/*',
  'application/json',
  'application/ld+json',
  'application/feed+json',
  'application/xml',
  'application/atom+xml',
  'application/rss+xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/pdf',
];
/** A larger page is read without a tree. Chosen: a tree takes fifty times as much memory. */
const ARTICLE_BYTES_MAX = 2 * 1024 * 1024;

const FETCH_FAILURES: FailureTable = {
  refused: 'url_not_allowed',
  'not-found': 'url_not_accessible',
  unsupported: 'unsupported_content_type',
  'too-large': 'url_not_accessible',
  'timed-out': 'url_not_accessible',
  busy: 'too_many_requests',
  unavailable: 'url_not_accessible',
};
const READING_FAILURES: FailureTable = { ...FETCH_FAILURES, 'timed-out': 'unavailable', unavailable: 'unavailable' };

/** Fetches a page with the gateway's own fetch, and extracts its text. */
export async function fetchPage(pageRequest: PageRequest, context: ExtensionContext): Promise<Page> {
  const limits = {
    bytesMax: PAGE_BYTES_MAX,
    timeoutMs: PAGE_TIMEOUT_MS,
    accept: MEDIA_TYPES,
    redirectsMax: REDIRECTS_MAX,
    allows: pageRequest.allows,
  };
  const page = await orFail(context.guardedFetch.fetch(pageRequest.url, limits, context.signal), FETCH_FAILURES);
  try {
    return {
      url: page.url,
      ...(await orFailAnswered(readPage(page, pageRequest.tokensMax, context), READING_FAILURES)),
    };
  } finally {
    page.release();
  }
}

/** Time is the only bound on what libraries make of a page: a page that exceeds it is read plainly. */
async function readPage(page: FetchedPage, tokensMax: number, { workers, signal }: ExtensionContext) {
  const { bytes, mediaType, charset, url } = page;
  const work = (job: string, part: () => Uint8Array): Promise<PageText> =>
    workers.run(job, () => ({ bytes: part(), mediaType, charset, url, tokensMax }), signal) as Promise<PageText>;
  const whole = (): Uint8Array => bytes;
  if (!isHtml(mediaType)) return work('read-page', whole);
  if (bytes.length > ARTICLE_BYTES_MAX) return work('read-page-plainly', whole);
  try {
    // A copy: the thread takes ownership of its input.
    return await work('read-page', () => new Uint8Array(bytes));
  } catch (error) {
    signal.throwIfAborted();
    const isTooMuch = error instanceof ExtensionFault && ['timed-out', 'unavailable'].includes(error.kind);
    if (!isTooMuch) throw error;
    return work('read-page-plainly', whole);
  }
}
