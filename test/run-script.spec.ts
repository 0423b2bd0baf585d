/**
 * Checks that a signal to `npm start` ends the processes it started, in each stage and however the shell of npm
 * handles the signal. npm itself runs on a small project with this one's scripts, whose programs print their process
 * ids.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPTS = [
  'run-built.mjs',
  'end-with-parent.mjs',
  'process-group.mjs',
  'guide-sources.mjs',
  'console-sources.mjs',
  'build-state.mjs',
];
/** A gateway that ends slowly, like one that drains. */
const PROGRAM = `
let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {
  if (++signals === 1) setTimeout(() => { console.log('drained'); process.exit(0); }, 600);
  else console.log('insisted');
});
setInterval(() => undefined, 1000);
console.log('runs ' + process.pid + '.');
`;
/** The compiler's program runs the compiler as a child process. */
const COMPILER = `
const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'inherit' });
console.log('compiles ' + process.pid + ' ' + child.pid + '.');
setInterval(() => undefined, 1000);
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('npm start', () => {
  let project: string;
  let npm: ChildProcess | undefined;
  let output = '';
  /** The process ids of all programs that have printed theirs. */
  let started: readonly number[] = [];

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'fairlead-run-'));
    output = '';
    for (const name of SCRIPTS) cpSync(join(__dirname, '..', 'scripts', name), join(project, 'scripts', name));
    write('dist/main.js', PROGRAM);
    for (const name of ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src/main.ts']) write(name, '{}');
  });
  afterEach(async () => {
    for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL');
    if (npm?.exitCode === null && npm.signalCode === null) {
      npm.kill('SIGKILL');
      await once(npm, 'exit');
    }
    rmSync(project, { recursive: true, force: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  function start(script: string, options: SpawnOptions = {}): ChildProcess {
    write('package.json', JSON.stringify({ name: 'small', type: 'module', scripts: { start: script } }));
    npm = spawn('npm', ['start', '--silent'], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: project, npm_config_update_notifier: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
    for (const stream of [npm.stdout!, npm.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
    return npm;
  }
  async function printed(pattern: RegExp): Promise<readonly number[]> {
    for (;;) {
      const found = pattern.exec(output);
      if (found) return (started = found.slice(1).map(Number));
      if (npm!.exitCode !== null) throw new Error(`npm has ended: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  async function untilGone(pids: readonly number[]): Promise<void> {
    while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  it.each([
    ['a shell that becomes the program', 'node scripts/run-built.mjs main.js'],
    ['a shell that waits for the program', 'node scripts/run-built.mjs main.js && true'],
  ] as const)('ends the program with it: %s', async (_, script) => {
    const child = start(script);
    const pids = await printed(/runs (\d+)\./);
    child.kill('SIGTERM');
    await untilGone(pids);
    expect(output).toContain('drained');
  }, 240_000); // oxfmt-ignore

  it.each(['SIGINT', 'SIGTERM'] as const)('reaches the program once where %s goes to the whole group', async (signal) => {
    const child = start('node scripts/run-built.mjs main.js && true', { detached: true });
    const pids = await printed(/runs (\d+)\./);
    process.kill(-child.pid!, signal);
    await untilGone(pids);
    expect(output).toContain('drained');
    expect(output).not.toContain('insisted');
  }, 240_000); // oxfmt-ignore

  it('ends a program that listens to no signal', async () => {
    write('dist/main.js', `setInterval(() => undefined, 1000); console.log('runs ' + process.pid + '.');`);
    const child = start('node scripts/run-built.mjs main.js && true', { detached: true });
    const pids = await printed(/runs (\d+)\./);
    process.kill(-child.pid!, 'SIGTERM');
    await untilGone(pids);
    expect(pids.some(isAlive)).toBe(false);
  }, 240_000);

  it('ends the compiler and its children while it builds', async () => {
    write('node_modules/typescript/package.json', '{ "name": "typescript" }');
    write('node_modules/typescript/bin/tsc', COMPILER);
    const child = start('node scripts/run-built.mjs main.js');
    const pids = await printed(/compiles (\d+) (\d+)\./);
    child.kill('SIGTERM');
    await untilGone(pids);
    expect(output).not.toContain('runs');
  }, 240_000);

  describe('of a project of its own', () => {
    const SCRIPT = 'node scripts/run-built.mjs --project small.json small/tool.js --words && true';
    const compiles = (code: string): void => {
      write('node_modules/typescript/package.json', '{ "name": "typescript" }');
      write('node_modules/typescript/bin/tsc', code);
    };

    it('ends the program with it', async () => {
      compiles("console.log('compiled ' + process.argv.slice(2).join(' ') + '.');");
      write('dist/small/tool.js', `${PROGRAM} console.log('has ' + process.argv.slice(2).join(' ') + '.');`);
      const child = start(SCRIPT);
      const pids = await printed(/runs (\d+)\./);
      child.kill('SIGTERM');
      await untilGone(pids);
      expect(output).toMatch(/compiled -p small\.json\.[^]*has --words\.[^]*drained/);
    }, 240_000);

    it('ends its compiler with it', async () => {
      compiles(COMPILER);
      const child = start(SCRIPT);
      const pids = await printed(/compiles (\d+) (\d+)\./);
      child.kill('SIGTERM');
      await untilGone(pids);
      expect(output).not.toContain('runs');
    }, 240_000);

    it('runs no program of a project that does not compile', async () => {
      compiles('process.exit(2);');
      write('dist/small/tool.js', PROGRAM);
      const [code] = await once(start(SCRIPT), 'exit');
      expect([code, output.includes('runs')]).toEqual([2, false]);
    }, 240_000);
  });

  it('are the scripts of this project that compile before they run', () => {
    const { scripts } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    const apart = Object.entries(scripts).filter(([name, script]) => name !== 'build' && /\btsc\b.*&&/.test(script));
    expect(apart).toEqual([]);
  });

  it('permits a program without npm to outlive its parent', async () => {
    const program = `node scripts/run-built.mjs main.js & echo "parent $$."; wait`;
    const shell = spawn('sh', ['-c', program], {
      cwd: project,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    npm = shell;
    write('package.json', '{ "type": "module" }');
    shell.stdout.on('data', (chunk) => (output += String(chunk)));
    const [pid] = await printed(/runs (\d+)\./);
    shell.kill('SIGKILL');
    await once(shell, 'exit');
    // Twice as long as a process under npm stays alive.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(isAlive(pid!)).toBe(true);
  }, 240_000);
});
