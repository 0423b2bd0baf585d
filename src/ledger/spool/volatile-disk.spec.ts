/**
 * An operator is warned at start, and only with reason, that the spool lies on a disk that does not outlive the
 * container (docs/contribute/reliability.md). Uses the file-system numbers of statfs, and those of this machine.
 */
import { warnOfVolatileDisk } from './volatile-disk.js';

const warningOn = (type: number | undefined): Promise<string | undefined> =>
  warnOfVolatileDisk('/data/spool', async () => type);

describe('a spool', () => {
  it.each([
    ['tmpfs', 0x01021994],
    ['ramfs', 0x858458f6],
    ['overlay', 0x794c7630],
  ])('on %s is warned of', async (name, type) => {
    expect(await warningOn(type)).toMatch(`DATA_DIR lies on ${name}: settlements`);
  });

  it.each([
    ['ext4', 0xef53],
    ['xfs', 0x58465342],
    ['NFS', 0x6969],
    ['an unknown kind', undefined],
  ])('on %s is not', async (_, type) => {
    expect(await warningOn(type)).toBeUndefined();
  });

  it('in the memory of this machine causes a warning, and a missing one does not', async () => {
    if (process.platform === 'linux') expect(await warnOfVolatileDisk('/dev/shm')).toMatch('tmpfs');
    expect(await warnOfVolatileDisk('/nowhere/at/all')).toBeUndefined();
  });
});
