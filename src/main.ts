import { dirname, join } from 'node:path';
import { createApp } from './app.js';
import { CatalogRefused } from './catalog/fault.js';
import { InvalidEnvironment } from './shared/environment.js';
import { createLogger } from './shared/logger.js';
import { readEnvironment } from './shared/read-environment.js';
import { listenForStop } from './shared/stop-signals.js';
import { findPrimaryChannel } from './shared/worker-channel.js';
import { runWorkers } from './workers.js';
import { StoreRefused } from './shared/database/store-refused.js';

const PACKAGE_DIRECTORY = dirname(import.meta.dirname);

/** Failures whose message says all there is to know: no stack, for there is nothing to debug. */
const EXPECTED = [InvalidEnvironment, CatalogRefused, StoreRefused];

function die(error: unknown): never {
  const expected = EXPECTED.some((kind) => error instanceof kind);
  console.error(expected ? (error as Error).message : error);
  process.exit(1);
}

try {
  const { environment, warnings } = readEnvironment(process.env, process.cwd(), PACKAGE_DIRECTORY);
  const logger = createLogger(environment);
  for (const warning of warnings) logger.warn(warning, 'Environment');

  const serve = async (): Promise<void> => {
    let stopping: ((signal: 'SIGTERM' | 'SIGINT') => void) | undefined;
    let early: 'SIGTERM' | 'SIGINT' | undefined;
    listenForStop({
      stop: (signal) => (stopping ? stopping(signal) : (early = signal)),
      stopNow: () => process.exit(1),
      channel: findPrimaryChannel(),
    });
    const gateway = await createApp({
      environment,
      logger,
      shippedCatalogPath: join(PACKAGE_DIRECTORY, 'catalog', 'default.yaml'),
    });
    const { url, keys } = await gateway.start();
    stopping = (signal) => void gateway.stop(signal).then(() => process.exit(0));
    if (early) stopping(early);
    logger.log(`listening at ${url}`, 'Fairlead');
    announce(url, keys);
  };
  runWorkers({ count: environment.workers, main: serve, log: logger, stopMsMax: environment.drainMs + 30_000 }).catch(die);
} catch (error) {
  die(error);
}

/** Keys made at this start are shown here and never again: on standard output, past the logger. */
function announce(url: string, { managementKey, apiKey }: { managementKey?: string; apiKey?: string }): void {
  if (managementKey !== undefined) console.log(`FAIRLEAD_MANAGEMENT_KEY=${managementKey}`);
  if (apiKey === undefined) return;
  const body = '{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"Hello, Fairlead"}]}';
  console.log(`FAIRLEAD_API_KEY=${apiKey}`);
  console.log(
    `curl ${url}/api/v1/messages -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${body}'`,
  );
}
