import { exaRefusal } from './search-engines.js';
import { urlsFault, type PageEngineApi } from './page-engine.js';

/** Exa's `POST /contents` (https://docs.exa.ai/reference/get-contents). */
export const exaPages: PageEngineApi = {
  path: '/contents',
  credential: ['x-api-key', (key) => key],
  invalidStatus: 400,
  refusal: exaRefusal,
  known: ['urls', 'ids', 'text', 'highlights', 'summary', 'livecrawlTimeout', 'maxAgeHours', 'subpages', 'extras'],
  fault: ({ urls, text }) => {
    const most = (text as { maxCharacters?: unknown }).maxCharacters;
    return urlsFault(urls, 100) ?? (Number.isInteger(most) && (most as number) > 0 ? undefined : 'text.maxCharacters');
  },
  answer: ({ urls, text }, pages) => {
    const { maxCharacters } = text as { maxCharacters: number };
    const results: unknown[] = [];
    const statuses = (urls as string[]).map((id) => {
      const page = pages[id] ?? 404;
      if (typeof page === 'number') {
        return { id, status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: page } };
      }
      results.push({ id, url: id, title: page.title, author: null, text: page.text.slice(0, maxCharacters) });
      return { id, status: 'success', source: 'crawled' };
    });
    return { status: 200, body: { requestId: 'a'.repeat(32), results, statuses, costDollars: { total: 0.001 } } };
  },
};
