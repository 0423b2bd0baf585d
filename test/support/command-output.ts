import { tmpdir } from 'node:os';
import type { CommandContext } from '../../src/shared/command/command-context.js';

/** The output of a command. */
export interface CommandOutput {
  /** Exit status. */
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** The surroundings of a command in a spec. */
export interface CommandCall {
  readonly words: readonly string[];
  readonly variables?: NodeJS.ProcessEnv;
  /** Absent: the folder of temporary files. */
  readonly workingDirectory?: string;
  readonly signal?: AbortSignal;
}

/** Runs a command of the package in this process and returns its output. */
export async function outputOf(
  command: (context: CommandContext) => Promise<number>,
  { words, variables = {}, workingDirectory = tmpdir(), signal }: CommandCall,
): Promise<CommandOutput> {
  let [out, error] = ['', ''];
  const code = await command({
    words,
    variables,
    workingDirectory,
    ...(signal && { signal }),
    print: (text) => void (out += text),
    printError: (text) => void (error += text),
  });
  return { code, out, error };
}

/** Asserts that the usage is printed on request, and after invalid arguments, without any effect. */
export async function expectUsage(command: (context: CommandContext) => Promise<number>, shown: string): Promise<void> {
  expect(await outputOf(command, { words: ['--help'] })).toMatchObject({
    code: 0,
    out: expect.stringContaining(shown),
    error: '',
  });
  const wrong = await outputOf(command, { words: ['--all'] });
  expect(wrong).toMatchObject({ code: 2, out: '', error: expect.stringContaining('--all') });
  expect(await outputOf(command, { words: ['all'] })).toMatchObject({ code: 2, out: '' });
}
