// The syntax tree of a source file, for scripts and tests that check rules of the sources.
import { readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';

export function parseSource(file) {
  const bytes = readFileSync(file);
  const program = parseSync(bytes.toString(), { syntax: 'typescript', decorators: true, target: 'es2022' });
  const lineEnds = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lineEnds.push(at);
  const lineAt = (position) => {
    const index = lineEnds.findIndex((end) => end >= position - 1);
    return (index === -1 ? lineEnds.length : index) + 1;
  };
  return { program, lineAt, textOf: ({ start, end }) => bytes.toString('utf8', start - 1, end - 1) };
}

export function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, visit);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node) visit(node);
  for (const part of Object.values(node)) walk(part, visit);
}
