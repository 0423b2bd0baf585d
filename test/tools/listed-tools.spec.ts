/**
 * Every service tool of the list is called by the matrix and has its page for callers. Compares the list with the cells
 * of the matrix and with the links of the page of all tools.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_TOOL_PREFIX } from '../../src/core/tool.js';
import { ALL_SERVICE_TOOLS } from '../../src/tools/service-tools.js';
import { SERVED } from './matrix/cells.js';

const types = ALL_SERVICE_TOOLS.flatMap((tool) => tool.types).filter((type) => type.startsWith(SERVICE_TOOL_PREFIX));
const called = new Set(Object.values(SERVED).map(({ tool }) => tool['type']));
const page = readFileSync(join(__dirname, '../../docs/use/tools-and-plugins.md'), 'utf8');

/** Its replies have pictures, which the matrix does not read: image-generation.spec.ts. */
const DRAWS = 'openrouter:image_generation';

it.each(types.filter((type) => type !== DRAWS))('%s has a row in test/tools/matrix/cells.ts', (type) => {
  expect([...called]).toContain(type);
});

it.each(types)('%s has a page in docs/use/tools', (type) => {
  expect(page).toMatch(new RegExp(`\\[\`${type}\`\\]\\(tools/[\\w-]+\\.md\\)`));
});
