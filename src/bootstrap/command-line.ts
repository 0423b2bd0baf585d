import { oneLine } from '../core/text/one-line.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import { VARIABLE_ROWS } from '../shared/variables/variables.js';

/** Output and exit code of a command line that does not start the gateway. */
export interface ProgramAnswer {
  readonly text: string;
  readonly code: 0 | 2;
}

/**
 * Evaluates the command line.
 * @param words after the program's name
 * @returns undefined where the gateway should start: settings are variables, not arguments
 */
export function answerCommandLine(words: readonly string[]): ProgramAnswer | undefined {
  const [word] = words;
  if (word === undefined) return undefined;
  if (word === '--help' || word === '-h') return { text: help(), code: 0 };
  if (word === '--version' || word === '-v') return { text: PACKAGE_VERSION, code: 0 };
  return {
    text: `Fairlead has no argument "${oneLine(word)}": settings are environment variables, see --help.`,
    code: 2,
  };
}

function help(): string {
  const width = Math.max(...VARIABLE_ROWS.map(({ name }) => name.length));
  const rows = VARIABLE_ROWS.map(
    ({ name, shownDefault }) => `  ${name.padEnd(width)}  ${shownDefault.replaceAll('`', '')}`,
  );
  return `Fairlead ${PACKAGE_VERSION}, a model routing gateway

  npm start              starts it, after a build where one is needed
  node dist/main.js      starts what is built
  … --help, --version

Settings are variables of the environment; with their defaults:
${rows.join('\n')}
docs/operate/configuration.md explains them.`;
}
