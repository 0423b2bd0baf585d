// Goal: each command is found by its name and reads the words behind it; all else is help. Method: the table alone;
// test/scripts.spec.ts starts the program.
import { chooseCommand, COMMANDS } from './commands.js';

const named = (words: string): unknown => {
  const choice = chooseCommand(words.split(' '));
  return 'command' in choice ? [choice.command.name, choice.words] : choice;
};

it.each([
  ['check own.yaml --strict', ['check', ['own.yaml', '--strict']]],
  ['verify ledger --json', ['verify ledger', ['--json']]],
  ['import store --in FILE', ['import store', ['--in', 'FILE']]],
  // This program serves two sources and reads which.
  ['import litellm config.yaml', ['import litellm', ['litellm', 'config.yaml']]],
  ['try --help', ['try', ['--help']]],
])('%s', (words, found) => {
  expect(named(words)).toEqual(found);
});

it.each([[[]], [['--help']], [['-h']]])('lists all commands for %j', (words) => {
  const choice = chooseCommand(words);
  expect(choice).toMatchObject({ code: 0 });
  const text = 'text' in choice ? choice.text : '';
  expect(COMMANDS.filter(({ name, purpose }) => !text.includes(`  ${name} `) || !text.includes(purpose))).toEqual([]);
});

it('lists the commands of a family, and all for a word that is none, and ends with 2', () => {
  expect(named('verify')).toMatchObject({ code: 2, text: expect.not.stringContaining('import') });
  expect(named('verify')).toMatchObject({ text: expect.stringMatching(/verify ledger[^]*verify audit/) });
  expect(named('serve')).toMatchObject({ code: 2, text: expect.stringContaining('import litellm') });
});

it('has no name that begins as another one does', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(names.filter((name) => names.some((other) => other !== name && `${other} `.startsWith(`${name} `)))).toEqual(
    [],
  );
});
