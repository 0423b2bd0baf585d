import type { PageEngineApi } from './page-engine.js';
import { firecrawlRefusal } from './search-engines.js';

/** Firecrawl's `POST /v2/scrape` (https://docs.firecrawl.dev/api-reference/endpoint/scrape). */
export const firecrawlPages: PageEngineApi = {
  path: '/v2/scrape',
  credential: ['authorization', (key) => `Bearer ${key}`],
  invalidStatus: 400,
  refusal: firecrawlRefusal,
  known: ['url', 'formats', 'onlyMainContent', 'includeTags', 'excludeTags', 'maxAge', 'waitFor', 'timeout', 'parsers'],
  fault: ({ url, formats }) => {
    if (typeof url !== 'string' || !URL.canParse(url)) return 'url';
    return Array.isArray(formats) && formats.includes('markdown') ? undefined : 'formats';
  },
  answer: ({ url }, pages) => {
    const sourceURL = url as string;
    const page = pages[sourceURL] ?? 404;
    // The body of an error response is scraped like any page.
    const [statusCode, title, markdown] =
      typeof page === 'number' ? [page, 'Error', '# Error'] : [200, page.title, page.text];
    const metadata = { title, language: 'en', sourceURL, url: sourceURL, statusCode };
    return { status: 200, body: { success: true, data: { markdown, metadata } } };
  },
};
