/**
 * Goal: `npm run path` counts what a request runs through, finds long functions, takes off what runs by a timer, and
 * ends with 1 past a limit. Method: the command itself, with words that end before a gateway is started; its parts on
 * sources made for them.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCRIPTS = join(__dirname, '..', 'scripts');
const node = (...words: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });

describe('npm run path', () => {
  it('explains itself, and refuses what it does not know', () => {
    const help = node(join(SCRIPTS, 'path.mjs'), '--help');
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('npm run path --')]);
    for (const words of [['--unknown'], ['--functions', 'many']]) {
      const refused = node(join(SCRIPTS, 'path.mjs'), ...words);
      expect([refused.status, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('path: ');
    }
  });

  it('takes off what runs without a request as well, and nothing of another file', () => {
    const script = `import { withoutIdle } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/count-calls.mjs')).href)};
      const busy = [['a', 1, 100], ['a', 2, 140], ['b', 1, 90]].map(([url, startOffset, calls]) => ({ url, startOffset, calls }));
      const idle = [['a', 2, 130], ['c', 1, 50]].map(([url, startOffset, calls]) => ({ url, startOffset, calls }));
      console.log(JSON.stringify(withoutIdle(busy, idle).map(({ calls }) => calls)));`;
    const { stdout, stderr } = node('--input-type=module', '--eval', script);
    expect([JSON.parse(stdout), stderr]).toEqual([[100, 10, 90], '']);
  });

  it('finds functions of every kind by their lines, the longest first, and none of a test', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-path-'));
    try {
      const body = (lines: number): string => '\n'.repeat(lines - 1);
      writeFileSync(join(folder, 'a.ts'), `function four() {${body(4)}}\nconst five = () => {${body(5)}};\n`);
      writeFileSync(join(folder, 'b.ts'), `class B {\n  three() {${body(3)}}\n  six() {${body(6)}}\n}\n`);
      writeFileSync(join(folder, 'c.spec.ts'), `function seven() {${body(7)}}\n`);
      const script = `import { findLongFunctions } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/long-functions.mjs')).href)};
        console.log(JSON.stringify(findLongFunctions(${JSON.stringify(folder)}, 3)));`;
      const { stdout } = node('--input-type=module', '--eval', script);
      expect(JSON.parse(stdout)).toEqual([
        { file: join(folder, 'b.ts'), line: 5, name: 'six', lines: 6 },
        { file: join(folder, 'a.ts'), line: 5, name: 'a nameless function', lines: 5 },
        { file: join(folder, 'a.ts'), line: 1, name: 'four', lines: 4 },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
