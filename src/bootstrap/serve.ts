import cluster from 'node:cluster';
import { join } from 'node:path';
import { startApp, type Gateway, type ShownKeys } from './app.js';
import { endEarlyStop } from './early-stop.js';
import { compileForRequests } from './engine-flags.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { CatalogRefused } from '../catalog/fault.js';
import { ProviderRegistry } from '../providers/registry.js';
import { createDataDirectory } from '../shared/data-directory.js';
import { diskFullMessage } from '../shared/database/disk-full.js';
import { EngineDied } from '../shared/database/engine-life.js';
import { missingRightMessage } from '../shared/database/missing-right.js';
import { StoreRefused } from '../shared/database/store-refused.js';
import { InvalidEnvironment, type Environment } from '../shared/environment.js';
import { HealthPort, type HealthSource } from '../shared/http/server/health-port.js';
import { hostFaults } from '../shared/http/server/listen-at.js';
import { createLogger, type PinoLogger } from '../shared/telemetry/logger.js';
import { pathFaults } from '../shared/path-faults.js';
import { readEnvironment } from '../shared/read-environment.js';
import { listenForStop } from '../shared/stop-signals.js';
import { VariableReader } from '../shared/variables/variable-reader.js';
import { VARIABLES } from '../shared/variables/variables.js';
import { findPrimaryChannel, type StopSignal } from '../shared/worker-channel.js';
import { startBanner } from './start-banner.js';
import { startSummary, warnOfMissedCredentials } from './start-summary.js';
import { runWorkers } from './workers.js';

const PACKAGE_DIRECTORY = join(import.meta.dirname, '..', '..');
const SHIPPED_CATALOG_PATH = join(PACKAGE_DIRECTORY, 'catalog', 'default.yaml');
/** Longer than a worker may take for its own steps after the drain. */
const WORKER_STOP_EXTRA_MS = 30_000;

/** Failures whose message is sufficient: no stack, because there is nothing to debug. */
const EXPECTED = [InvalidEnvironment, CatalogRefused, StoreRefused, EngineDied];

try {
  const wrongHost = await hostFaults(new VariableReader(process.env).read(VARIABLES.host));
  const { environment, warnings } = readEnvironment(process.env, process.cwd(), PACKAGE_DIRECTORY, (settings) => [
    ...pathFaults(settings),
    ...wrongHost,
  ]);
  await createDataDirectory(environment.dataDir);
  const logger = createLogger(environment);
  if (cluster.isPrimary) for (const warning of warnings) logger.warn(warning, 'Environment');
  endEarlyStop();
  await runWorkers({
    count: environment.workers,
    main: () => serve(environment, logger),
    reportHealth: (source) => reportHealth(environment, logger, source),
    log: logger,
    stopMsMax: environment.drainMs + WORKER_STOP_EXTRA_MS,
  });
} catch (error) {
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  const known = diskFullMessage(error) ?? missingRightMessage(error, process.env['DATABASE_URL']?.trim());
  console.error(known ?? (isExpected ? (error as Error).message : error));
  process.exit(1);
}

/** Opens the health port of a process that serves no requests itself, where the settings name one. */
async function reportHealth(
  { healthPort, host }: Environment,
  logger: PinoLogger,
  source: HealthSource,
): Promise<void> {
  if (healthPort === undefined) return;
  const health = new HealthPort();
  health.admit(source);
  logger.log(`health at ${await health.open(healthPort, host)}`, 'Fairlead');
}

/** Runs the gateway in this process until it receives a request to stop. */
async function serve(environment: Environment, logger: PinoLogger): Promise<void> {
  // A rejected promise that one request left unhandled must not end the others: it is a bug, and is logged.
  process.on('unhandledRejection', (reason) => logger.error(reason, 'unhandledRejection'));
  const channel = findPrimaryChannel();
  let gateway: Gateway | undefined = undefined;
  let requestedStop: StopSignal | undefined;
  let exitCode = 0;
  // The request to stop may come while the store is still being opened.
  const stopIfRequested = (): void => {
    if (gateway && requestedStop) void gateway.stop(requestedStop).then(() => process.exit(exitCode));
  };
  channel?.listen((message) => {
    if (message.fairlead !== 'readiness-wanted') return;
    channel.send({ fairlead: 'readiness-answer', ask: message.ask, ready: gateway?.isReady() ?? false });
  });
  listenForStop({
    stop: (signal) => {
      requestedStop = signal;
      stopIfRequested();
    },
    stopNow: () => process.exit(1),
    channel,
  });
  gateway = await startApp({
    environment,
    logger,
    shippedCatalogPath: SHIPPED_CATALOG_PATH,
    opensLate: channel !== undefined || environment.healthPort !== undefined,
    opensHealthPort: channel === undefined,
    acceptsFaster: channel === undefined,
  }).catch((error: unknown) => {
    // The signal may also have reached what the start was waiting for, and made it fail.
    if (requestedStop) process.exit(0);
    throw error;
  });
  compileForRequests();
  // Only one of several workers reports it.
  if (!cluster.worker || cluster.worker.id === 1) reportStart(environment, logger, gateway);
  if (!process.stdout.isTTY) logger.log(`listening at ${gateway.url}`, 'Fairlead');
  if (gateway.healthUrl !== undefined) logger.log(`health at ${gateway.healthUrl}`, 'Fairlead');
  showKeys(gateway.url, gateway.keys);
  void gateway.storeDeath.then((died) => {
    logger.error(
      `${died.message}. This process exits, because only a new process can open it again.`,
      undefined,
      'Database',
    );
    exitCode = 1;
    requestedStop ??= 'SIGTERM';
    stopIfRequested();
  });
  stopIfRequested();
}

/** A terminal gets a banner instead of the log lines. */
function reportStart(environment: Environment, logger: PinoLogger, { app, url, keys }: Gateway): void {
  const catalog = app.get(CatalogStore).current;
  const providers = app.get(ProviderRegistry, { strict: false });
  const started = { environment, catalog, isReachable: providers.isReachable.bind(providers) };
  for (const warning of warnOfMissedCredentials(catalog, process.env)) logger.warn(warning, 'Environment');
  if (!process.stdout.isTTY) {
    logger.log(startSummary(started), 'Fairlead');
    return;
  }
  const hasNewKeys = keys.managementKey !== undefined || keys.apiKey !== undefined;
  console.log(startBanner({ ...started, url, hasNewKeys }));
}

/** Keys generated at this start are shown here and never again: on standard output, bypassing the logger. */
function showKeys(url: string, { managementKey, apiKey, signInLink }: ShownKeys): void {
  if (managementKey !== undefined) console.log(`FAIRLEAD_MANAGEMENT_KEY=${managementKey}`);
  if (apiKey !== undefined) showApiKey(url, apiKey);
  // The token follows the `#`, so that no log of requests has it. The page spends the token, and loading the address
  // does not.
  if (signInLink !== undefined)
    console.log(`Sign in to the console, once and within 15 minutes: ${url}/console#link=${signInLink}`);
}

function showApiKey(url: string, apiKey: string): void {
  const body = '{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"Hello, Fairlead"}]}';
  console.log(`FAIRLEAD_API_KEY=${apiKey}`);
  console.log(
    `curl ${url}/api/v1/messages -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${body}'`,
  );
}
