/**
 * `npm run sdk:fields`: compares the request types of the vendors' SDKs with the fields that this gateway declares,
 * carries, refuses and denies, and exits with 1 where an SDK has a field that is in none of the lists
 * (CONTRIBUTING.md). `npm run sdk:fields -- FOLDER` reads the packages of another folder, such as newer releases.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareFields, staleFields } from './sdk/compare-fields.js';

const OWN = fileURLToPath(new URL('../node_modules', import.meta.url));
const [folder] = process.argv.slice(2);
const packages = folder === undefined ? OWN : resolve(process.env['INIT_CWD'] ?? '.', folder);

for (const { type, unknown } of compareFields(packages)) {
  const name = `${type.package} ${type.file} (${type.face})`;
  if (unknown === undefined) {
    if (packages === OWN) process.exitCode = 1;
    console.log(`${name}: not installed`);
  } else if (unknown.length === 0) {
    console.log(`${name}: all fields are known`);
  } else {
    process.exitCode = 1;
    console.log(`${name}: new fields: ${unknown.join(', ')}`);
  }
}
const stale = packages === OWN ? staleFields(packages) : [];
if (stale.length > 0) {
  process.exitCode = 1;
  console.log(
    `CARRIED_FIELDS of scripts/sdk/compare-fields.ts has fields that do not belong there: ${stale.join(', ')}`,
  );
}
