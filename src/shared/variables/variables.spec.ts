// The documented table of settings matches what the process reads, as `scripts/settings-table.mjs` writes it; the
// documented metrics are compared with those that a process exports.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../telemetry/metrics.js';
import { VARIABLE_ROWS } from './variables.js';

const observability = readFileSync(join(process.cwd(), 'docs', 'operate', 'observability.md'), 'utf8');

describe('docs/operate/configuration.md', () => {
  it('has one row for each variable, with its default and meaning, and no other', () => {
    const args = [join(process.cwd(), 'scripts', 'settings-table.mjs'), '--check'];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('docs/operate/observability.md', () => {
  it('names each metric of the gateway, and only existing metrics', async () => {
    const exported = [...(await new Metrics().text()).matchAll(/^# TYPE (fairlead_\w+) /gm)].map((match) => match[1]);
    const documented = [...observability.matchAll(/^\| `(fairlead_\w+)`/gm)].map((match) => match[1]);
    expect(documented).toEqual(exported);
  });
});

describe('VARIABLES', () => {
  it('has no duplicate name', () => {
    expect(new Set(VARIABLE_ROWS.map((row) => row.name)).size).toBe(VARIABLE_ROWS.length);
  });
});
