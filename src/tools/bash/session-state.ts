/** A file, directory or symbolic link of a session. */
export interface SavedEntry {
  /** Absolute. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
  /** Content of a file. */
  readonly content?: Uint8Array;
  /** Target of a symbolic link. A directory has neither content nor target. */
  readonly target?: string;
}

/** The state that a bash session keeps from one command to the next. */
export interface SessionState {
  /** The working directory. */
  readonly directory: string;
  readonly variables: ReadonlyMap<string, string>;
  /** A directory precedes its content. */
  readonly entries: readonly SavedEntry[];
}

/** Stored in each state; a state with another number is not read. */
const FORM = 1;
const LENGTH_BYTES = 4;

/** The JSON that precedes the contents of all files. */
interface Header {
  readonly form: typeof FORM;
  readonly directory: string;
  readonly variables: readonly (readonly [string, string])[];
  /** Path, mode, milliseconds; then the length of a file or the target of a link. */
  readonly entries: readonly (readonly [string, number, number, (number | string)?])[];
}

/** Packs a state as the length of the header, the header, and the contents. */
export function packState({ directory, variables, entries }: SessionState): Uint8Array {
  const header: Header = {
    form: FORM,
    directory,
    variables: [...variables],
    entries: entries.map(({ path, mode, modifiedMs, content, target }) => {
      const special = content?.length ?? target;
      return special === undefined ? [path, mode, modifiedMs] : [path, mode, modifiedMs, special];
    }),
  };
  const printed = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(printed.length);
  return Buffer.concat([length, printed, ...entries.map(({ content }) => content ?? Buffer.alloc(0))]);
}

/** @returns undefined for the state of a release with another format */
export function unpackState(packed: Uint8Array): SessionState | undefined {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  let index = LENGTH_BYTES + bytes.readUInt32BE();
  const header = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, index)) as Header;
  if (header.form !== FORM) return undefined;
  return {
    directory: header.directory,
    variables: new Map(header.variables),
    entries: header.entries.map(([path, mode, modifiedMs, special]) => {
      const entry = { path, mode, modifiedMs };
      if (typeof special === 'string') return { ...entry, target: special };
      if (special === undefined) return entry;
      const content = bytes.subarray(index, index + special);
      index += special;
      return { ...entry, content };
    }),
  };
}
