// Unusable paths in the settings are found without changing anything. Real folders and files, and settings that name
// them.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidEnvironment } from './environment.js';
import { pathFaults } from './path-faults.js';
import { readEnvironment } from './read-environment.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-places-'));
  writeFileSync(join(folder, 'catalog.yaml'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const faultsOf = (variables: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readEnvironment(variables, folder, folder, pathFaults);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error;
    return error.faults.map(({ variable, reason }) => `${variable} ${reason}`);
  }
};

it('finds nothing where the folder exists or can be made, and creates nothing', () => {
  expect(faultsOf({ DATA_DIR: '.', FAIRLEAD_CATALOG: 'catalog.yaml' })).toEqual([]);
  expect(faultsOf({ DATA_DIR: 'not/yet/there', FAIRLEAD_CATALOG: 'catalog.yaml' })).toEqual([]);
  expect(readdirSync(folder)).toEqual(['catalog.yaml']);
});

it('reports both paths, and other faults with them', () => {
  expect(faultsOf({ PORT: 'eighty', DATA_DIR: 'catalog.yaml/data', FAIRLEAD_CATALOG: 'absent.yaml' })).toEqual([
    expect.stringMatching(/^PORT /),
    `DATA_DIR must be a folder this process can write to: "${join(folder, 'catalog.yaml/data')}" (ENOTDIR)`,
    `FAIRLEAD_CATALOG must be a file this process can read: "${join(folder, 'absent.yaml')}" (ENOENT)`,
  ]);
});
