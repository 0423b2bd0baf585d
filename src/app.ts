import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { SystemClock } from './core/time.js';
import { Delivery } from './inference/deliver.js';
import { FirstKeys, type GeneratedKeys } from './keys/first-keys.js';
import { DatabaseHealth } from './shared/database/database-health.js';
import type { EmbeddedOpener } from './shared/database/embedded.js';
import { Drain } from './shared/drain.js';
import type { Environment } from './shared/environment.js';
import { answerBrokenRequests } from './shared/http/broken-requests.js';
import { requestLog } from './shared/http/request-log.js';
import { createLogger } from './shared/logger.js';
import { Metrics } from './shared/metrics.js';
import { afterGrace, Readiness } from './shared/readiness.js';
import type { ProcessContext } from './shared/shared.module.js';
import { createTracing } from './shared/tracing.js';
import type { StopSignal } from './shared/worker-channel.js';

const BASE_PATH = '/api/v1';
/** The same routes answer here as well: Anthropic clients append `/v1/…` to an address without a path. */
const ALIAS = '/v1';
const DATABASE_GRACE_MS = 60_000;
const DATABASE_PING_MS = 2_000;

export interface AppOptions extends Partial<Omit<ProcessContext, 'environment'>> {
  readonly environment: Environment;
  readonly shippedCatalogPath: string;
  /** Opens the embedded database; tests hand in one that is open already. */
  readonly opener?: EmbeddedOpener;
}

/** The running gateway: main and tests hold it by the same handle. */
export interface Gateway {
  readonly app: NestExpressApplication;
  /** Opens the port; ready from then on. The keys are those made at this start, to be shown once. */
  start(): Promise<{ readonly url: string; readonly keys: GeneratedKeys }>;
  /** Drains and closes. Never rejects. */
  stop(signal: StopSignal): Promise<void>;
}

/** Builds the application: the one way to, for main and tests alike. The database is open and migrated when it resolves. */
export async function createApp(options: AppOptions): Promise<Gateway> {
  const { environment } = options;
  const context: ProcessContext = {
    environment,
    clock: options.clock ?? new SystemClock(),
    logger: options.logger ?? createLogger(environment),
    tracing: options.tracing ?? (await createTracing(environment.otelEndpoint)),
  };
  const module = AppModule.register(context, options.shippedCatalogPath, options.opener);
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: context.logger,
    // Bodies are read after the guards, by our own interceptor.
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  // The path decides which family of errors a reply is of: what is no route in that spelling must not be one here either.
  app.enable('case sensitive routing');
  app.set('trust proxy', environment.trustProxy.length > 0 ? [...environment.trustProxy] : false);
  app.setGlobalPrefix(BASE_PATH, { exclude: ['health/live', 'health/ready', 'metrics'] });
  app.use(rewriteAlias);
  app.use(requestLog(context.logger, app.get(Metrics), context.clock));

  const server = app.getHttpServer() as Server;
  answerBrokenRequests(server);
  const readiness = app.get(Readiness);
  const drain = new Drain({
    server,
    readiness,
    drainMs: environment.drainMs,
    abortAll: () => app.get(Delivery).abortAll(),
    steps: [
      { name: 'application', run: () => app.close() },
      { name: 'traces', run: () => context.tracing.shutdown() },
    ],
    log: context.logger,
  });
  const stopWatching = watchDatabase(app, context, readiness);

  return {
    app,
    async start() {
      const keys = await app.get(FirstKeys).ensure();
      await app.listen(environment.port, environment.host);
      readiness.markStarted();
      const { port } = server.address() as AddressInfo;
      return { url: `http://${environment.host.includes(':') ? `[${environment.host}]` : environment.host}:${port}`, keys };
    },
    async stop(signal) {
      stopWatching();
      await drain.run(signal);
    },
  };
}

function rewriteAlias(request: { url: string }, _response: unknown, next: () => void): void {
  if (request.url.startsWith(`${ALIAS}/`)) request.url = BASE_PATH + request.url.slice(ALIAS.length);
  next();
}

/** Asks the database now and then, so that readiness knows how long it has been silent without asking by itself. */
function watchDatabase(app: NestExpressApplication, { clock }: ProcessContext, readiness: Readiness): () => void {
  const health = app.get(DatabaseHealth);
  readiness.register(
    'database',
    afterGrace(DATABASE_GRACE_MS, clock, () => health.unreachableSince),
  );
  const timer = setInterval(() => void health.ping(), DATABASE_PING_MS);
  timer.unref();
  return () => clearInterval(timer);
}
