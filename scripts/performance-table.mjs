// `node scripts/performance-table.mjs`: writes the table of docs/contribute/performance.md from bench/results. A figure
// of a later day replaces the one of the same name. `--check` ends with 1 where the page differs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(new URL('.', import.meta.url).pathname, '..');
const RESULTS = join(ROOT, 'bench', 'results');
const PAGE = join(ROOT, 'docs', 'contribute', 'performance.md');
const TABLE = /(?<=<!-- figures -->\n)[^]*?(?=\n<!-- end of figures -->)/;

const figures = new Map();
for (const file of readdirSync(RESULTS).toSorted()) {
  for (const figure of JSON.parse(readFileSync(join(RESULTS, file), 'utf8')).figures) figures.set(figure.name, figure);
}
const rows = [...figures.values()].map(
  ({ name, values, target, met }) => `| ${name} | ${values} | ${target} | ${met ? 'met' : '**not met**'} |`,
);
const table = ['| figure | measured | target | |', '|---|---|---|---|', ...rows].join('\n');

const page = readFileSync(PAGE, 'utf8');
const written = page.replace(TABLE, () => table);
if (!process.argv.includes('--check')) writeFileSync(PAGE, written);
else if (written !== page) {
  console.error('docs/contribute/performance.md differs from bench/results: run node scripts/performance-table.mjs');
  process.exitCode = 1;
}
