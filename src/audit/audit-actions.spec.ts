// The list of actions has exactly the kinds and verbs that the source records, found by searching the source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from './audit-actions.js';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => readFileSync(join('src', path), 'utf8'))
  .join('\n');
const found = (pattern: RegExp): string[] => [...new Set([...sources.matchAll(pattern)].map(([, name]) => name!))];

it('has the kinds and verbs of the source', () => {
  const kinds = found(/new ManagedKind<\w+>\('([a-z_.]+)'/g);
  const verbs = found(/\.entry\(\s*'([a-z.]+)'/g);
  const named = AUDIT_ACTIONS.map((action) => {
    const kind = kinds.find((one) => action.startsWith(`${one}.`));
    return [kind, action.slice(kind!.length + 1)] as const;
  });
  expect(new Set(named.map(([kind]) => kind))).toEqual(new Set(kinds));
  expect(new Set(named.map(([, verb]) => verb))).toEqual(new Set(verbs));
});
