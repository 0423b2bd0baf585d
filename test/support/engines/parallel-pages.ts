import { parallelRefusal } from './search-engines.js';
import { urlsFault, type PageEngineApi } from './page-engine.js';

/** Parallel's `POST /v1beta/extract` (https://docs.parallel.ai/api-reference/extract-beta/extract). */
export const parallelPages: PageEngineApi = {
  path: '/v1beta/extract',
  credential: ['x-api-key', (key) => key],
  headers: { 'parallel-beta': 'search-extract-2025-10-10' },
  invalidStatus: 422,
  refusal: parallelRefusal,
  known: ['urls', 'objective', 'search_queries', 'fetch_policy', 'excerpts', 'full_content'],
  fault: ({ urls, excerpts, full_content: full }) => {
    if (typeof excerpts !== 'boolean') return 'excerpts';
    if (typeof full !== 'object' || full === null || !('max_chars_per_result' in full)) return 'full_content';
    return urlsFault(urls, 10);
  },
  answer: ({ urls, full_content: full }, pages) => {
    const { max_chars_per_result: most } = full as { max_chars_per_result: number };
    const results: unknown[] = [];
    const errors: unknown[] = [];
    for (const url of urls as string[]) {
      const page = pages[url] ?? 404;
      if (typeof page === 'number') {
        errors.push({ url, error_type: 'fetch_error', http_status_code: page, content: 'Error fetching content' });
      } else results.push({ url, title: page.title, publish_date: null, full_content: page.text.slice(0, most) });
    }
    return { status: 200, body: { extract_id: 'extract_1', results, errors, warnings: null } };
  },
};
