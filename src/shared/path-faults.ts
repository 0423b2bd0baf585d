import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './database/system-code.js';
import type { Environment, EnvironmentFault } from './environment.js';

/**
 * Faults of the paths in the settings that can be detected without creating or opening anything, so that a start
 * reports them together with the other faults.
 */
export const pathFaults = ({ dataDir, catalogPath }: Environment): readonly EnvironmentFault[] => [
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

/** Checks the folder itself, or the nearest existing parent. */
function assertWritable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats && dirname(path) !== path) {
    assertWritable(dirname(path));
    return;
  }
  if (!stats?.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
  accessSync(path, constants.W_OK);
}
