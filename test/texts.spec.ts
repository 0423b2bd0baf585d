/**
 * Goal: what callers and operators are told is said once, in whole sentences and in their words. Method: the texts of
 * errors, faults and log lines, and those of the description, read from the source; rules that can be held by counting.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseSource, walk, type SyntaxNode as Tree } from '../scripts/syntax.mjs';

const ROOT = join(__dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));

interface Told {
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

const nameOf = (callee: Tree): string | undefined =>
  callee.type === 'MemberExpression' ? callee.property.value : callee.value;

/** Arguments that are told: of an error the first that is no kind, of a line the message. */
function toldBy(node: Tree, textOf: (span: Tree['span']) => string): readonly (string | undefined)[] {
  const words = (): (string | undefined)[] =>
    (node.arguments ?? []).map(({ expression }: { readonly expression: Tree }) => literalOf(expression));
  if (node.type === 'NewExpression' && ERRORS.has(nameOf(node.callee) ?? '')) return words();
  if (node.type === 'CallExpression' && LOGGED.has(nameOf(node.callee) ?? '') && /ogger/.test(textOf(node.callee.span)))
    return words().slice(0, 1);
  if (node.type === 'KeyValueProperty' && DESCRIBED.has(node.key.value)) return [literalOf(node.value)];
  return [];
}

function textsOf(file: string): Told[] {
  const { program, lineAt, textOf } = parseSource(join(ROOT, file));
  const found: Told[] = [];
  walk(program, (node) => {
    for (const text of toldBy(node, textOf))
      if (text?.includes(' ')) found.push({ where: `${file}:${lineAt((node.span ?? node.key.span).start)}`, text });
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

it('are found', () => {
  expect(all.length).toBeGreaterThan(250);
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
