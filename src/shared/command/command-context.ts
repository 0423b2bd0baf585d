import { resolve } from 'node:path';

/** What a command runs in: the process, or a test. */
export interface CommandContext {
  readonly words: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
  /** `DATA_DIR` counts from here, as it does for the gateway. */
  readonly workingDirectory: string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** A file or folder that the operator names: from where he stands, though npm starts its scripts in the package's. */
export const pathOf = (
  named: string,
  { variables, workingDirectory }: Pick<CommandContext, 'variables' | 'workingDirectory'>,
): string => resolve(variables['INIT_CWD'] ?? workingDirectory, named);
