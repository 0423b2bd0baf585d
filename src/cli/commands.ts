/** A separate program behind one name. */
export interface Command {
  /** Words that select the command, such as `verify ledger`. */
  readonly name: string;
  readonly purpose: string;
  /** Starts it: it reads its arguments from the command line of the process. */
  readonly start: () => Promise<unknown>;
  /** The program itself reads the last word of the command name as its first argument. */
  readonly readsItsName?: true;
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'check',
    purpose: 'checks a catalog, or compares two',
    start: () => import('./catalog-check.js'),
  },
  {
    name: 'try',
    purpose: 'calls each endpoint of a provider once, and reports what works',
    start: () => import('./provider-try.js'),
  },
  {
    name: 'decision',
    purpose: 'explains how a generation was routed',
    start: () => import('./decision-explain.js'),
  },
  {
    name: 'reconcile',
    purpose: "compares a vendor's usage export with the ledger",
    start: () => import('./ledger-reconcile.js'),
  },
  {
    name: 'verify ledger',
    purpose: 'recomputes every balance',
    start: () => import('./ledger-verify.js'),
  },
  {
    name: 'verify audit',
    purpose: 'recomputes every hash and seal of the audit log',
    start: () => import('./audit-verify.js'),
  },
  {
    name: 'rebuild figures',
    purpose: 'writes the figures of activity again',
    start: () => import('./figures-rebuild.js'),
  },
  {
    name: 'rotate',
    purpose: 're-encrypts stored credentials with the first encryption key',
    start: () => import('./vault-rotate.js'),
  },
  {
    name: 'backup',
    purpose: 'copies a running embedded store',
    start: () => import('./data-backup.js'),
  },
  {
    name: 'export',
    purpose: 'writes the whole store into one file',
    start: () => import('./data-export.js'),
  },
  {
    name: 'import store',
    purpose: 'fills an empty store with an exported file',
    start: () => import('./data-import.js'),
  },
  {
    name: 'import litellm',
    purpose: 'converts a configuration of LiteLLM into a catalog',
    start: () => import('./import.js'),
    readsItsName: true,
  },
  {
    name: 'import openrouter',
    purpose: 'creates keys from those of OpenRouter',
    start: () => import('./import.js'),
    readsItsName: true,
  },
];

/** A command, and the arguments that it reads. */
export interface ChosenCommand {
  readonly command: Command;
  readonly words: readonly string[];
}

/** @returns what to print and the exit code, if the arguments name no command */
export function chooseCommand(
  words: readonly string[],
): ChosenCommand | { readonly text: string; readonly code: 0 | 2 } {
  const command = COMMANDS.find(({ name }) => startsWith(words, name.split(' ')));
  if (command) {
    const named = command.name.split(' ').length;
    return { command, words: words.slice(command.readsItsName ? named - 1 : named) };
  }
  const [first = '--help'] = words;
  if (first === '--help' || first === '-h') return { text: helpOf(COMMANDS), code: 0 };
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  return { text: helpOf(family.length > 0 ? family : COMMANDS), code: 2 };
}

const startsWith = (words: readonly string[], name: readonly string[]): boolean =>
  name.every((word, index) => words[index] === word);

function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, purpose }) => `  ${name.padEnd(width)}  ${purpose}`);
  return `npm run fairlead -- <command>\n\n${rows.join('\n')}\n\nEach command explains its options: npm run fairlead -- <command> --help\n`;
}
