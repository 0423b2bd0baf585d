// Goal: the table of settings in the documents says exactly what the process reads.
// Method: both are compared row by row; the documented metrics are looked up in what a process really tells.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../metrics.js';
import { VARIABLE_ROWS } from './variables.js';

const document = readFileSync(join(process.cwd(), 'docs', 'operating.md'), 'utf8');
const rows = document.split('\n').filter((line) => /^\| `[A-Z<][A-Z_<>]+` \|/.test(line));

describe('docs/operating.md', () => {
  it('has one row for each variable, with its default and meaning, and no other', () => {
    const expected = VARIABLE_ROWS.map((row) => `| \`${row.name}\` | ${row.shownDefault} | ${row.meaning} |`);
    expect(rows.filter((row) => !row.startsWith('| `<PROVIDER>_API_KEY`'))).toEqual(expected);
  });

  it('names each metric of ours, and only metrics that there are', async () => {
    const exported = [...(await new Metrics().text()).matchAll(/^# TYPE (fairlead_\w+) /gm)].map((match) => match[1]);
    const documented = [...document.matchAll(/^\| `(fairlead_\w+)`/gm)].map((match) => match[1]);
    expect(documented).toEqual(exported);
  });
});

describe('VARIABLES', () => {
  it('has no name twice', () => {
    expect(new Set(VARIABLE_ROWS.map((row) => row.name)).size).toBe(VARIABLE_ROWS.length);
  });
});
