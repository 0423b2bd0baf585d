import { join } from 'node:path';
import process from 'node:process';
import { compileSources } from './compile-sources.mjs';

/** Once per run of the unit ring: compiles the sources. Worker processes inherit only variables. */
export default async function setUp() {
  process.env['FAIRLEAD_TEST_SOURCES'] = await compileSources(join(import.meta.dirname, '..', '..', '..'));
}
