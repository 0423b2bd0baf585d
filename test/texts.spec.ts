/**
 * Checks that messages for callers and operators are stated once, in whole sentences and in their terms, and that no
 * comment, document or name has a private word of this project. The texts of errors, faults and log lines, and those of
 * the description, are read from the source; the rules can be verified by counting.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseSource, walk, type SyntaxNode as Tree } from '../scripts/parse-source.mjs';

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
  if (node.type === 'CallExpression' && nameOf(node.callee) === 'described')
    return { kind: 'description', texts: words().slice(0, 1) };
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

/** Words and turns of phrase that have to be read twice, each with a plain form. */
const HARD_WORDS =
  /\b(?:anew|dearer|dearest|whence|thereof|upkeep|has to be|of yours|in the midst|no word on|is another|the thing|things? that there (?:is|are)|what there is|nowhere else|begins again|are gone|none of ours|win over|by the same way|in force|one's own|must be free|is gone from)\b/i;

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

/** The sentences of fields, which are tables of texts. */
const fieldTexts = files
  .filter((file) => file.startsWith('src/description/field-texts/'))
  .flatMap((file) => {
    const found: Pick<UserText, 'where' | 'text'>[] = [];
    const { program, lineAt } = parseSource(join(ROOT, file));
    walk(program, (node) => {
      const text = literalOf(node);
      if (text?.includes(' ')) found.push({ where: `${file}:${lineAt(node.span.start)}`, text });
    });
    return found;
  });

it('are understood at the first reading', () => {
  expect(fieldTexts.length).toBeGreaterThan(300);
  expect([...all, ...fieldTexts].filter(({ text }) => HARD_WORDS.test(text))).toEqual([]);
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

/** Words that this project once used in a separate sense. In comments and documents each has a plain one. */
const PRIVATE_WORDS =
  /\b(?:told|tell|tells|telling|asked|unasked|said|say|says|saying|unsaid|untold|nobody|whoever|somebody|at hand|in company|in the midst|very same|of whom)\b/i;

const PRIVATE_PART =
  /^(?:(?:un)?(?:told|tells?|said|says?|saying|asked)|fates?|upkeep|pullers?|parcels?|errands?|wander\w*|untidy)$/i;

/** The parts of a name that are private words. */
const privatePartsOf = (name: string): readonly string[] =>
  name.split(/[_.-]|(?<=[a-z\d])(?=[A-Z])/).filter((part) => PRIVATE_PART.test(part));

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

/** The prose of a line: of code its comment, of a document the line without code and quotations. */
function proseOf(line: string, file: string): string | undefined {
  if (file.endsWith('.md')) return line.replaceAll(/`[^`]*`|\("[^"]*"|\]\([^)]*\)/g, '');
  const comment = /\.(?:sh|yaml)$/.test(file)
    ? /^\s*#(.*)$/.exec(line)
    : (/^\s*(?:\/\/|\/?\*)(.*)$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line));
  return comment?.[1]?.replaceAll(/#[\w-]+|`[^`]*`/g, '');
}

/** Apart, so that the examples below are no comments themselves. */
const SLASHES = '//';

function wordsIn(file: string, words: RegExp): string[] {
  let isCode = false;
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (file.endsWith('.md') && line.startsWith('```')) isCode = !isCode;
      const prose = isCode ? undefined : proseOf(line, file);
      return prose !== undefined && words.test(prose) ? [`${file}:${index + 1}: ${line.trim()}`] : [];
    });
}

it('has comments and documents in the words of the field', () => {
  expect(PROSE.length).toBeGreaterThan(2_000);
  expect(PROSE.flatMap((file) => wordsIn(file, PRIVATE_WORDS))).toEqual([]);
});

/** Words with a plain one each: slot, index, path, balance. In comments and titles of tests. `in place` is a term. */
const VAGUE_WORDS =
  /(?<!@param )\brooms?\b|(?<!\bin |@param |\bdecimal )\bplaces?\b|\b(?:stands? beside|goe?s? on|who has)\b/i;

const SOURCES = PROSE.filter((file) => /^(?:src|test)\/.*\.ts$/.test(file));

it('has comments without words that name many things', () => {
  expect(SOURCES.length).toBeGreaterThan(1_200);
  expect(SOURCES.flatMap((file) => wordsIn(file, VAGUE_WORDS))).toEqual([]);
});

/** The title of a test or suite that begins on the line. */
const titleOf = (line: string): string | undefined =>
  /^\s*(?:(?:it|describe)\w*(?:\.\w+)?|.*\])?\)?\((['`])(.*?)\1,/.exec(line)?.[2];

it('has titles of tests without them', () => {
  const titles = SOURCES.filter((file) => file.endsWith('.spec.ts')).flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line) => titleOf(line) ?? [])
      .map((title) => `${file}: ${title}`),
  );
  expect(titles.length).toBeGreaterThan(4_000);
  expect(titles.filter((title) => VAGUE_WORDS.test(title.replace(/^\S+ /, '')))).toEqual([]);
});

it.each([
  ["it('is found', () => {", 'is found'],
  ["  describe('is found', () => {", 'is found'],
  ["describeOnEmbedded('is found', (database) => {", 'is found'],
  ["])('is found %s', (value) => {", 'is found %s'],
  ['  it.skip(`is found`, () => {', 'is found'],
  ["  expect(it).toBe('other', 1);", undefined],
])('knows titles: %s', (line, title) => {
  expect(titleOf(line)).toBe(title);
});

it.each([
  ['There is no room for it.', true],
  ['Its place in the list', true],
  ['Lists are changed in place.', false],
  ['Decimal places', false],
])('knows such words: %s', (comment, isFound) => {
  expect(VAGUE_WORDS.test(comment)).toBe(isFound);
});

/**
 * Words of the pages for operators that had to be read twice. Plain ones: stop the gateway (must be free), active (in
 * force), redirects or calls (leads to), stops (dies), does not answer (away), is reset (anew), check (judge).
 */
const OPERATORS_HARD_WORDS =
  /\b(?:anew|must be free|in force|leads? (?:to|there)|one's own|of one's|judge[sd]?|judging|(?:is|are|was) (?:gone|away)|stands?|dies|died|without room|has room|win[s]? over)\b/i;

it('has pages for operators in plain words', () => {
  const pages = PROSE.filter((file) => /^(?:README\.md|docs\/operate\/.*\.(?:md|yaml)|docs\/glossary\.md)$/.test(file));
  expect(pages.length).toBeGreaterThan(40);
  const found = pages.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => OPERATORS_HARD_WORDS.test(line.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '')))
      .map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
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
    if (
      !/told|tell|said|say|asked|fate|upkeep|puller|parcel|errand|wander|untidy/i.test(
        readFileSync(join(ROOT, file), 'utf8'),
      )
    )
      return [];
    const names = new Set<string>();
    walk(parseSource(join(ROOT, file)).program, ({ type, value }) => {
      const isName = type === 'Identifier' && !KEPT_NAMES.has(value as string);
      if (isName && privatePartsOf(value as string).length > 0) names.add(`${file}: ${value as string}`);
    });
    return [...names];
  });
  expect(found).toEqual([]);
});

/** Each of these names once had several meanings, such as an index, a path, a host and a slot. */
const VAGUE_NAME =
  /^(?:[Pp]laces?|Known|Named|Judged|Reading|Pulled|Seat|Sightings?|Waiting|Placed|Sealed|Owned|Claimed|Kept|Ranked|Querying|Priced|Spent|Tried|Entered|Needed|Measured|Received|Scanned|Wrapped)$/;

/** Files in which `place` is a column, a key of a stored text, a word of a lexicon or the parameter of an example. */
const HAS_PLACES =
  /^src\/(?:ledger\/(?:ledger\.repository|generations\/kept-decisions|month-end\/(?:close-month|statement-line\.entity))|routing\/(?:consulted-decision\.entity|decision-command|decision-log)|shared\/database\/(?:directory-lock|process-identity)|plugins\/moderation\/harm\/(?:find-harm|lexicon)|faces\/\w+\/\w+-examples)\.ts$/;

it('has no names that mean many things', () => {
  const found = files
    .filter((file) => !HAS_PLACES.test(file))
    .flatMap((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
      if (!code.split(/\W+/).some((word) => VAGUE_NAME.test(word))) return [];
      const names = new Set<string>();
      walk(parseSource(join(ROOT, file)).program, ({ type, value }) => {
        if (type === 'Identifier' && VAGUE_NAME.test(value as string)) names.add(`${file}: ${value as string}`);
      });
      return [...names];
    });
  expect(found).toEqual([]);
});

it.each([
  ['place', true],
  ['Place', true],
  ['placeholder', false],
  ['Known', true],
  ['known', false],
])('knows names that mean many things: %s', (name, isFound) => {
  expect(VAGUE_NAME.test(name)).toBe(isFound);
});
