import { resolve } from 'node:path';
import { InvalidEnvironment, type Environment } from './environment.js';
import { readKeyServices } from './variables/read-key-services.js';
import { VariableReader } from './variables/variable-reader.js';
import { SHIPPED_CATALOG, VARIABLE_ROWS, VARIABLES } from './variables/variables.js';

/** What the variables say. The warnings are for the log: nothing is wrong enough to stop. */
export interface EnvironmentReading {
  readonly environment: Environment;
  readonly warnings: readonly string[];
}

/**
 * The settings, checked and frozen (DESIGN 11). Relative paths count from `workingDirectory`, the shipped catalog's from
 * `packageDirectory`, so that the process may be started from anywhere.
 * @throws InvalidEnvironment that names every faulty variable at once, and never shows a secret
 */
export function readEnvironment(
  variables: NodeJS.ProcessEnv,
  workingDirectory: string,
  packageDirectory = workingDirectory,
): EnvironmentReading {
  const reader = new VariableReader(variables);
  const databaseUrl = reader.read(VARIABLES.databaseUrl);
  const redisUrl = reader.read(VARIABLES.redisUrl);
  const managementKey = reader.read(VARIABLES.managementKey);
  const apiKey = reader.read(VARIABLES.apiKey);
  const otelEndpoint = reader.read(VARIABLES.otelEndpoint);
  const catalog = reader.read(VARIABLES.catalog);
  const timeouts = reader.read(VARIABLES.timeouts);
  const cooldown = reader.read(VARIABLES.cooldown);
  const retention = reader.read(VARIABLES.retention);

  const environment: Environment = Object.freeze({
    port: reader.read(VARIABLES.port),
    host: reader.read(VARIABLES.host),
    ...(databaseUrl && { databaseUrl }),
    databasePool: reader.read(VARIABLES.databasePool),
    dataDir: resolve(workingDirectory, reader.read(VARIABLES.dataDir)),
    ...(redisUrl && { redisUrl }),
    workers: reader.read(VARIABLES.workers),
    catalogPath: catalog ? resolve(workingDirectory, catalog) : resolve(packageDirectory, SHIPPED_CATALOG),
    encryptionKeys: reader.read(VARIABLES.encryptionKeys) ?? Object.freeze([]),
    keyServices: readKeyServices(reader),
    ...(managementKey && { managementKey }),
    ...(apiKey && { apiKey }),
    initialCredits: reader.read(VARIABLES.initialCredits),
    byokFeePercent: reader.read(VARIABLES.byokFeePercent),
    egressAllow: reader.read(VARIABLES.egressAllow) ?? Object.freeze([]),
    timeouts: Object.freeze({
      connectMs: timeouts.connect,
      firstMs: timeouts.first,
      idleMs: timeouts.idle,
      stallMs: timeouts.stall,
      totalMs: timeouts.total,
    }),
    cooldown: Object.freeze({ baseMs: cooldown.base, maxMs: cooldown.max }),
    flood: reader.read(VARIABLES.flood),
    trustProxy: reader.read(VARIABLES.trustProxy) ?? Object.freeze([]),
    bodyBytesMax: reader.read(VARIABLES.bodyBytesMax),
    bodiesInFlightBytesMax: reader.read(VARIABLES.bodiesInFlightBytesMax),
    heartbeatMs: reader.read(VARIABLES.heartbeat),
    drainMs: reader.read(VARIABLES.drain),
    retentionDays: Object.freeze({
      generations: retention.generations,
      ledgerEntries: retention.ledger_entries,
      audit: retention.audit,
    }),
    ledgerDurability: reader.read(VARIABLES.ledgerDurability),
    ...(otelEndpoint && { otelEndpoint }),
    logLevel: reader.read(VARIABLES.logLevel),
  });

  refuseContradictions(environment, reader);
  if (reader.faults.length > 0) throw new InvalidEnvironment(reader.faults);
  return { environment, warnings: [...warnOfUnknown(variables), ...warnOfOddities(environment)] };
}

/** What each variable alone cannot know. */
function refuseContradictions(environment: Environment, reader: VariableReader): void {
  // A faulty variable has its own line already: what is set, rightly or not, is not also called missing.
  const isWithoutKeys = reader.isSet(VARIABLES.databaseUrl) && !reader.isSet(VARIABLES.encryptionKeys);
  if (isWithoutKeys && !reader.isSet(VARIABLES.keyService)) {
    reader.refuse(VARIABLES.encryptionKeys, 'is required with DATABASE_URL: replicas must share their keys');
  } else if (isWithoutKeys && environment.keyServices.some(({ kind }) => kind === 'local')) {
    reader.refuse(VARIABLES.encryptionKeys, 'is required where FAIRLEAD_KEY_SERVICE names local');
  }
  // Secrets print alike, so that only what is named counts.
  const services = environment.keyServices.map((service) => JSON.stringify(service));
  if (new Set(services).size < services.length) reader.refuse(VARIABLES.keyService, 'names a key twice');
  const ids = environment.encryptionKeys.map((key) => key.id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) reader.refuse(VARIABLES.encryptionKeys, `gives the id ${repeated} to two keys`);
  if (environment.workers > 1) {
    for (const needed of [VARIABLES.databaseUrl, VARIABLES.redisUrl]) {
      if (!reader.isSet(needed)) reader.refuse(VARIABLES.workers, `above 1 needs ${needed.name}`);
    }
  }
  const { apiKey, managementKey } = environment;
  if (apiKey && managementKey && apiKey.reveal() === managementKey.reveal()) {
    reader.refuse(VARIABLES.apiKey, 'must differ from FAIRLEAD_MANAGEMENT_KEY: a key is of one kind');
  }
}

function warnOfUnknown(variables: NodeJS.ProcessEnv): string[] {
  const known = new Set(VARIABLE_ROWS.map((row) => row.name));
  return Object.keys(variables)
    .filter((name) => name.startsWith('FAIRLEAD_') && !known.has(name))
    .map((name) => `${name} is not a variable of Fairlead and has no effect`);
}

function warnOfOddities(environment: Environment): string[] {
  return environment.bodiesInFlightBytesMax < environment.bodyBytesMax
    ? ['FAIRLEAD_BODIES_IN_FLIGHT is below FAIRLEAD_BODY_MAX: bodies between the two are always refused']
    : [];
}
