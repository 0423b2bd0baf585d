import type { Bash, BashExecResult, BashOptions } from 'just-bash/browser';
import { ExtensionFault } from '../../core/extension.js';
import { CONTAINER_BYTES_MAX } from '../containers/container-bounds.js';
import { closeConnections, withoutNetwork } from './no-network.js';
import { packState, unpackState, type SavedEntry, type SessionState } from './session-state.js';

/** One command, as a thread gets it. */
export interface BashCommand {
  readonly command: string;
  /** `state` of the outcome before; absent in a new session. */
  readonly state?: Uint8Array;
  /** For all that the command handles. */
  readonly memoryBytes: number;
  /** Of waiting and computing, until it is ended. */
  readonly timeMs: number;
}

export interface BashOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** The session after it; absent where that is more than a container holds, and stays as it was. */
  readonly state?: Uint8Array;
}

/** What a model reads of each of the two outputs. Chosen: some 10,000 tokens. */
const OUTPUT_CHARACTERS_MAX = 32_768;
/** Files of a session, below the bound of a container: names and times take room as well. */
const FILE_BYTES_MAX = CONTAINER_BYTES_MAX - 512 * 1024;
/** Commands of a script, whatever calls them: a second or two of computing. */
const COMMANDS_MAX = 100_000;
/** Rounds of a loop within one of its programs: as much. */
const ROUNDS_MAX = 1_000_000;
const TOO_MUCH = `The files are more than a session may have (${CONTAINER_BYTES_MAX / 1024 / 1024} MiB): all is as before this command.\n`;
const HOME = '/home/user';
const TEMPORARY = '/tmp';
/** What the interpreter advises whoever has embedded it, and nobody else. */
const ADVICE = /, increase executionLimits\.\w+| in browser environments\. Exclude '.*' from your commands[^\n]*/g;
/** What the interpreter brings along: made anew each time, and never kept. */
const BROUGHT = /^\/((bin|dev|proc|usr)(\/|$)|$)/;
const isKept = (path: string): boolean => !BROUGHT.test(path);
/** Variables of the shell's own. */
const SHELL_VARIABLES = new Set(['?', '_', 'BASHOPTS', 'HOME', 'IFS', 'OLDPWD', 'OPTIND', 'PWD', 'SHELLOPTS']);

/**
 * Runs a command in a bash that is an interpreter: its files are in memory, and it has no programs, network or files
 * of the host. It is the bundle for browsers, which imports nothing of Node's that could reach any of these.
 * @throws ExtensionFault `unsupported` for the state of another release
 */
export async function runBash({ command, state, memoryBytes, timeMs }: BashCommand): Promise<BashOutcome> {
  const { Bash } = await import('just-bash/browser');
  const before = state && readState(state);
  const bash = new Bash({
    executionLimits: limitsOf(memoryBytes, timeMs),
    // Of the shell and not of its command: what a command that ends the shell has made of them is gone with it.
    cwd: before ? directoryOf(before) : HOME,
    env: { HOME, ...(before && Object.fromEntries(before.variables)) },
    // Nothing goes on outside that could be waited for, and others wait for the thread.
    sleep: () => Promise.resolve(),
  });
  if (before) await putFiles(bash, before.entries);
  closeConnections(bash);
  if (!(await bash.fs.exists(TEMPORARY))) await bash.fs.mkdir(TEMPORARY);
  try {
    const result = await bash.exec(command, { rawScript: true });
    return outcomeOf(result, await takeState(bash, result));
  } catch (error) {
    if (!isFull(error)) throw error;
    return { stdout: '', stderr: `bash: ${error.message}\n${TOO_MUCH}`, exitCode: 1 };
  }
}

/** A redirection into a file that grows too large is thrown, where a program's own write is its failure. */
const isFull = (error: unknown): error is Error => error instanceof Error && error.message.startsWith('ENOSPC:');

function readState(state: Uint8Array): SessionState {
  const read = unpackState(state);
  if (read) return read;
  throw new ExtensionFault('unsupported', 'the container was written by another release of the gateway');
}

const limitsOf = (memoryBytes: number, timeMs: number): NonNullable<BashOptions['executionLimits']> => ({
  maxExecutionTimeMs: timeMs,
  maxFileSystemBytes: FILE_BYTES_MAX,
  maxLiveBytes: memoryBytes,
  maxInputBytes: memoryBytes,
  maxArchiveBytes: memoryBytes,
  // A text takes up to two bytes a character, and is copied when it grows.
  maxStringLength: Math.floor(memoryBytes / 4),
  maxHeredocSize: Math.floor(memoryBytes / 4),
  maxOutputSize: Math.floor(memoryBytes / 4),
  maxCommandCount: COMMANDS_MAX,
  maxLoopIterations: ROUNDS_MAX,
  maxAwkIterations: ROUNDS_MAX,
  maxSedIterations: ROUNDS_MAX,
  maxJqIterations: ROUNDS_MAX,
});

function outcomeOf({ stdout, stderr, exitCode }: BashExecResult, state: Uint8Array): BashOutcome {
  const fits = state.length <= CONTAINER_BYTES_MAX;
  return {
    stdout: withoutMiddle(stdout),
    stderr: `${withoutMiddle(withoutNetwork(stderr).replaceAll(ADVICE, ''))}${fits ? '' : TOO_MUCH}`,
    exitCode,
    ...(fits && { state }),
  };
}

/** Its beginning and its end, where it is too long. */
function withoutMiddle(output: string): string {
  const half = OUTPUT_CHARACTERS_MAX / 2;
  const left = output.length - OUTPUT_CHARACTERS_MAX;
  const shown =
    left <= 0
      ? output
      : `${output.slice(0, half)}\n[${left.toLocaleString('en-US')} characters left out here]\n${output.slice(-half)}`;
  // Neither a NUL nor half a character goes through every store and model.
  return shown.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Where the command before left the shell, unless that has gone since. */
function directoryOf({ directory, entries }: SessionState): string {
  const isThere = !isKept(directory) || entries.some((one) => one.path === directory && isFolder(one));
  return isThere ? directory : HOME;
}

const isFolder = ({ content, target }: SavedEntry): boolean => content === undefined && target === undefined;

/** Into a file system that has nothing but them and what is brought along. */
async function putFiles({ fs }: Bash, entries: readonly SavedEntry[]): Promise<void> {
  for (const path of fs.getAllPaths()) if (isKept(path)) await fs.rm(path, { recursive: true, force: true });
  for (const { path, mode, modifiedMs, content, target } of entries) {
    if (target !== undefined) {
      await fs.symlink(target, path);
      continue;
    }
    if (content) await fs.writeFile(path, content);
    else await fs.mkdir(path, { recursive: true });
    await fs.chmod(path, mode);
    await fs.utimes(path, new Date(modifiedMs), new Date(modifiedMs));
  }
}

async function takeState({ fs }: Bash, { env }: BashExecResult): Promise<Uint8Array> {
  const entries: SavedEntry[] = [];
  for (const path of fs.getAllPaths().sort()) {
    if (!isKept(path)) continue;
    const { isFile, isSymbolicLink, mode, mtime } = await fs.lstat(path);
    const entry = { path, mode, modifiedMs: mtime.getTime() };
    // A link is as old as its command: its time cannot be put back, and would make each state another one.
    if (isSymbolicLink) entries.push({ ...entry, modifiedMs: 0, target: await fs.readlink(path) });
    else entries.push(isFile ? { ...entry, content: await fs.readFileBuffer(path) } : entry);
  }
  return packState({
    directory: env['PWD'] ?? HOME,
    variables: new Map(Object.entries(env).filter(([name]) => !SHELL_VARIABLES.has(name))),
    entries,
  });
}
