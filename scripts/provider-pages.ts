/**
 * Inserts what is known of the larger providers into the pages below docs/operate/providers, and the list of the others
 * into docs/operate/providers.md: `npm run docs:providers`. Run it when the catalog or a definition has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROVIDERS_WITH_PAGES, withOthers, withProvider } from './print-providers.js';

function rewrite(page: string, print: (text: string) => string): void {
  const path = fileURLToPath(new URL(`../docs/operate/${page}.md`, import.meta.url));
  writeFileSync(path, print(readFileSync(path, 'utf8')));
}

rewrite('providers', withOthers);
for (const slug of PROVIDERS_WITH_PAGES) rewrite(`providers/${slug}`, (text) => withProvider(slug, text));
