/**
 * Writes the shipped catalog, `catalog/default.yaml`, and the source of each of its figures, `catalog/sources.yaml`:
 * `npm run catalog:build`. With `--check` it writes nothing, and fails where a file is not what it would write.
 *
 * `catalog/models/<author>.yaml` has the models and their endpoints, `catalog/providers.yaml` the providers
 * (docs/operate/add-a-model.md). Prices come from packages with data (`catalog-tables.ts`), precisions from
 * `catalog-precisions.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { buildCatalog } from './catalog/build-catalog.js';
import { readModels } from './catalog/read-models.js';

const { catalog, sources } = buildCatalog(readModels());
const files = { 'catalog/default.yaml': catalog, 'catalog/sources.yaml': sources };

for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.exitCode = 1;
    console.error(`${file} is not what its sources make: run \`npm run catalog:build\`.`);
  }
}
