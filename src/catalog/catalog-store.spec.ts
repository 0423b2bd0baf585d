// A changed file comes into force after two polls, a bad file never does, and each bad content is logged once; the same
// applies to files of credentials. Real files in a temporary folder; polls are triggered by hand.
import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stampOf } from './catalog-files.js';
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

const open = (): Promise<CatalogStore> => CatalogStore.open({ path, shippedPath, variables: {} }, logger);
const modelsOf = (store: CatalogStore): string[] => [...store.current.models.keys()];

/** @returns the longest block of the event loop since then, in milliseconds */
function watchLoop(): () => number {
  let last = performance.now();
  let longest = 0;
  let handle = setImmediate(function turn() {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    handle = setImmediate(turn);
  });
  return () => {
    clearImmediate(handle);
    return longest;
  };
}

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

  it('refuses a missing file', async () => {
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
  it('applies new content when two polls have seen it, and logs it', async () => {
    const store = await open();
    writeFileSync(path, catalog('two'));
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/one']);
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/two']);
    expect(logged).toEqual([`log The catalog was reloaded: 1 models, ${store.current.hash}.`]);
  });

  it('judges new content from the first poll on, and applies it with the second', async () => {
    const store = await open();
    writeFileSync(path, catalog('two'));
    await store.poll();
    const ahead = Reflect.get(store, 'ahead') as { readonly judgement: Promise<unknown> };
    expect(await ahead.judgement).toHaveProperty('reading.snapshot');
    expect(modelsOf(store)).toEqual(['acme/one']);
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/two']);
  });

  it('applies no judgement of content that has changed again', async () => {
    const store = await open();
    for (const name of ['two', 'three']) {
      writeFileSync(path, catalog(name));
      await store.poll();
    }
    await store.poll();
    expect(modelsOf(store)).toEqual(['acme/three']);
  });

  it('applies it however long its thread takes to start on a busy machine', async () => {
    const store = await open();
    writeFileSync(path, catalog('two'));
    await store.poll();
    // Timers that expire meanwhile run before the thread's message is received.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
    await store.poll();
    expect([modelsOf(store), logged.length]).toEqual([['acme/two'], 1]);
  });

  it('does not parse unchanged text again', async () => {
    writeFileSync(path, catalog('one', 'version: 1\nextends: default'));
    const store = await open();
    const parsed = (): ReadonlyMap<string, unknown> => Reflect.get(store, 'parsed') as ReadonlyMap<string, unknown>;
    const shipped = catalog('shipped');
    const before = parsed().get(shipped);
    const changed = catalog('two', 'version: 1\nextends: default');
    writeFileSync(path, changed);
    await store.reload();
    expect([...parsed().keys()]).toEqual([shipped, changed]);
    expect(parsed().get(shipped)).toBe(before);
    expect(modelsOf(store)).toEqual(['acme/shipped', 'acme/two']);
  });

  it('ignores a file that is still being written', async () => {
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

  it('sees within two polls that a file was replaced, long after the last change and by one of its size and time', async () => {
    const later = Date.now() + 60_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(later);
    utimesSync(path, 1000, 1000);
    const store = await open();
    for (let poll = 0; poll < 3; poll++) await store.poll();
    const replacement = join(folder, 'replacement.yaml');
    writeFileSync(replacement, catalog('two'));
    utimesSync(replacement, 1000, 1000);
    renameSync(replacement, path);
    for (let poll = 0; poll < 2; poll++) await store.poll();
    now.mockRestore();
    expect(modelsOf(store)).toEqual(['acme/two']);
  });

  it('keeps a snapshot unchanged for its holders', async () => {
    const store = await open();
    const held = store.current;
    writeFileSync(path, catalog('two'));
    await store.reload();
    expect([...held.models.keys()]).toEqual(['acme/one']);
    expect(store.current).not.toBe(held);
  });

  it('refuses bad content, keeps the previous catalog, and logs once for each content', async () => {
    const store = await open();
    const before = store.current;
    const { loadedAt } = store;
    expect(store.faults).toEqual([]);
    writeFileSync(path, 'version: 2\n');
    for (let poll = 0; poll < 4; poll++) await store.poll();
    expect(store.current).toBe(before);
    expect(store.faults).toEqual([{ file: path, line: 1, field: 'version', message: 'must be 1' }]);
    expect(store.loadedAt).toBe(loadedAt);
    expect(logged).toEqual([
      `error The catalog cannot be used (FAIRLEAD_CATALOG):\n  ${path}:1: version: must be 1\nThe previous catalog stays active.`,
    ]);
    writeFileSync(path, 'version: 3\n');
    await store.reload();
    rmSync(path);
    await store.reload();
    expect(logged).toHaveLength(3);
    expect(logged[2]).toContain('cannot be read (ENOENT)');
    expect(store.current).toBe(before);
  });

  it('applies a good file after a bad one', async () => {
    const store = await open();
    writeFileSync(path, 'version: 2\n');
    await store.reload();
    writeFileSync(path, catalog('two'));
    await store.reload();
    expect(modelsOf(store)).toEqual(['acme/two']);
    expect(store.faults).toEqual([]);
  });

  it('follows the shipped file when it is extended', async () => {
    writeFileSync(path, catalog('one', 'version: 1\nextends: default'));
    const store = await open();
    expect(modelsOf(store)).toEqual(['acme/shipped', 'acme/one']);
    writeFileSync(shippedPath, catalog('newer'));
    await store.reload();
    expect(modelsOf(store)).toEqual(['acme/newer', 'acme/one']);
  });

  it('ignores the shipped file when it is not extended', async () => {
    const store = await open();
    const before = store.current;
    writeFileSync(shippedPath, 'nonsense');
    await store.reload();
    expect(store.current).toBe(before);
    expect(logged).toEqual([]);
  });

  describe('with a credential in a file', () => {
    let secretPath: string;
    const withFile = (head = 'version: 1'): string =>
      catalog('one', head).replace('dialect: simulated', `dialect: simulated, credential: { file: ${secretPath} }`);
    const credentialOf = (store: CatalogStore): string | undefined => {
      const { credential } = store.current.providers.get('acme')!;
      return credential?.reveal();
    };

    beforeEach(() => {
      secretPath = join(folder, 'token');
      writeFileSync(secretPath, 'first-token\n');
      writeFileSync(path, withFile());
    });

    it("applies the file's content when two polls have seen it, and logs that without it", async () => {
      const store = await open();
      const held = store.current;
      for (let poll = 0; poll < 3; poll++) await store.poll();
      expect(store.current).toBe(held);
      writeFileSync(secretPath, 'other-token\n');
      await store.poll();
      expect(credentialOf(store)).toBe('first-token');
      await store.poll();
      expect(credentialOf(store)).toBe('other-token');
      expect(held.providers.get('acme')!.credential?.reveal()).toBe('first-token');
      for (let poll = 0; poll < 3; poll++) await store.poll();
      expect(logged).toEqual(['log Credentials of the catalog were read again: their files have changed.']);
    });

    it('follows a link that is changed to another file, as platforms replace mounted ones', async () => {
      rmSync(secretPath);
      for (const name of ['a', 'b']) writeFileSync(join(folder, name), `token-${name}`);
      symlinkSync('a', secretPath);
      const store = await open();
      rmSync(secretPath);
      symlinkSync('b', secretPath);
      await store.reload();
      expect(credentialOf(store)).toBe('token-b');
    });

    it('keeps the credential while the file is empty, gone or too large, and logs once for each', async () => {
      const store = await open();
      for (const spoil of [
        () => writeFileSync(secretPath, ' '),
        () => rmSync(secretPath),
        () => writeFileSync(secretPath, 'x'.repeat(64 * 1024 + 1)),
      ]) {
        spoil();
        for (let poll = 0; poll < 4; poll++) await store.poll();
        expect(credentialOf(store)).toBe('first-token');
      }
      expect(logged).toHaveLength(3);
      writeFileSync(secretPath, 'second-token');
      await store.reload();
      expect(credentialOf(store)).toBe('second-token');
      expect(logged.join()).not.toMatch(/(first|second)-token/);
    });

    it('follows the file that a changed catalog names, and no longer the previous one', async () => {
      const store = await open();
      const before = secretPath;
      secretPath = join(folder, 'other');
      writeFileSync(secretPath, 'second-token');
      writeFileSync(path, withFile());
      await store.reload();
      expect(credentialOf(store)).toBe('second-token');
      const held = store.current;
      writeFileSync(before, 'unseen');
      await store.reload();
      expect(store.current).toBe(held);
      writeFileSync(secretPath, 'third-token');
      await store.reload();
      expect(credentialOf(store)).toBe('third-token');
    });
  });

  it('does not block the event loop while it reads', async () => {
    const model = (name: string) => ({
      id: `acme/${name}`,
      name: 'N',
      context_length: 9,
      endpoints: [{ provider: 'acme', model: 'm', free: true }],
    });
    const large = (name: string): string =>
      JSON.stringify({
        version: 1,
        providers: [{ slug: 'acme', name: 'Acme', dialect: 'simulated' }],
        models: [name, ...Array.from({ length: 400 }, (_, index) => `n${index}`)].map(model),
      });
    writeFileSync(path, large('one'));
    const began = performance.now();
    const store = await open();
    const readingMs = performance.now() - began;
    // Other load blocks the loop now and then, but not each time.
    let heldMs = Infinity;
    for (let round = 0; round < 5 && heldMs >= readingMs / 2; round++) {
      writeFileSync(path, large(`round-${round}`));
      const stop = watchLoop();
      await store.reload();
      expect(modelsOf(store)).toHaveLength(401);
      expect(modelsOf(store)[0]).toBe(`acme/round-${round}`);
      heldMs = Math.min(heldMs, stop());
    }
    // The thread takes the same time.
    expect(heldMs).toBeLessThan(readingMs / 2);
  });

  it('has no timer after it is destroyed', async () => {
    const store = await open();
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    store.onModuleInit();
    store.onModuleDestroy();
    expect(timers()).toBe(before);
  });
});

describe('unchanged files', () => {
  afterEach(() => jest.restoreAllMocks());

  /** The result of the store's last read: the same object while it reads no file. */
  const readBy = (store: CatalogStore): unknown => Reflect.get(store, 'read');
  const polls = async (store: CatalogStore, count: number): Promise<void> => {
    for (let poll = 0; poll < count; poll++) await store.poll();
  };

  it('are read once, and again while they have just changed', async () => {
    const store = await open();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    await polls(store, 1);
    const read = readBy(store);
    await polls(store, 10);
    expect([read !== undefined, readBy(store) === read]).toEqual([true, true]);
    now.mockReturnValue(Number(statSync(path, { bigint: true }).ctimeMs) + 1);
    await polls(store, 1);
    expect(readBy(store)).not.toBe(read);
  });

  it('are those that a poll has read, though a reload has read others meanwhile', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    const other = join(folder, 'other.yaml');
    writeFileSync(other, catalog('two'));
    const link = join(folder, 'link.yaml');
    const turnTo = (target: string): void => {
      rmSync(link, { force: true });
      symlinkSync(target, link);
    };
    turnTo(path);
    const store = await CatalogStore.open({ path: link, shippedPath, variables: {} }, logger);
    await polls(store, 2);
    turnTo(other);
    await store.reload();
    turnTo(path);
    await polls(store, 2);
    expect(modelsOf(store)).toEqual(['acme/one']);
  });
});

describe('the stamp of the files', () => {
  const stamp = (): Promise<string | undefined> => stampOf({ path, shippedPath });
  const changedAt = (): bigint => statSync(path, { bigint: true }).ctimeNs;
  afterEach(() => jest.restoreAllMocks());

  it('is absent while a file has just changed, or is missing', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Number(changedAt() / 1_000_000n) + 1);
    expect(await stamp()).toBeUndefined();
    now.mockReturnValue(Date.now() + 60_000);
    expect(await stamp()).toBeDefined();
    rmSync(shippedPath);
    expect(await stamp()).toBeUndefined();
  });

  it('stays the same while nothing changes, and differs after a change that keeps size and time', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    utimesSync(path, 1000, 1000);
    const before = await stamp();
    expect(await stamp()).toBe(before);
    // The clock of a file system may advance in milliseconds.
    for (const first = changedAt(); changedAt() === first; ) {
      writeFileSync(path, catalog('two'));
      utimesSync(path, 1000, 1000);
    }
    expect(await stamp()).not.toBe(before);
  });
});
