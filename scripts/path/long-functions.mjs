// Functions by their length in lines, by TypeScript's own parser: signature, body and what stands in it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * @returns `{ file, line, name, lines }` of each function in `folder` with more than `linesMax`
 *   lines, the longest first
 */
export function findLongFunctions(folder, linesMax) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.spec.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
    const visit = (node) => {
      if (ts.isFunctionLike(node) && node.body) {
        const line = lineOf(node.getStart());
        const lines = lineOf(node.end) - line + 1;
        if (lines > linesMax) found.push({ file, line, name: node.name?.getText() ?? 'a nameless function', lines });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found.sort((one, other) => other.lines - one.lines);
}
