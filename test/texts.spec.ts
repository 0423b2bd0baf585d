/**
 * Checks that messages for callers and operators are stated once, in whole sentences and in their terms, and that no
 * comment, document or name has a private word of this project. The texts of errors, faults and log lines, and those of
 * the description, are read from the source; the rules can be verified by counting.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseSource, walk, type SyntaxNode as Tree } from '../scripts/syntax.mjs';

const ROOT = join(__dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));

type Kind = 'error' | 'log line' | 'description';

interface UserText {
  readonly kind: Kind;
  readonly where: string;
  readonly text: string;
}

/** The placeholder of an inserted value. */
const FILLED = '…';
const ERRORS = new Set(['GatewayError', 'ProviderFault', 'ExtensionFault', 'CutShort']);
const LOGGED = new Set(['log', 'warn', 'error']);
const DESCRIBED = new Set(['summary', 'description', 'meaning']);

function literalOf(node: Tree | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ cooked }: { readonly cooked: string }) => cooked).join(FILLED);
}

/** The last name of `GatewayError`, `logger.warn` and `logger?.warn`. */
function nameOf(callee: Tree): string | undefined {
  if (callee.type === 'OptionalChainingExpression') return nameOf(callee.base);
  return callee.type === 'MemberExpression' ? callee.property.value : callee.value;
}

/** The text of a node that users read, if any: all literals of an error, the message of a log line. */
function textsIn(
  node: Tree,
  textOf: (span: Tree['span']) => string,
): { readonly kind: Kind; readonly texts: readonly (string | undefined)[] } | undefined {
  const words = (): (string | undefined)[] =>
    (node.arguments ?? []).map(({ expression }: { readonly expression: Tree }) => literalOf(expression));
  if (node.type === 'NewExpression' && ERRORS.has(nameOf(node.callee) ?? '')) return { kind: 'error', texts: words() };
  if (node.type === 'CallExpression' && LOGGED.has(nameOf(node.callee) ?? '') && /ogger/.test(textOf(node.callee.span)))
    return { kind: 'log line', texts: words().slice(0, 1) };
  if (node.type === 'KeyValueProperty' && DESCRIBED.has(node.key.value))
    return { kind: 'description', texts: [literalOf(node.value)] };
  return undefined;
}

function textsOf(file: string): UserText[] {
  const { program, lineAt, textOf } = parseSource(join(ROOT, file));
  const found: UserText[] = [];
  walk(program, (node) => {
    const read = textsIn(node, textOf);
    for (const text of read?.texts ?? [])
      if (text?.includes(' '))
        found.push({ kind: read!.kind, where: `${file}:${lineAt((node.span ?? node.key.span).start)}`, text });
  });
  return found;
}

const all = files.flatMap(textsOf);
const errors = all.filter(({ text }) => /^[A-Z]/.test(text));

/** Words of this code for which its users have others. */
const OWN_WORDS = /\b(?:the books?|walls?|legs?|holds? (?:of|is|are|was|were)|faces?|settles?)\b/i;
/** The names of real clients and of the service. */
const GIVEN = /^(?:Invalid API key|Missing Authentication header|Only management keys can|Rate limit exceeded)/;

const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.;:]) /).filter((one) => one.length > 8);

it.each<[Kind, number]>([
  ['error', 150],
  ['log line', 40],
  ['description', 130],
])('are found, of each kind: %s', (kind, least) => {
  expect(all.filter((text) => text.kind === kind).length).toBeGreaterThan(least);
});

it('are found in optional calls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-texts-'));
  try {
    const file = join(folder, 'one.ts');
    writeFileSync(file, `this.logger?.warn('One two.');\nlogger.error?.('Three four.');\n`);
    const found = textsOf(relative(ROOT, file)).map(({ kind, text }) => [kind, text]);
    expect(found).toEqual([
      ['log line', 'One two.'],
      ['log line', 'Three four.'],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('are in the terms of their readers', () => {
  expect(all.filter(({ text }) => OWN_WORDS.test(text))).toEqual([]);
});

it('repeat nothing', () => {
  const doubled = all.filter(({ text }) => {
    const sentences = sentencesOf(text).map((one) => one.replace(/[.;:]$/, '').toLowerCase());
    return new Set(sentences).size < sentences.length || /\b(\w+) \1\b|\.\.|; (?:re)?try[^;]*; (?:re)?try/i.test(text);
  });
  expect(doubled).toEqual([]);
});

it('have one space between two words, and none at their ends', () => {
  expect(all.filter(({ text }) => / {2}|^ | $/.test(text))).toEqual([]);
});

it('end with a full stop where they begin as a sentence', () => {
  const open = errors.filter(({ text, where }) => !/[.?…]$/.test(text) && !GIVEN.test(text) && !isSummary(where, text));
  expect(open).toEqual([]);
});

/** The title of a route is not a sentence. */
const isSummary = (where: string, text: string): boolean => where.includes('.controller.ts:') && !text.includes('.');

/** Words that this project once used in a sense of its own. In comments and documents each has a plain one. */
const PRIVATE_WORDS =
  /\b(?:told|tell|tells|telling|asked|unasked|said|say|says|saying|unsaid|untold|nobody|whoever|somebody|at hand|in company|in the midst|very same|of whom)\b/i;

/** The parts of a name that are private words. */
const privatePartsOf = (name: string): readonly string[] =>
  name
    .split(/[_.-]|(?<=[a-z\d])(?=[A-Z])/)
    .filter((part) => /^(?:un)?(?:told|tells?|said|says?|saying|asked)$/i.test(part));

/** A key within the seals of earlier replies, and a key of test data. */
const KEPT_NAMES = new Set(['said', 'asked']);

/** Statements of migrations and of functions stay as the databases have them. */
const PROSE = execFileSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.ts',
    '*.mts',
    '*.mjs',
    '*.js',
    '*.sh',
    '*.yaml',
    '*.md',
  ],
  { cwd: ROOT },
)
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));

/** Of code the comment on a line; of a document the line without code and quotations. */
function proseOf(line: string, file: string): string | undefined {
  if (file.endsWith('.md')) return line.replaceAll(/`[^`]*`|\("[^"]*"|\]\([^)]*\)/g, '');
  const comment = /\.(?:sh|yaml)$/.test(file)
    ? /^\s*#(.*)$/.exec(line)
    : (/^\s*(?:\/\/|\/?\*)(.*)$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line));
  return comment?.[1]?.replaceAll(/#[\w-]+|`[^`]*`/g, '');
}

/** Apart, so that the examples below are no comments themselves. */
const SLASHES = '//';

function privateWordsIn(file: string): string[] {
  let isCode = false;
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (file.endsWith('.md') && line.startsWith('```')) isCode = !isCode;
      const prose = isCode ? undefined : proseOf(line, file);
      return prose !== undefined && PRIVATE_WORDS.test(prose) ? [`${file}:${index + 1}: ${line.trim()}`] : [];
    });
}

it('has comments and documents in the words of the field', () => {
  expect(PROSE.length).toBeGreaterThan(2_000);
  expect(PROSE.flatMap(privateWordsIn)).toEqual([]);
});

it.each([
  ['a comment', `  ${SLASHES} What it is told.`, 'a.ts', true],
  ['a block', ' * Nobody knows.', 'a.ts', true],
  ['a comment behind code', `f(); ${SLASHES} at hand`, 'a.mjs', true],
  ['a comment of a script', '# Whoever waits', 'a.sh', true],
  ['a document', 'Who is asked?', 'a.md', true],
  ['a text', "f('told');", 'a.ts', false],
  ['code in a document', 'The field `told`', 'a.md', false],
])('find a private word in prose alone: %s', (_, line, file, isFound) => {
  expect(PRIVATE_WORDS.test(proseOf(line, file) ?? '')).toBe(isFound);
});

it('has names in the words of the field', () => {
  const found = PROSE.filter((file) => file.endsWith('.ts')).flatMap((file) => {
    if (privatePartsOf(basename(file, '.ts')).length > 0) return [file];
    // Few files have such a word at all, and only those are parsed.
    if (!/told|tell|said|say|asked/i.test(readFileSync(join(ROOT, file), 'utf8'))) return [];
    const names = new Set<string>();
    walk(parseSource(join(ROOT, file)).program, ({ type, value }) => {
      const isName = type === 'Identifier' && !KEPT_NAMES.has(value as string);
      if (isName && privatePartsOf(value as string).length > 0) names.add(`${file}: ${value as string}`);
    });
    return [...names];
  });
  expect(found).toEqual([]);
});
