import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';

// The packages of test/programs, which are too heavy for the installation of every developer.

const FOLDER = join(__dirname, '..', 'programs');
const FROM_FOLDER = createRequire(join(FOLDER, 'package.json'));

/** What npm reports where no registry answers, or refuses this machine. */
const NO_REGISTRY =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[13]|E429|E5\d\d)\b/;

/**
 * @returns false where no registry answers
 * @throws what npm reports, where the packages themselves cannot be installed
 */
export function installPrograms(folder: string, variables: NodeJS.ProcessEnv = {}): boolean {
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', words, {
    cwd: folder,
    env: { ...process.env, ...variables },
    encoding: 'utf8',
  });
  if (status === 0) return true;
  if (NO_REGISTRY.test(stderr)) return false;
  throw new Error(`The packages of ${folder} cannot be installed:\n${stderr}`);
}

/** As `describeOnEmbedded`, with the packages installed before; else listed as skipped. */
export function describeWithPrograms(...[name, suite]: Parameters<typeof describeOnEmbedded>): void {
  if (installPrograms(FOLDER)) {
    describeOnEmbedded(name, suite);
    return;
  }
  process.stdout.write('programs: NOT RUN, their packages cannot be installed: no registry answers\n');
  const { skip } = describe;
  skip(name, () => {
    suite(undefined as never);
  });
}

/** The version that the folder names. */
export function programVersion(name: string): string {
  const text = readFileSync(join(FOLDER, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return dependencies[name]!;
}

/** The packages as their users load them. */
export const importProgram = <Module>(name: string): Promise<Module> =>
  importNatively<Module>(pathToFileURL(FROM_FOLDER.resolve(name)).href);

/** A file of a package that is a program. */
export const programFile = (name: string, file: string): string => join(FOLDER, 'node_modules', name, file);
