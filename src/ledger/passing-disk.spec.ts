/**
 * Goal: an operator is told at the start that his spool lies where it does not outlive the container, and is not told
 * so without reason (docs/reliability.md). Method: the numbers of file systems as statfs tells them; this machine's
 * own.
 */
import { warnOfPassingDisk } from './passing-disk.js';

const warningOn = (type: number | undefined): Promise<string | undefined> =>
  warnOfPassingDisk('/data/spool', async () => type);

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
    ['what cannot be told', undefined],
  ])('on %s is not', async (_, type) => {
    expect(await warningOn(type)).toBeUndefined();
  });

  it('in the memory of this machine is warned of, and one that is not there is not', async () => {
    if (process.platform === 'linux') expect(await warnOfPassingDisk('/dev/shm')).toMatch('tmpfs');
    expect(await warnOfPassingDisk('/nowhere/at/all')).toBeUndefined();
  });
});
