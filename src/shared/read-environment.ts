import { resolve } from 'node:path';
import { nearestNames } from '../core/nearest-names.js';
import { InvalidEnvironment, type Environment, type EnvironmentFault } from './environment.js';
import { namesHosts } from './http/client/forward-proxies.js';
import { readKeyServices } from './variables/read-key-services.js';
import { VariableReader } from './variables/variable-reader.js';
import { looksGuessable } from './variables/weak-key.js';
import { SHIPPED_CATALOG, VARIABLE_ROWS, VARIABLES, type Settings, type Variable } from './variables/variables.js';

/** Prefix of the gateway's variables, which no other program uses. */
const PREFIX = 'FAIRLEAD_';
/** Suffix of variables that a catalog may name for a credential. */
const CREDENTIAL_SUFFIX = 'API_KEY';
/** Shorter names are similar to too many others. */
const COMPARED_FROM = 6;

/** The settings from the variables. The warnings are for the log: none of them stops the start. */
export interface EnvironmentReading {
  readonly environment: Environment;
  readonly warnings: readonly string[];
}

/**
 * Reads the settings, checked and frozen (docs/operate/configuration.md#settings). Relative paths are resolved from
 * `workingDirectory`, that of the shipped catalog from `packageDirectory`, so that the process may be started anywhere.
 * @param findMore faults that the variables alone do not show, such as `pathFaults`
 * @throws InvalidEnvironment that names every faulty variable and every near miss at once, and never shows a secret
 */
export function readEnvironment(
  variables: NodeJS.ProcessEnv,
  workingDirectory: string,
  packageDirectory = workingDirectory,
  findMore: (environment: Environment) => readonly EnvironmentFault[] = () => [],
): EnvironmentReading {
  const reader = new VariableReader(variables);
  const settings = readSettings(reader);
  const catalog = reader.read(VARIABLES.catalog);
  const environment: Environment = Object.freeze({
    ...settings,
    dataDir: resolve(workingDirectory, settings.dataDir),
    catalogPath: catalog ? resolve(workingDirectory, catalog) : resolve(packageDirectory, SHIPPED_CATALOG),
    keyServices: readKeyServices(reader),
  });

  refuseContradictions(environment, reader);
  for (const { variable, reason } of findMore(environment)) reader.refuse({ name: variable }, reason);
  const unknown = warnOfUnknown(variables);
  if (reader.faults.length > 0) throw new InvalidEnvironment(reader.faults, unknown);
  return {
    environment,
    warnings: [...unknown, ...warnOfOddities(environment, variables), ...warnOfWeakKeys(environment)],
  };
}

/** Each from its own variable; one without a default that is not set is left out. */
function readSettings(reader: VariableReader): Settings {
  const settings = Object.entries<Variable<unknown>>(VARIABLES)
    .filter(([, variable]) => !('isRaw' in variable))
    .map(([name, variable]) => [name, reader.read(variable)] as const)
    .filter(([, value]) => value !== undefined);
  // The type is inferred from the list that was iterated.
  return Object.fromEntries(settings) as unknown as Settings;
}

/** Contradictions between variables. */
function refuseContradictions(environment: Environment, reader: VariableReader): void {
  // A faulty variable has its own line already, so a variable that is set, valid or not, is not also reported as
  // missing.
  const isWithoutKeys = reader.isSet(VARIABLES.databaseUrl) && !reader.isSet(VARIABLES.encryptionKeys);
  if (isWithoutKeys && !reader.isSet(VARIABLES.keyService)) {
    reader.refuse(VARIABLES.encryptionKeys, 'is required with DATABASE_URL: replicas must share their keys');
  } else if (isWithoutKeys && environment.keyServices.some(({ kind }) => kind === 'local')) {
    reader.refuse(VARIABLES.encryptionKeys, 'is required where FAIRLEAD_KEY_SERVICE names local');
  }
  // Secrets print alike, so only the names are compared.
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
  refuseHalfSignOn(environment, reader);
  const { apiKey, managementKey, healthPort, port } = environment;
  if (healthPort === port && port !== 0) reader.refuse(VARIABLES.healthPort, 'must differ from PORT');
  if (apiKey && managementKey && apiKey.reveal() === managementKey.reveal()) {
    reader.refuse(VARIABLES.apiKey, 'must differ from FAIRLEAD_MANAGEMENT_KEY: a key is of one kind');
  }
}

/** An issuer by which no person can sign in, or settings without the issuer that they are for. */
function refuseHalfSignOn({ oidcAdminGroups, oidcWorkspaceGroups }: Environment, reader: VariableReader): void {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = VARIABLES;
  const groups = [VARIABLES.oidcAdminGroups, VARIABLES.oidcWorkspaceGroups];
  if (reader.isSet(oidcIssuer)) {
    if (!reader.isSet(oidcClientId)) reader.refuse(oidcClientId, `is required with ${oidcIssuer.name}`);
    if (!groups.some((variable) => reader.isSet(variable)))
      reader.refuse(
        groups[0]!,
        `or ${groups[1]!.name} is required with ${oidcIssuer.name}: otherwise no one can sign in`,
      );
  } else {
    for (const variable of [oidcClientId, oidcClientSecret, ...groups])
      if (reader.isSet(variable)) reader.refuse(variable, `needs ${oidcIssuer.name}`);
  }
  const named = [...oidcAdminGroups, ...oidcWorkspaceGroups.map(({ group }) => group)];
  const repeated = named.find((group, index) => named.indexOf(group) !== index);
  if (repeated !== undefined)
    reader.refuse(VARIABLES.oidcWorkspaceGroups, `gives two roles to the group ${JSON.stringify(repeated)}`);
}

function warnOfUnknown(variables: NodeJS.ProcessEnv): string[] {
  const own = new Set(VARIABLE_ROWS.map((row) => row.name));
  return Object.keys(variables)
    .filter((name) => !own.has(name))
    .flatMap((name) => {
      const meant = nearestVariable(name, own);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      if (name.startsWith(PREFIX)) return [`${name} is not a variable of Fairlead and has no effect${hint}`];
      return meant === undefined ? [] : [`${name} has no effect on Fairlead${hint}`];
    });
}

/** The variable that a name was probably meant for: with or without the prefix, or with a typing error. */
function nearestVariable(name: string, own: ReadonlySet<string>): string | undefined {
  if (name.startsWith(PREFIX)) {
    const bare = name.slice(PREFIX.length);
    return own.has(bare) ? bare : nearestNames(name, own, 1)[0];
  }
  // A short name may belong to another program.
  if (name.length < COMPARED_FROM) return undefined;
  if (own.has(`${PREFIX}${name}`) && name !== CREDENTIAL_SUFFIX) return `${PREFIX}${name}`;
  const common = [...own].filter((candidate) => !candidate.startsWith(PREFIX) && candidate.length >= COMPARED_FROM);
  return nearestNames(name, common, 1, 1)[0];
}

function warnOfOddities(environment: Environment, { NODE_ENV: mode }: NodeJS.ProcessEnv): string[] {
  return [
    ...(environment.bodiesInFlightBytesMax < 2 * environment.bodyBytesMax
      ? [
          'FAIRLEAD_BODIES_IN_FLIGHT is below twice FAIRLEAD_BODY_MAX: bodies of more than half of it are always refused',
        ]
      : []),
    ...environment.noProxy
      .filter((entry) => !namesHosts(entry))
      .map((entry) => `NO_PROXY names no host with ${JSON.stringify(entry)}: names, addresses, networks, host:port, *`),
    ...(mode === 'production' && environment.databaseUrl === undefined
      ? ['the embedded database is not safe against power loss: set DATABASE_URL for production']
      : []),
  ];
}

/** The warning does not contain the key itself. */
function warnOfWeakKeys({ managementKey, apiKey }: Environment): string[] {
  return [[VARIABLES.managementKey, managementKey] as const, [VARIABLES.apiKey, apiKey] as const]
    .filter(([, key]) => key && looksGuessable(key.reveal()))
    .map(([{ name }]) => `${name} looks guessable: make one with: openssl rand -hex 32`);
}
