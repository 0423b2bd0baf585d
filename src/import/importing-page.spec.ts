// docs/operate/importing.md shows what the command does: its commands are run over its own examples, and their output
// is compared with the page and read by the gateway's reader.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { outputOf, type CommandOutput } from '../../test/support/command-output.js';
import { compiledSource } from '../../test/support/compiled-source.js';
import { judgeContent, readContent } from '../catalog/catalog-files.js';
import { modelId } from '../core/routing/resolve-model.js';
import { SystemClock } from '../core/time.js';
import { runImport } from './import-command.js';

const ROOT = process.cwd();

describe('the page of imports', () => {
  let page: string;
  let folder: string;
  beforeAll(async () => {
    page = await readFile('docs/operate/importing.md', 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'importing-'));
    await writeFile(join(folder, 'config.yaml'), block('yaml'));
    await writeFile(join(folder, 'keys.json'), block('json'));
    await writeFile(join(folder, 'byok.json'), '[]');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The first code block of a language. */
  const block = (language: string): string => page.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!;
  const commands = (): readonly string[] =>
    [...page.matchAll(/^(?:\w+=\S+ )?npm run fairlead -- import (.+)$/gm)].map(([, words]) => words!);
  const run = (words: string): Promise<CommandOutput> =>
    outputOf((context) => runImport(context, { packageDirectory: ROOT, clock: new SystemClock() }), {
      words: words.split(' '),
      workingDirectory: folder,
    });

  it('prints the remarks of the page for its configuration, and writes a catalog', async () => {
    expect(await run('litellm config.yaml')).toEqual({ code: 0, out: block('text'), error: '' });
    const path = join(folder, 'fairlead-catalog.yaml');
    const content = await readContent({ path, shippedPath: join(ROOT, 'catalog', 'default.yaml') });
    const { reading } = judgeContent(content, () => undefined);
    if ('faults' in reading) throw new Error(reading.faults.map(({ field, message }) => `${field} ${message}`).join());
    for (const name of ['gpt-4o', 'gpt-4']) expect(modelId(reading.snapshot, name)).toBe('azure-my-eu/gpt-4o');
    expect(modelId(reading.snapshot, 'qwen')).toBe('vllm-gpu-8000/qwen');
  });

  it('has valid commands', async () => {
    const [litellm, bodies, keys] = commands();
    expect(litellm).toBe('litellm config.yaml');
    const printed = await run(bodies!);
    expect([printed.code, JSON.parse(printed.out)]).toEqual([
      0,
      { method: 'POST', path: '/api/v1/keys', body: { name: 'web', limit: 25, limit_reset: 'monthly' } },
    ]);
    // Without the variable that the page sets it stops before the gateway is called.
    const { error } = await run(keys!.split(' > ')[0]!);
    expect(error).toBe('fairlead import: --to wants a management key in FAIRLEAD_MANAGEMENT_KEY\n');
  });

  it('describes a program that can be started by itself', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [compiledSource('cli/import.js'), '--help']);
    expect(stdout).toContain('npm run fairlead -- import openrouter EXPORT.json');
  });

  it('has the usage', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const option of ['--out', '--force', '--to', '--again', '--all']) {
      expect(out).toContain(option);
      expect(page).toContain(option);
    }
  });
});

it('cuts long lists unless --all is given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'importing-'));
  const model_list = Array.from({ length: 50 }, (_, index) => ({
    model_name: `m${index}`,
    litellm_params: { model: `nobody/${'x'.repeat(400)}` },
  }));
  await writeFile(join(folder, 'long.yaml'), JSON.stringify({ model_list }));
  // The shipped catalog would be parsed for each run, and none of its models is named here.
  await mkdir(join(folder, 'catalog'));
  await writeFile(join(folder, 'catalog', 'default.yaml'), 'version: 1\nproviders: []\nmodels: []\n');
  const run = (...words: string[]): Promise<CommandOutput> =>
    outputOf((context) => runImport(context, { packageDirectory: folder, clock: new SystemClock() }), {
      words: ['litellm', 'long.yaml', '--force', ...words],
      workingDirectory: folder,
    });
  const short = (await run()).out.split('\n');
  expect(short).toHaveLength(2 + 1 + 40 + 1 + 3);
  expect(short).toContain('  … and 10 more: --all shows them');
  expect(Math.max(...short.map((line) => line.length))).toBeLessThanOrEqual(300);
  expect((await run('--all')).out.split('\n')).toHaveLength(2 + 1 + 50 + 3);
  await rm(folder, { recursive: true });
});
