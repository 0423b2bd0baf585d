// Goal: a statement that was refused for want of a right is reported with the GRANT that gives it. Method: a table of
// refusals as PostgreSQL words them; database-module.spec.ts has those of migrations.
import { missingRightMessage } from './missing-right.js';

const URL_OF = 'postgres://app%40work:canary@db.example/books';
const refusal = (message: string, code = '42501'): Error => Object.assign(new Error(message), { code });

it.each([
  ['permission denied for table api_keys', 'SELECT, INSERT, UPDATE, DELETE ON TABLE api_keys'],
  ['permission denied for sequence audit_id_seq', 'USAGE, SELECT ON SEQUENCE audit_id_seq'],
  ['permission denied for function hold_4', 'EXECUTE ON FUNCTION hold_4'],
  ['permission denied for schema books', 'USAGE, CREATE ON SCHEMA books'],
  ['permission denied for database "books"', 'CONNECT ON DATABASE books'],
  ['keine Berechtigung für Tabelle api_keys', 'ALL ON ALL TABLES IN SCHEMA public'],
])('%s', (message, grant) => {
  const line = missingRightMessage(refusal(message), URL_OF)!;
  expect(line).toContain(`(${message})`);
  expect(line).toMatch(/^[^\n]*;$/);
  expect(line.endsWith(`: GRANT ${grant} TO "app@work";`)).toBe(true);
  expect(line).not.toContain('canary');
});

it('reports nothing of other failures, nor without a server', () => {
  expect(missingRightMessage(refusal('relation "x" does not exist', '42P01'), URL_OF)).toBeUndefined();
  expect(missingRightMessage(refusal('permission denied for table x'), undefined)).toBeUndefined();
  expect(missingRightMessage('gone', URL_OF)).toBeUndefined();
});
