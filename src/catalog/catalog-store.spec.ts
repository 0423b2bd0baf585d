// Goal: a change of a file is in force after two polls, a bad file never is, and each bad content is complained about
// once. Method: real files in a folder of their own; polls are made by hand, nothing waits.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CatalogStore } from './catalog-store.js';
import { CatalogRefused } from './fault.js';

const catalog = (name: string, head = 'version: 1'): string => `${head}
providers: [{ slug: acme, name: Acme, dialect: simulated }]
models: [{ id: acme/${name}, name: N, context_length: 9, endpoints: [{ provider: acme, model: m, free: true }] }]
`;

let folder: string;
let path: string;
let shippedPath: string;
let logged: string[];

const logger = {
  log: (message: string) => logged.push(`log ${message}`),
  error: (message: string) => logged.push(`error ${message}`),
  warn: (message: string) => logged.push(`warn ${message}`),
};

const open = (): Promise<CatalogStore> => CatalogStore.open({ path, shippedPath, variable: () => undefined }, logger);
const modelsOf = (store: CatalogStore): string[] => [...store.current().models.keys()];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-catalog-'));
  path = join(folder, 'catalog.yaml');
  shippedPath = join(folder, 'shipped.yaml');
  logged = [];
  writeFileSync(path, catalog('one'));
  writeFileSync(shippedPath, catalog('shipped'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('at start', () => {
  it('reads the file', async () => {
    expect(modelsOf(await open())).toEqual(['acme/one']);
  });

  it('refuses a bad file and lists its faults', async () => {
    writeFileSync(path, 'version: 2\nnonsense: 1\n');
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CatalogRefused);
    expect(String(failure)).toContain(`${path}:1: version: must be 1\n  ${path}:2: nonsense: is not a known field`);
  });

  it('refuses a file that is not there', async () => {
    rmSync(path);
    await expect(open()).rejects.toThrow(`${path}:1: cannot be read (ENOENT)`);
  });

  it('needs the shipped file only when it is extended', async () => {
    rmSync(shippedPath);
    expect(modelsOf(await open())).toEqual(['acme/one']);
    writeFileSync(path, catalog('one', 'version: 1\nextends: default'));
    await expect(open()).rejects.toThrow(`${path}:2: extends: there is no shipped catalog to extend`);
  });

  it('does not let the shipped file extend itself', async () => {
    writeFileSync(path, catalog('one', 'version: 1\nextends: default'));
    shippedPath = path;
    await expect(open()).rejects.toThrow('there is no shipped catalog to extend');
  });
});

describe('while it runs', () => {
  it('puts new content in force when two polls saw it, and says so', async () => {
    const store = await open();
    writeFileSync(path, catalog('two'));
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/one']);
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/two']);
    expect(logged).toEqual([`log The catalog was reloaded: 1 models, ${store.current().hash}.`]);
  });

  it('leaves a file alone that is still being written', async () => {
    const store = await open();
    for (const name of ['two', 'three', 'four']) {
      writeFileSync(path, catalog(name));
      await store.poll();
      expect(modelsOf(store)).toEqual(['acme/one']);
    }
  });

  it('sees a change that keeps size and time', async () => {
    const store = await open();
    utimesSync(path, 1000, 1000);
    await store.reload();
    writeFileSync(path, catalog('two'));
    utimesSync(path, 1000, 1000);
    await store.reload();
    expect(modelsOf(store)).toEqual(['acme/two']);
  });

  it('keeps a snapshot unchanged for those who hold it', async () => {
    const store = await open();
    const held = store.current();
    writeFileSync(path, catalog('two'));
    await store.reload();
    expect([...held.models.keys()]).toEqual(['acme/one']);
    expect(store.current()).not.toBe(held);
  });

  it('refuses bad content, keeps the catalog before it, and complains once for each content', async () => {
    const store = await open();
    const before = store.current();
    writeFileSync(path, 'version: 2\n');
    for (let poll = 0; poll < 4; poll++) await store.poll();
    expect(store.current()).toBe(before);
    expect(logged).toEqual([
      `error The catalog cannot be used (FAIRLEAD_CATALOG):\n  ${path}:1: version: must be 1\nThe catalog before it stays in force.`,
    ]);
    writeFileSync(path, 'version: 3\n');
    await store.reload();
    rmSync(path);
    await store.reload();
    expect(logged).toHaveLength(3);
    expect(logged[2]).toContain('cannot be read (ENOENT)');
    expect(store.current()).toBe(before);
  });

  it('takes a good file after a bad one', async () => {
    const store = await open();
    writeFileSync(path, 'version: 2\n');
    await store.reload();
    writeFileSync(path, catalog('two'));
    await store.reload();
    expect(modelsOf(store)).toEqual(['acme/two']);
  });

  it('follows the shipped file when it is extended', async () => {
    writeFileSync(path, catalog('one', 'version: 1\nextends: default'));
    const store = await open();
    expect(modelsOf(store)).toEqual(['acme/shipped', 'acme/one']);
    writeFileSync(shippedPath, catalog('newer'));
    await store.reload();
    expect(modelsOf(store)).toEqual(['acme/newer', 'acme/one']);
  });

  it('does not mind the shipped file when it is not extended', async () => {
    const store = await open();
    const before = store.current();
    writeFileSync(shippedPath, 'nonsense');
    await store.reload();
    expect(store.current()).toBe(before);
    expect(logged).toEqual([]);
  });

  it('holds no timer once it is destroyed', async () => {
    const store = await open();
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    store.onModuleInit();
    store.onModuleDestroy();
    expect(timers()).toBe(before);
  });
});
