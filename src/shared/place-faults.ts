import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './database/system-code.js';
import type { Environment, EnvironmentFault } from './environment.js';

/**
 * What is wrong with the places that settings name, as far as looking shows it: nothing is made or opened. So a start
 * reports it together with the other faults.
 */
export const placeFaults = ({ dataDir, catalogPath }: Environment): readonly EnvironmentFault[] => [
  ...faultOf('DATA_DIR', 'must be a folder this process can write to', dataDir, () => assertWritable(dataDir)),
  ...faultOf('FAIRLEAD_CATALOG', 'must be a file this process can read', catalogPath, () =>
    accessSync(catalogPath, constants.R_OK),
  ),
];

function faultOf(variable: string, reason: string, path: string, look: () => void): readonly EnvironmentFault[] {
  try {
    look();
    return [];
  } catch (error) {
    const code = systemCode(error);
    return [{ variable, reason: `${reason}: ${JSON.stringify(path)}${code === undefined ? '' : ` (${code})`}` }];
  }
}

/** The folder itself, or where it is missing the nearest one above it that is there. */
function assertWritable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats && dirname(path) !== path) {
    assertWritable(dirname(path));
    return;
  }
  if (!stats?.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
  accessSync(path, constants.W_OK);
}
