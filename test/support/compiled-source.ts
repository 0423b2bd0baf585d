import { join } from 'node:path';

/**
 * Absolute path of a source as the run has compiled it, for processes of its own: `compiledSource('main.js')`. No test
 * builds, and none
 * depends on a build.
 */
export function compiledSource(path: string): string {
  return join(process.env['FAIRLEAD_TEST_SOURCES']!, 'src', path);
}
