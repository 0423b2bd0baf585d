// `node scripts/check-renames.mjs <revision>`: proves that the sources differ from those of a revision in nothing but
// comments, layout, test titles, and what the files of `scripts/renamed` list: identifiers, files (without their
// extensions) and texts, each with its new form. Prints each other difference, and ends with 1 where there is one.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from '@swc/core';

const ROOT = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const SOURCE = /\.(?:ts|mts|mjs)$/;
/** Members of a tree that give a position, or how something was written. */
const LAYOUT = new Set(['span', 'ctxt', 'raw', 'interpreter', 'start', 'end']);
/** Functions whose first text is a title. */
const TITLED = new Set(['it', 'test', 'describe', 'describeOnEachDatabase', 'describeOnPostgres', 'each']);

const [revision] = process.argv.slice(2);
if (revision === undefined) {
  console.error('Usage: node scripts/check-renames.mjs <revision>');
  process.exit(2);
}

const git = (...args) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 1 << 30 }).toString();
/** A name may have several new forms: it meant several things. */
const newNames = new Map();
const newFiles = new Map();
const newTexts = new Map();
const TABLES = join(ROOT, 'scripts', 'renamed');
for (const file of readdirSync(TABLES)) {
  const { identifiers = {}, files = {}, texts = {} } = JSON.parse(readFileSync(join(TABLES, file), 'utf8'));
  for (const [name, forms] of Object.entries(identifiers)) {
    newNames.set(name, new Set([...(newNames.get(name) ?? []), ...[forms].flat()]));
  }
  for (const [name, forms] of Object.entries(files)) {
    newFiles.set(name, new Set([...(newFiles.get(name) ?? []), ...[forms].flat()]));
  }
  for (const [text, form] of Object.entries(texts)) newTexts.set(text, form);
}

const syntaxOf = (text, file) =>
  parseSync(text, { syntax: file.endsWith('.mjs') ? 'ecmascript' : 'typescript', decorators: true, target: 'es2022' });

/** A specifier of an import, or a path in a text, whose file has another name or folder now. */
function isMoved(before, after) {
  const name = (path) => basename(path).replace(/\.(?:js|ts|mjs)$/, '');
  if (name(before) === name(after)) return before.startsWith('.') && after.startsWith('.');
  return newFiles.get(name(before))?.has(name(after)) === true;
}

function isAllowed(before, after, { isName, isTitle, key }) {
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  if (isName || key === 'pattern') return newNames.get(before)?.has(after) === true;
  return (
    isTitle || newTexts.get(before) === after || newNames.get(before)?.has(after) === true || isMoved(before, after)
  );
}

/** A property or binding in its long form: a rename of one of the two names in a short form writes both. */
function inLongForm(node) {
  switch (node?.type) {
    case 'AssignmentPatternProperty': {
      const { key, value } = node;
      const bound = value ? { type: 'AssignmentPattern', left: key, right: value, typeAnnotation: null } : key;
      return { type: 'KeyValuePatternProperty', key: { type: 'Identifier', value: key.value }, value: bound };
    }
    case 'ObjectExpression': {
      const inLong = (part) =>
        part.type === 'Identifier'
          ? { type: 'KeyValueProperty', key: { type: 'Identifier', value: part.value }, value: part }
          : part;
      return { ...node, properties: node.properties.map(inLong) };
    }
    case 'ImportSpecifier':
      return { ...node, imported: node.imported ?? node.local };
    default:
      return node;
  }
}

/** The formatter adds and removes parentheses. */
const unwrapped = (node) => (node?.type === 'ParenthesisExpression' ? unwrapped(node.expression) : inLongForm(node));

/** @returns the places in which two trees differ, each as the old and the new value */
function differences(old, now, place = { isName: false, isTitle: false, key: '' }, found = []) {
  const [before, after] = [unwrapped(old), unwrapped(now)];
  if (before === after || found.length > 20) return found;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    if (!isAllowed(before, after, place)) found.push([before, after]);
    return found;
  }
  if (Array.isArray(before) && before.length !== after.length) {
    found.push([`${before.length} parts`, `${after.length} parts`]);
    return found;
  }
  const isName = before.type === 'Identifier' || before.type === 'PrivateName';
  const isTitleCall = before.type === 'CallExpression' && TITLED.has(titleFunction(before.callee));
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (LAYOUT.has(key)) continue;
    const isArguments = isTitleCall && key === 'arguments';
    // In tables of cases each row may begin with its title.
    const isTitle = place.isTitle || isArguments;
    differences(before[key], after[key], { isName, isTitle: isTitle && !isFunction(before[key]), key }, found);
  }
  return found;
}

const isFunction = (node) => node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** `it`, `it.each(…)`, `describe.each(…)`: the last name. */
function titleFunction(callee) {
  if (callee.type === 'Identifier') return callee.value;
  if (callee.type === 'MemberExpression') return callee.property.value;
  return callee.type === 'CallExpression' ? titleFunction(callee.callee) : undefined;
}

/** Files of both states, by their names of today. */
function changedFiles() {
  const changes = git('diff', '--name-status', '-M30', revision, '--', '*.ts', '*.mts', '*.mjs').trim();
  return changes === '' ? [] : changes.split('\n').map((line) => line.split('\t'));
}

let failed = 0;
const report = (file, message) => {
  failed++;
  console.log(`${file}: ${message}`);
};

for (const [status, before, after = before] of changedFiles()) {
  if (!SOURCE.test(after)) continue;
  if (status === 'A' || status === 'D') {
    report(after, status === 'A' ? 'is new' : 'is gone');
    continue;
  }
  if (status.startsWith('R') && basename(before) !== basename(after) && !isMoved(before, after))
    report(after, `is called ${basename(before)} in ${revision}, which no file of scripts/renamed lists`);
  const old = syntaxOf(git('show', `${revision}:${before}`), before);
  const now = syntaxOf(readFileSync(join(ROOT, after), 'utf8'), after);
  for (const [was, is] of differences(old, now)) report(after, `${JSON.stringify(was)} became ${JSON.stringify(is)}`);
}
console.log(failed === 0 ? 'The syntax is the same.' : `${failed} differences.`);
process.exitCode = failed === 0 ? 0 : 1;
