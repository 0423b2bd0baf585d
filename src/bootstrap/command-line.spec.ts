// The program answers its arguments, and starts without any. A table of arguments; the help against the list of
// variables.
import { answerCommandLine } from './command-line.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import { VARIABLE_ROWS } from '../shared/variables/variables.js';

it('starts without arguments', () => {
  expect(answerCommandLine([])).toBeUndefined();
});

it.each(['--version', '-v'])('%s prints the version of the package', (word) => {
  expect(answerCommandLine([word])).toEqual({ text: PACKAGE_VERSION, code: 0 });
});

it.each(['--help', '-h'])('%s names every variable with its default', (word) => {
  const { text, code } = answerCommandLine([word])!;
  expect(code).toBe(0);
  for (const { name, shownDefault } of VARIABLE_ROWS) {
    expect(text).toMatch(new RegExp(`^  ${name} +${shownDefault.replaceAll('`', '').replace(/[^\w ]/g, '.')}$`, 'm'));
  }
});

it('prints no control characters of an argument', () => {
  expect(answerCommandLine(['\u001b[31mx\nFAKE'])!.text).toMatch(/^Fairlead has no argument " \[31mx FAKE": /);
});

it.each(['--port', 'start', '--help=1'])('%s is refused, with a reference to the help', (word) => {
  expect(answerCommandLine([word])).toEqual({
    text: `Fairlead has no argument "${word}": settings are environment variables, see --help.`,
    code: 2,
  });
});
