/**
 * Every service tool of the list is called by the matrix, has its page for callers and its item in the responses
 * format, and is allowed or excluded on a panel. Compares the list with the tables of each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_TOOL_PREFIX } from '../../src/core/tool.js';
import { serviceForm } from '../../src/faces/responses/service-item.js';
import { fusion } from '../../src/plugins/fusion/fusion.js';
import { ALL_SERVICE_TOOLS } from '../../src/tools/service-tools.js';
import { HANDED, SERVED } from './matrix/cells.js';

const types = ALL_SERVICE_TOOLS.flatMap((tool) => tool.types);
const own = types.filter((type) => type.startsWith(SERVICE_TOOL_PREFIX));
/** The name of a vendor's tool, whose versions differ little. */
const unversioned = (type: string): string => type.replace(/_\d+$/, '');
const vendorTools = [...new Set(types.filter((type) => !own.includes(type)).map(unversioned))];
const called = new Set<string>([...Object.values(SERVED), ...Object.values(HANDED)].map(({ tool }) => tool['type']));
const page = readFileSync(join(__dirname, '../../docs/use/tools-and-plugins.md'), 'utf8');

/** Not in the matrix because its results are images; image-generation.spec.ts tests it. */
const DRAWS = 'openrouter:image_generation';
/** Tools without a use for a panel, which answers in words. */
const NOT_ON_PANELS: readonly string[] = [DRAWS];

it.each(own.filter((type) => type !== DRAWS))('%s has a row in test/tools/matrix/cells.ts', (type) => {
  expect([...called]).toContain(type);
});

it.each(vendorTools)('a version of %s has a row in test/tools/matrix/cells.ts', (name) => {
  expect([...called].filter((type) => unversioned(type) === name)).not.toEqual([]);
});

it.each(own)('%s has a page in docs/use/tools', (type) => {
  expect(page).toMatch(new RegExp(`\\[\`${type}\`\\]\\(tools/[\\w-]+\\.md\\)`));
});

it.each([...new Set(Object.values(SERVED).map(({ name }) => name)), 'generate_image'])(
  'uses of %s have a form in src/faces/responses/service-item.ts',
  (name) => {
    expect(serviceForm(name)).toBeDefined();
  },
);

it.each(own.filter((type) => !NOT_ON_PANELS.includes(type)))(
  '%s is one of PANEL_TOOLS in src/plugins/fusion/fusion.ts, or of NOT_ON_PANELS here',
  (type) => {
    expect(JSON.stringify(fusion.options)).toContain(`"${type}"`);
  },
);
