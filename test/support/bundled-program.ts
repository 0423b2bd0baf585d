import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSharedFolder } from './shared-folder.js';

const BUNDLE = join(__dirname, 'jest', 'bundle-program.mjs');
/** Code of the embedded engine stays as it was compiled first. */
const UNOPTIMISED_ENGINE = '--liftoff-only';
/**
 * The gateway as one file, from the current sources: loading the 2,500 files of sources and packages takes a third of a
 * start.
 * @returns absolute path of the program
 */
export async function bundledProgram(): Promise<string> {
  const sources = process.env['FAIRLEAD_TEST_SOURCES']!;
  const bundle = await makeSharedFolder(join(sources, 'bundled'), async (unfinished) => {
    await promisify(execFile)(process.execPath, [BUNDLE, sources, unfinished]);
  });
  return join(bundle, 'main.js');
}

/**
 * Options of Node for a gateway with these variables. Optimising the embedded engine takes a quarter of a start, and
 * pays only where a process lives longer than in tests.
 */
export const flagsFor = (variables: NodeJS.ProcessEnv): readonly string[] =>
  variables['DATABASE_URL'] === undefined ? [UNOPTIMISED_ENGINE] : [];
