import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Life } from './fleet.js';
import { GatewayProcess } from './gateway-process.js';

/** What the gateways of a run have in common. */
export interface Shared {
  /** Arguments of Node. */
  readonly program: readonly string[];
  /** Of the run: the catalogs and the data of its gateways. */
  readonly folder: string;
  readonly upstreamUrl: string;
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  readonly apiKey: string;
  readonly managementKey: string;
  /** USD. */
  readonly initialCredits: string;
}

/** Starts a gateway with the catalog of its life. @param variables of its environment, beside what all have */
export async function launchGateway(
  life: Life,
  shared: Shared,
  variables: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const catalog = join(shared.folder, `${life.name}.json`);
  await writeFile(catalog, JSON.stringify(life.catalog(shared.upstreamUrl)));
  return new GatewayProcess(shared.program, {
    DATABASE_URL: shared.databaseUrl,
    DB_POOL: '5',
    // One for all, as on one machine: who comes later finds what the dead have left in their spools.
    DATA_DIR: join(shared.folder, 'data'),
    FAIRLEAD_CATALOG: catalog,
    FAIRLEAD_ENCRYPTION_KEYS: `k1:${shared.encryptionKey}`,
    FAIRLEAD_API_KEY: shared.apiKey,
    FAIRLEAD_MANAGEMENT_KEY: shared.managementKey,
    FAIRLEAD_INITIAL_CREDITS: shared.initialCredits,
    ...variables,
  });
}
