/**
 * Puts the dialects' tables into docs/translation.md, between its two marks: `npm run docs:translation`. Run it when a
 * row of a table has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withTables } from './print-translation.js';

const PAGE = fileURLToPath(new URL('../docs/translation.md', import.meta.url));

writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
