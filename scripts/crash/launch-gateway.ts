import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Life } from './fleet.js';
import { GatewayProcess } from './gateway-process.js';

/** The common parameters of a run's gateways. */
export interface Shared {
  /** Node arguments. */
  readonly program: readonly string[];
  /** The folder of the run: it holds the catalogs and data of its gateways. */
  readonly folder: string;
  readonly upstreamUrl: string;
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  readonly apiKey: string;
  readonly managementKey: string;
  /** USD. */
  readonly initialCredits: string;
}

/**
 * Starts a gateway with the catalog of its life. @param variables of its environment, in addition to the common ones
 */
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
    // Shared, as on one machine: later processes find what dead ones left in their spools.
    DATA_DIR: join(shared.folder, 'data'),
    FAIRLEAD_CATALOG: catalog,
    FAIRLEAD_ENCRYPTION_KEYS: `k1:${shared.encryptionKey}`,
    FAIRLEAD_API_KEY: shared.apiKey,
    FAIRLEAD_MANAGEMENT_KEY: shared.managementKey,
    FAIRLEAD_INITIAL_CREDITS: shared.initialCredits,
    ...variables,
  });
}
