/**
 * Checks that everything that production runs on is listed, with permitted licences, that a forbidden licence or a
 * missing checksum fails the command, and that Node releases are found by their majors or refused with a message. The
 * commands run on this checkout; their parts run on components and lock files of the test.
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
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly unknown[];
}

const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

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
      const found = new Map(bom.components.map((one) => [`${nameOf(one)}@${one.version}`, one]));
      for (const [name, version] of Object.entries(dependencies)) {
        const { hashes, licenses } = found.get(`${name}@${version}`)!;
        expect([name, hashes[0]?.content.length, licenses.length]).toEqual([name, 128, 1]);
      }
      const names = bom.components.map(nameOf);
      expect(names).not.toContain('jest');
      // A dependency of an optional package, and also of a tool.
      expect(names).toContain('minimatch');
      expect(stdout).toMatch(/^MIT \(\d+\): /);
      expect(stdout).toContain(`${bom.components.length} packages`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('finds what may not be shipped', () => {
    const script = `import { faultsOf, isAllowed, withChecksums } from ${JSON.stringify(pathToFileURL(SBOM).href)};
      const named = (name, ...licences) => ({
        name, version: '1.0.0', properties: [{ name: 'cdx:npm:package:path', value: 'node_modules/' + name }],
        ...(licences.length > 0 && { licenses: licences.map((id) => ({ license: { id } })) }),
      });
      const components = [
        named('good', 'MIT'), { ...named('copyleft', 'GPL-3.0-only'), group: '@s' }, named('both', 'MIT', 'GPL-3.0-only'),
        { ...named('either'), licenses: [{ expression: '(MIT OR GPL-3.0-only)' }] }, named('undeclared'), named('unknown', 'ISC'),
      ];
      const names = ['good', 'copyleft', 'both', 'either', 'undeclared'];
      const packages = Object.fromEntries(names.map((name) => ['node_modules/' + name, { integrity: 'sha512-AA==' }]));
      const checked = withChecksums(components, { packages });
      const ways = ['(MIT OR GPL-3.0-only)', 'MIT AND GPL-3.0-only', 'MIT AND ISC', 'UNLICENSED', 'SEE LICENSE IN x', '((MIT))'];
      console.log(JSON.stringify([checked[0].hashes, faultsOf(checked), ways.map(isAllowed)]));`;
    const { stdout, stderr } = run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      [{ alg: 'SHA-512', content: '00' }],
      [
        '@s/copyleft@1.0.0: its licence is not allowed: GPL-3.0-only',
        'both@1.0.0: its licence is not allowed: MIT AND GPL-3.0-only',
        'undeclared@1.0.0: its licence is not allowed: none is named',
        'unknown@1.0.0: the lock file has no checksum of it',
      ],
      [true, false, true, false, false, false],
    ]);
  });

  it('refuses unknown arguments', () => {
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
  it('runs on the release that is supported longest, by one argument', () => {
    const file = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(file.match(/^ARG NODE_IMAGE=.*$/gm)).toEqual(['ARG NODE_IMAGE=node:24-bookworm-slim']);
    expect(new Set(file.match(/^FROM \S+/gm))).toEqual(new Set(['FROM ${NODE_IMAGE}']));
  });
});
