// Functions by their length in lines, including signature and nested functions.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource, walk } from '../parse-source.mjs';

/** Path of the body of a function in the tree, by the type of its node. */
const BODIES = {
  ArrowFunctionExpression: ({ body }) => body,
  ClassMethod: ({ function: { body } }) => body,
  Constructor: ({ body }) => body,
  FunctionDeclaration: ({ body }) => body,
  FunctionExpression: ({ body }) => body,
  GetterProperty: ({ body }) => body,
  MethodProperty: ({ body }) => body,
  PrivateMethod: ({ function: { body } }) => body,
  SetterProperty: ({ body }) => body,
};

const nameOf = ({ identifier, key }) => identifier?.value ?? key?.value ?? 'a nameless function';

/**
 * @returns `{ file, line, name, lines }` of each function in `folder` with more than `linesMax` lines, the longest
 * first
 */
export function findLongFunctions(folder, linesMax) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.spec.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const { program, lineAt } = parseSource(file);
    walk(program, (node) => {
      if (!BODIES[node.type]?.(node)) return;
      const line = lineAt(node.span.start);
      const lines = lineAt(node.span.end) - line + 1;
      if (lines > linesMax) found.push({ file, line, name: nameOf(node), lines });
    });
  }
  return found.sort((one, other) => other.lines - one.lines);
}
