/**
 * Goal: what callers and operators are told is said once, in whole sentences and in their words. Method: the texts of
 * errors, faults and log lines, and those of the description, read from the source; rules that can be held by counting.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseSource, walk, type SyntaxNode as Tree } from '../scripts/syntax.mjs';

const ROOT = join(__dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));

type Kind = 'error' | 'log line' | 'description';

interface Told {
  readonly kind: Kind;
  readonly where: string;
  readonly text: string;
}

/** What stands in the place of a value that is filled in. */
const FILLED = '…';
const ERRORS = new Set(['GatewayError', 'ProviderFault', 'ExtensionFault', 'CutShort']);
const LOGGED = new Set(['log', 'warn', 'error']);
const DESCRIBED = new Set(['summary', 'description', 'meaning']);

function literalOf(node: Tree | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ cooked }: { readonly cooked: string }) => cooked).join(FILLED);
}

/** Of `GatewayError`, `logger.warn` and `logger?.warn` the last name. */
function nameOf(callee: Tree): string | undefined {
  if (callee.type === 'OptionalChainingExpression') return nameOf(callee.base);
  return callee.type === 'MemberExpression' ? callee.property.value : callee.value;
}

/** What users read of a node, if anything: of an error all its literals, of a log line the message. */
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

function textsOf(file: string): Told[] {
  const { program, lineAt, textOf } = parseSource(join(ROOT, file));
  const found: Told[] = [];
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

/** Words of this code that its users have others for. */
const OWN_WORDS = /\b(?:the books?|walls?|legs?|holds? (?:of|is|are|was|were)|faces?|settles?)\b/i;
/** As real clients and the service have them. */
const GIVEN = /^(?:Invalid API key|Missing Authentication header|Only management keys can|Rate limit exceeded)/;

const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.;:]) /).filter((one) => one.length > 8);

it.each<[Kind, number]>([
  ['error', 150],
  ['log line', 40],
  ['description', 130],
])('are found, of each kind: %s', (kind, least) => {
  expect(all.filter((text) => text.kind === kind).length).toBeGreaterThan(least);
});

it('are found where a call is made only if there is somebody to call', () => {
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

it('are in the words of who reads them', () => {
  expect(all.filter(({ text }) => OWN_WORDS.test(text))).toEqual([]);
});

it('say nothing twice', () => {
  const doubled = all.filter(({ text }) => {
    const said = sentencesOf(text).map((one) => one.replace(/[.;:]$/, '').toLowerCase());
    return new Set(said).size < said.length || /\b(\w+) \1\b|\.\.|; (?:re)?try[^;]*; (?:re)?try/i.test(text);
  });
  expect(doubled).toEqual([]);
});

it('have one blank between two words, and none at their ends', () => {
  expect(all.filter(({ text }) => / {2}|^ | $/.test(text))).toEqual([]);
});

it('end with a full stop where they begin as a sentence', () => {
  const open = errors.filter(({ text, where }) => !/[.?…]$/.test(text) && !GIVEN.test(text) && !isSummary(where, text));
  expect(open).toEqual([]);
});

/** A route's title is none. */
const isSummary = (where: string, text: string): boolean => where.includes('.controller.ts:') && !text.includes('.');
