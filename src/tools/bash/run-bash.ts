import type { Bash, BashExecResult, BashOptions } from 'just-bash/browser';
import { ExtensionFault } from '../../core/extension.js';
import { CONTAINER_BYTES_MAX } from '../containers/container-bounds.js';
import { closeConnections, withoutNetwork } from './no-network.js';
import { packState, unpackState, type SavedEntry, type SessionState } from './session-state.js';

/** The task of a thread: one command. */
export interface BashCommand {
  readonly command: string;
  /** `state` of the previous outcome; absent in a new session. */
  readonly state?: Uint8Array;
  /** Memory limit of all data that the command handles. */
  readonly memoryBytes: number;
  /** Time limit, waiting included, after which the command is ended. */
  readonly timeMs: number;
}

export interface BashOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** The session after the command; absent where it exceeds a container and therefore keeps its previous state. */
  readonly state?: Uint8Array;
}

/** Maximum number of characters of each output that a model is sent. Chosen: some 10,000 tokens. */
const OUTPUT_CHARACTERS_MAX = 32_768;
/**
 * Maximum number of bytes of the files of a session: below the bound of a container, since names and times take space
 * too.
 */
const FILE_BYTES_MAX = CONTAINER_BYTES_MAX - 512 * 1024;
/** Maximum number of commands of a script, in whatever way they are called: a second or two of computing. */
const COMMANDS_MAX = 100_000;
/** Maximum number of iterations of a loop, also in awk, sed and jq: about as much computing as `COMMANDS_MAX`. */
const ROUNDS_MAX = 1_000_000;
const TOO_MUCH = `The files are more than a session may have (${CONTAINER_BYTES_MAX / 1024 / 1024} MiB): all is as before this command.\n`;
const HOME = '/home/user';
const TEMPORARY = '/tmp';
/** Advice of the interpreter for the developer who embeds it; removed from the output. */
const ADVICE = /, increase executionLimits\.\w+| in browser environments\. Exclude '.*' from your commands[^\n]*/g;
/** Paths that the interpreter creates itself: made anew each time, and never kept. */
const INTERPRETER_PATHS = /^\/((bin|dev|proc|usr)(\/|$)|$)/;
const isKept = (path: string): boolean => !INTERPRETER_PATHS.test(path);
/** The shell's own variables. */
const SHELL_VARIABLES = new Set(['?', '_', 'BASHOPTS', 'HOME', 'IFS', 'OLDPWD', 'OPTIND', 'PWD', 'SHELLOPTS']);

/**
 * Runs a command in an interpreted bash: its files are in memory, and it has no access to programs, network or files of
 * the host. The bundle for browsers is used, because it imports nothing of Node's that could reach them.
 * @throws ExtensionFault `unsupported` for the state of another release
 */
export async function runBash({ command, state, memoryBytes, timeMs }: BashCommand): Promise<BashOutcome> {
  const { Bash } = await import('just-bash/browser');
  const before = state && readState(state);
  const bash = new Bash({
    executionLimits: limitsOf(memoryBytes, timeMs),
    // The directory of the shell: a command that ends the shell loses its own changes of it.
    cwd: before ? directoryOf(before) : HOME,
    env: { HOME, ...(before && Object.fromEntries(before.variables)) },
    // Sleeping is pointless, since nothing runs outside the command, and other commands wait for the thread.
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

/** A redirection into a file that grows too large throws, while a program's own write fails within the program. */
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

/** The beginning and end of an output that is too long. */
function withoutMiddle(output: string): string {
  const half = OUTPUT_CHARACTERS_MAX / 2;
  const left = output.length - OUTPUT_CHARACTERS_MAX;
  const shown =
    left <= 0
      ? output
      : `${output.slice(0, half)}\n[${left.toLocaleString('en-US')} characters left out here]\n${output.slice(-half)}`;
  // Some stores and models reject NUL characters and lone surrogates.
  return shown.replaceAll('\0', '\ufffd').toWellFormed();
}

/** The directory in which the previous command left the shell, unless it was removed. */
function directoryOf({ directory, entries }: SessionState): string {
  const isThere = !isKept(directory) || entries.some((entry) => entry.path === directory && isFolder(entry));
  return isThere ? directory : HOME;
}

const isFolder = ({ content, target }: SavedEntry): boolean => content === undefined && target === undefined;

/** Restores the files of a session into a file system that holds only what the interpreter creates itself. */
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
    // The time of a link cannot be restored; its actual time would make each state differ.
    if (isSymbolicLink) entries.push({ ...entry, modifiedMs: 0, target: await fs.readlink(path) });
    else entries.push(isFile ? { ...entry, content: await fs.readFileBuffer(path) } : entry);
  }
  return packState({
    directory: env['PWD'] ?? HOME,
    variables: new Map(Object.entries(env).filter(([name]) => !SHELL_VARIABLES.has(name))),
    entries,
  });
}
