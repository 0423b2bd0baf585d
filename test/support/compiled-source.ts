import { join } from 'node:path';

/**
 * Absolute path of a compiled source of this run, for separate processes: `compiledSource('main.js')`. No test builds,
 * and none depends on a build.
 */
export function compiledSource(path: string): string {
  return join(process.env['FAIRLEAD_TEST_SOURCES']!, 'src', path);
}
