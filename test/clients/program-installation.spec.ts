/**
 * Checks that programs that cannot be installed never count as passed: without a registry the suite reports that it
 * does not run, and a folder whose packages are not locked fails it. npm runs in scratch folders, with a registry where
 * nothing listens.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPrograms } from './programs.js';

/** The discard service, which nothing offers. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
const NAME = 'nothing-of-this-name';
const ROOT = { name: 'scratch', dependencies: { [NAME]: '1.0.0' } };

describe('packages of programs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'programs-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify(ROOT));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const lock = (): void =>
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({
        name: 'scratch',
        lockfileVersion: 3,
        packages: {
          '': ROOT,
          [`node_modules/${NAME}`]: { version: '1.0.0', resolved: `http://127.0.0.1:9/${NAME}/-/${NAME}-1.0.0.tgz` },
        },
      }),
    );

  it('are left out where no registry answers', () => {
    lock();
    const variables = { ...NO_REGISTRY, npm_config_cache: join(folder, 'cache') };
    expect(installPrograms(folder, variables)).toBe(false);
  });

  it('fail without a lock', () => {
    expect(() => installPrograms(folder, NO_REGISTRY)).toThrow('cannot be installed');
  });
});
