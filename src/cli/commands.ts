/** A program of its own behind one name. */
export interface Command {
  /** Its words on the command line. */
  readonly name: string;
  readonly purpose: string;
  /** Starts it: it reads its arguments from the command line of the process. */
  readonly start: () => Promise<unknown>;
  /** The last word of its name is the first one that the program itself reads. */
  readonly readsItsName?: true;
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'check',
    purpose: 'judges a catalog, or compares two',
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
    purpose: 'puts stored credentials under the first encryption key',
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
    purpose: 'writes a catalog of the configuration of a LiteLLM proxy',
    start: () => import('./import.js'),
    readsItsName: true,
  },
  {
    name: 'import openrouter',
    purpose: 'makes keys of those of OpenRouter',
    start: () => import('./import.js'),
    readsItsName: true,
  },
];

/** A command, and the words that it reads. */
export interface ChosenCommand {
  readonly command: Command;
  readonly words: readonly string[];
}

/** @returns what to print and the exit code, where the words name no command */
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
