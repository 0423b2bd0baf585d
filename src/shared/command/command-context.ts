import { resolve } from 'node:path';

/** The environment of a command: the process, or a test. */
export interface CommandContext {
  readonly words: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
  /** `DATA_DIR` is resolved from here, as in the gateway. */
  readonly workingDirectory: string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** A path from the operator, resolved from the operator's directory although npm runs scripts in the package's. */
export const pathOf = (
  named: string,
  { variables, workingDirectory }: Pick<CommandContext, 'variables' | 'workingDirectory'>,
): string => resolve(variables['INIT_CWD'] ?? workingDirectory, named);
