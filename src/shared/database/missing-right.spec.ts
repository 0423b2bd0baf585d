// Goal: a statement that was refused for want of a right is reported with all GRANTs that the gateway needs. Method: a
// table of refusals as PostgreSQL words them; database-module.spec.ts has those of migrations.
import { missingRightMessage } from './missing-right.js';

const URL_OF = 'postgres://app%40work:canary@db.example/books';
const refusal = (message: string, code = '42501'): Error => Object.assign(new Error(message), { code });

const allIn = (schema: string): string =>
  [
    `GRANT USAGE, CREATE ON SCHEMA ${schema}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema}`,
  ]
    .map((grant) => `${grant} TO "app@work";`)
    .join(' ');

it.each([
  ['permission denied for table api_keys', allIn('public')],
  ['permission denied for sequence audit_id_seq', allIn('public')],
  ['permission denied for function hold_4', allIn('public')],
  ['permission denied for schema books', allIn('books')],
  ['permission denied for database "books"', `GRANT CONNECT ON DATABASE books TO "app@work"; ${allIn('public')}`],
  ['keine Berechtigung für Tabelle api_keys', allIn('public')],
])('%s', (message, grants) => {
  const line = missingRightMessage(refusal(message), URL_OF)!;
  expect(line).toContain(`(${message})`);
  expect(line).toMatch(/^[^\n]*;$/);
  expect(line.endsWith(`: ${grants}`)).toBe(true);
  expect(line).not.toContain('canary');
});

it('reports nothing of other failures, nor without a server', () => {
  expect(missingRightMessage(refusal('relation "x" does not exist', '42P01'), URL_OF)).toBeUndefined();
  expect(missingRightMessage(refusal('permission denied for table x'), undefined)).toBeUndefined();
  expect(missingRightMessage('gone', URL_OF)).toBeUndefined();
});
