// An unusable data folder stops the start with the name of its variable; a usable one is left clean. Real folders below
// the system's temporary one.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataDirectory } from './data-directory.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('createDataDirectory', () => {
  it('makes the folder with its parents, for the owner only, and leaves nothing in it', async () => {
    const path = join(root, 'a', 'b');
    await createDataDirectory(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await readdir(path)).toEqual([]);
  });

  it('accepts an existing folder', async () => {
    await writeFile(join(root, 'kept'), 'x');
    await createDataDirectory(root);
    expect(await readdir(root)).toEqual(['kept']);
  });

  it('names the variable when the path is not a folder', async () => {
    const path = join(root, 'file');
    await writeFile(path, '');
    await expect(createDataDirectory(path)).rejects.toMatchObject({
      name: 'InvalidEnvironment',
      message: expect.stringMatching(/DATA_DIR must be a folder this process can write to: ".*" \(E[A-Z]+\)/),
    });
  });

  // Other systems have no folder of this kind.
  (process.platform === 'linux' ? it : it.skip)(
    'names the variable when the system refuses to create a folder, and does not retry for ever',
    async () => {
      await expect(createDataDirectory('/proc/fairlead/data')).rejects.toMatchObject({
        message: expect.stringContaining('DATA_DIR must be a folder this process can write to'),
      });
    },
  );
});
