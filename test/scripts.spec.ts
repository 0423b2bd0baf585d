// Checks that `npm run help` explains each script of package.json under its purpose, that `npm run` lists them in
// the same order, and that the names that operators rely on start their programs. The file is compared with the
// table; the program itself is run.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMMANDS } from '../src/cli/commands.js';
import { compiledSource } from './support/compiled-source.js';
import { importNatively } from './support/native-import.js';

const { scripts, bin } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
};

it('explains every script, in the order of npm run', async () => {
  const { PURPOSES } = await importNatively<{
    readonly PURPOSES: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }>(join(__dirname, '..', 'scripts', 'scripts-by-purpose.mjs'));
  expect(Object.values(PURPOSES).flatMap(Object.keys)).toEqual(Object.keys(scripts));
});

it('has a command of fairlead behind each name that operators rely on', () => {
  const names = COMMANDS.map(({ name }) => name);
  const started = Object.values(scripts).flatMap(
    (script) => /^node scripts\/run-built\.mjs cli\/fairlead\.js (.+)$/.exec(script)?.[1] ?? [],
  );
  expect(started.length).toBeGreaterThan(5);
  expect(started.filter((command) => !names.some((name) => name.startsWith(command)))).toEqual([]);
  expect(bin).toEqual({ fairlead: 'dist/cli/fairlead.js' });
});

describe('node dist/cli/fairlead.js', () => {
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [compiledSource('cli/fairlead.js'), ...words]);

  it.each([
    ['verify audit', '--newest SEAL'],
    // The program of imports reads which of the two it runs as.
    ['import litellm', 'litellm CONFIG.yaml'],
  ])('%s --help is the usage of its program', async (name, words) => {
    const { stdout } = await run(...name.split(' '), '--help');
    expect(stdout).toContain(`npm run fairlead -- ${name.split(' ')[0]}`);
    expect(stdout).toContain(words);
  });

  it('ends with 2 and its help for an unknown command', async () => {
    const failure = { code: 2, stdout: '', stderr: expect.stringContaining('npm run fairlead') };
    await expect(run('serve')).rejects.toMatchObject(failure);
  });
});
