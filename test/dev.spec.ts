/**
 * Checks that `npm run dev` restarts the program when a source or a statement changes, but not while it does not
 * compile, and leaves no process behind. The script itself runs on a small project whose program prints its version.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Far longer than the script waits after a change before it compiles. */
const UNFOLLOWED_MS = 500;
const FAILED = 'Does not compile; what ran before still runs.';
const SCRIPT = join(__dirname, '..', 'scripts', 'dev.mjs');

const PROGRAM = (version: string): string => `
import { readFileSync } from 'node:fs';
declare const process: { pid: number };
const said: string = ${version};
console.log('runs ' + said + ' ' + readFileSync(new URL('./sql/one.sql', import.meta.url), 'utf8') + ' ' + process.pid + '.');
setInterval(() => undefined, 1000);
`;

describe('npm run dev', () => {
  const project = mkdtempSync(join(tmpdir(), 'fairlead-dev-'));
  let script: ChildProcess | undefined;
  let output = '';
  const write = (path: string, text: string): void => writeFileSync(join(project, path), text);

  beforeAll(() => {
    mkdirSync(join(project, 'src', 'sql'), { recursive: true });
    write('package.json', '{ "type": "module" }');
    write(
      'tsconfig.build.json',
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2023',
          rootDir: 'src',
          outDir: 'dist',
          strict: true,
          types: [],
        },
        include: ['src'],
      }),
    );
    write(
      'src/node.d.ts',
      `declare module 'node:fs' { export function readFileSync(path: URL, encoding: 'utf8'): string }`,
    );
    write('src/main.ts', PROGRAM(`'one'`));
    write('src/sql/one.sql', 'select 1');
  });
  afterAll(async () => {
    if (script?.exitCode === null) {
      script.kill('SIGKILL');
      await once(script, 'exit');
    }
    rmSync(project, { recursive: true });
  });

  async function until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(output);
      if (found) return found;
      if (script!.exitCode !== null) throw new Error(`The script has ended: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const failures = (count: number): RegExp => new RegExp(`(?:${FAILED}[^]*){${count}}`);
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('runs what was written last, as long as it compiles, and ends with its children', async () => {
    script = spawn(process.execPath, [SCRIPT, project], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [script.stdout!, script.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
    const first = Number((await until(/runs one select 1 (\d+)\./))[1]);

    write('src/sql/one.sql', 'select 2');
    const second = Number((await until(/runs one select 2 (\d+)\./))[1]);
    expect([isAlive(first), isAlive(second)]).toEqual([false, true]);

    write('src/main.ts', PROGRAM('2'));
    await until(failures(1));
    expect(output).toContain('error TS2322');
    expect([output.includes('runs 2'), isAlive(second)]).toEqual([false, true]);

    write('src/main.spec.ts', 'export {};');
    await new Promise((resolve) => setTimeout(resolve, UNFOLLOWED_MS));
    expect(output).not.toMatch(failures(2));
    write('tsconfig.json', '{}');
    await until(failures(2));
    rmSync(join(project, 'src', 'sql'), { recursive: true });
    write('src/sql', 'a file where a folder was');
    write('src/main.ts', PROGRAM(`'four'`));
    await until(/Cannot build: .*; what ran before still runs\./);
    expect([output.includes('runs four'), isAlive(second)]).toEqual([false, true]);
    rmSync(join(project, 'src', 'sql'));
    mkdirSync(join(project, 'src', 'sql'));
    write('src/sql/one.sql', 'select 2');

    write('src/main.ts', PROGRAM(`'three'`));
    const third = Number((await until(/runs three select 2 (\d+)\./))[1]);
    expect([isAlive(second), isAlive(third)]).toEqual([false, true]);

    script.kill('SIGINT');
    const [code] = await once(script, 'exit');
    expect([code, isAlive(third)]).toEqual([0, false]);
    expect(output).not.toContain('runs 2');
  }, 240_000);
});
