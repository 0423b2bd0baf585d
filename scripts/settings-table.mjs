// `node scripts/settings-table.mjs`: writes the table of docs/operate/configuration.md from the settings of
// src/shared/variables. `--check` ends with 1 where the page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import './typescript-loader.mjs';

const PAGE = new URL('../docs/operate/configuration.md', import.meta.url);
const TABLE = /(?<=<!-- settings -->\n)[^]*?(?=\n<!-- end of settings -->)/;

const { VARIABLE_ROWS } = await import('../src/shared/variables/variables.ts');
const rows = [
  ...VARIABLE_ROWS,
  {
    name: '<PROVIDER>_API_KEY',
    shownDefault: '–',
    meaning: 'Credential of a provider, under the name that the catalog gives in `credential.env`.',
  },
].map(({ name, shownDefault, meaning }) => `| \`${name}\` | ${shownDefault} | ${meaning} |`);
const table = ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');

const page = readFileSync(PAGE, 'utf8');
const written = page.replace(TABLE, () => table);
if (!process.argv.includes('--check')) writeFileSync(PAGE, written);
else if (written !== page) {
  console.error('docs/operate/configuration.md differs from src/shared/variables: run node scripts/settings-table.mjs');
  process.exitCode = 1;
}
