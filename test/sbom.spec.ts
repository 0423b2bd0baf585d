/**
 * Goal: what production runs on is listed whole, with licences that are allowed, and what is not allowed or has no
 * checksum fails the command; Node releases are found by their majors or refused in words. Method: the commands
 * themselves on this checkout; their parts on lock files made for them.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(__dirname, '..');
const SBOM = join(ROOT, 'scripts', 'sbom.mjs');
const MAJOR = process.version.slice(1).split('.')[0]!;

const run = (command: string, words: readonly string[], env = process.env): SpawnSyncReturns<string> =>
  spawnSync(command, words, { encoding: 'utf8', timeout: 30_000, cwd: ROOT, env });

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly unknown[];
}

describe('npm run sbom', () => {
  it('lists every package of production, also those that development needs as well, under allowed licences', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-sbom-'));
    try {
      const path = join(folder, 'sbom.json');
      const { status, stdout, stderr } = run(process.execPath, [SBOM, '--out', path]);
      expect([status, stderr]).toEqual([0, '']);
      const bom = JSON.parse(readFileSync(path, 'utf8')) as { specVersion: string; components: Component[] };
      const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
      };
      expect(bom.specVersion).toBe('1.5');
      for (const [name, version] of Object.entries(dependencies)) {
        const found = bom.components.find((one) => one.name === name && one.version === version);
        expect([name, found?.hashes[0]?.content.length, found?.licenses.length]).toEqual([name, 128, 1]);
      }
      expect(bom.components.map(({ name }) => name)).not.toContain('jest');
      expect(stdout).toMatch(/^MIT \(\d+\): /);
      expect(stdout).toContain(`${bom.components.length} packages`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('finds what may not be shipped', () => {
    const script = `import { faultsOf, isAllowed, productionPackages } from ${JSON.stringify(pathToFileURL(SBOM).href)};
      const packages = {
        '': {},
        'node_modules/good': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AA==' },
        'node_modules/a/node_modules/@s/copyleft': { version: '2.0.0', license: 'GPL-3.0-only', integrity: 'sha512-AA==' },
        'node_modules/old': { version: '3.0.0', integrity: 'sha512-AA==' },
        'node_modules/unsaid': { version: '4.0.0', integrity: 'sha512-AA==' },
        'node_modules/unknown': { version: '5.0.0', license: 'ISC' },
        'node_modules/tool': { version: '6.0.0', license: 'GPL-3.0-only', dev: true },
      };
      const manifests = { 'node_modules/old': { licenses: [{ type: 'MIT' }] } };
      const ways = ['(MIT OR GPL-3.0-only)', 'MIT AND GPL-3.0-only', 'MIT AND ISC', 'UNLICENSED', 'SEE LICENSE IN x', '((MIT))'];
      console.log(JSON.stringify([faultsOf(productionPackages({ packages }, (path) => manifests[path])), ways.map(isAllowed)]));`;
    const { stdout, stderr } = run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      [
        '@s/copyleft@2.0.0: its licence is not allowed: GPL-3.0-only',
        'unknown@5.0.0: the lock file has no checksum of it',
        'unsaid@4.0.0: its licence is not allowed: none is named',
      ],
      [true, false, true, false, false, false],
    ]);
  });

  it('refuses words that it does not know', () => {
    const { status, stdout, stderr } = run(process.execPath, [SBOM, '--all']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--all');
  });
});

describe('npm run test:node', () => {
  const find = (words: readonly string[], more: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> =>
    run('bash', ['scripts/find-node.sh', '--print', ...words], { ...process.env, ...more });

  it('finds the release that is there, and takes the one that is named', () => {
    expect(find([MAJOR], { [`NODE_${MAJOR}`]: process.execPath })).toMatchObject({
      status: 0,
      stdout: `${process.execPath}\n`,
    });
  });

  it.each([
    [[], {}, 2, 'usage'],
    [['twenty'], {}, 2, 'not a major release: twenty'],
    [['99'], { NODE_99: process.execPath }, 1, 'is no Node 99'],
    [['99'], { NODE_99: '/nowhere/node' }, 1, 'is no Node 99'],
  ])('refuses %j with %j', (words, more, status, reason) => {
    const ended = find(words, more);
    expect([ended.status, ended.stdout]).toEqual([status, '']);
    expect(ended.stderr).toContain(reason);
  });
});

describe('the image', () => {
  it('runs on the release that is supported longest, from one place', () => {
    const file = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(file.match(/^ARG NODE_IMAGE=.*$/gm)).toEqual(['ARG NODE_IMAGE=node:24-bookworm-slim']);
    expect(new Set(file.match(/^FROM \S+/gm))).toEqual(new Set(['FROM ${NODE_IMAGE}']));
  });
});
