/**
 * Checks that `npm run path` counts the functions that a request runs through, finds long functions, subtracts those
 * that run by a timer, and names exceeded limits; and that `npm run bench:pair` reads its arguments and compares
 * rounds. The commands themselves run, with arguments that end before a gateway is started; their parts run on
 * figures and sources of the test.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCRIPTS = join(__dirname, '..', 'scripts');
const node = (...words: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });

describe('npm run path', () => {
  it('prints its usage, and refuses unknown arguments', () => {
    const help = node(join(SCRIPTS, 'path.mjs'), '--help');
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('npm run path --')]);
    for (const words of [['--unknown'], ['--request', 'whole,many'], ['--lines', 'many'], ['--limits', '/none']]) {
      const refused = node(join(SCRIPTS, 'path.mjs'), ...words);
      expect([refused.status, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('path: ');
    }
  });

  it('takes off what runs without a request as well, and nothing of another file', () => {
    const script = `import { withoutIdle } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/measure.mjs')).href)};
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

  it('names each figure that is past its limit, and holds bytes with PostgreSQL only', () => {
    const script = `import { figuresOf, findPast } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/limits.mjs')).href)};
      const called = [['a.ts', 'one', 1], ['a.ts', 'two', 2.4], ['b.ts', 'one', 1.2]].map(([file, name, calls]) => ({ file, name, calls }));
      const figures = { whole: figuresOf({ called, allocatedBytes: 900, oldBytes: 7 }) };
      const limits = { whole: { functions: 3, files: 1, calls: 5, allocatedBytes: 899 }, chat: { files: 0 } };
      console.log(JSON.stringify([figures, findPast(limits, figures, true), findPast(limits, figures, false)]));`;
    const { stdout, stderr } = node('--input-type=module', '--eval', script);
    expect([JSON.parse(stdout), stderr]).toEqual([
      [
        { whole: { functions: 3, files: 2, calls: 5, allocatedBytes: 900, oldBytes: 7 } },
        ['whole: 2 files, the limit is 1', 'whole: 900 bytes allocated, the limit is 899'],
        ['whole: 2 files, the limit is 1'],
      ],
      '',
    ]);
  });

  it('has a limit for every figure of every request', () => {
    const script = `import { FIGURES } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/limits.mjs')).href)};
      import { REQUESTS } from ${JSON.stringify(pathToFileURL(join(SCRIPTS, 'path/requests.mjs')).href)};
      console.log(JSON.stringify([Object.keys(REQUESTS), Object.keys(FIGURES)]));`;
    const [requests, figures] = JSON.parse(node('--input-type=module', '--eval', script).stdout) as string[][];
    const file = JSON.parse(readFileSync(join(SCRIPTS, 'path/limits.json'), 'utf8')) as {
      requests: Record<string, Record<string, number>>;
    };
    expect(Object.keys(file.requests)).toEqual(requests);
    for (const limits of Object.values(file.requests)) expect(Object.keys(limits)).toEqual(figures);
  });
});

describe('npm run bench:pair', () => {
  const BENCH = join(__dirname, '..', 'bench');

  it('prints its usage, and refuses unknown arguments', () => {
    const help = node(join(BENCH, 'pair.mjs'), '--help');
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('npm run bench:pair --')]);
    for (const words of [['--unknown'], ['--only', 'cold,hot'], ['--most', 'much'], ['one', 'two'], ['no-such-one']]) {
      const refused = node(join(BENCH, 'pair.mjs'), ...words);
      expect([refused.status, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('bench:pair: ');
    }
  });

  it('alternates the rounds, and detects when the compiler has finished', () => {
    const script = `import { compareRounds, isSettled, median, turnOf } from ${JSON.stringify(pathToFileURL(join(BENCH, 'ratios.mjs')).href)};
      console.log(JSON.stringify([
        median([3, 1, 2]), median([4, 1, 2, 3]),
        compareRounds([10, 30, 20, 44], [10, 20, 20, 40]),
        [0, 1, 2].map((round) => turnOf(['A', 'B'], round).join('')),
        [[], [9, 5, 5], [9, 5, 5, 5], [5, 5, 5, 5], [5, 4.95, 5, 4.92], [9, 5, 4, 4.1, 4.2, 4.1], [4, 9, 9, 3.9]].map(isSettled),
      ]));`;
    const { stdout, stderr } = node('--input-type=module', '--eval', script);
    expect([JSON.parse(stdout), stderr]).toEqual([
      [
        2,
        2.5,
        { this: 25, that: 20, ratio: 1.05, min: 1, max: 1.5 },
        ['AB', 'BA', 'AB'],
        [false, false, false, true, true, true, false],
      ],
      '',
    ]);
  });
});
