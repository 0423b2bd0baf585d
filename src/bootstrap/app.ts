import 'reflect-metadata';
import type { IncomingMessage, RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { AppModule } from '../app.module.js';
import { hashKey } from '../core/ids.js';
import { SystemClock } from '../core/time.js';
import { ConsoleSessionsService } from '../console/console-sessions.service.js';
import { Delivery } from '../faces/common/delivery.js';
import { KeptDelivery } from '../faces/common/kept-delivery.js';
import { FirstKeys, type GeneratedKeys } from '../keys/first-keys.js';
import { proxyTrust } from '../rate-limits/client-network.js';
import { UnseenCalls } from '../routing/unseen-calls.js';
import { ClusterMetrics } from '../shared/telemetry/cluster-metrics.js';
import { DatabaseHealth } from '../shared/database/database-health.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import { EngineLife } from '../shared/database/engine-life.js';
import { Drain } from '../shared/drain.js';
import type { Environment } from '../shared/environment.js';
import { ALIAS, BASE_PATH, OUTSIDE_BASE_PATH } from '../shared/http/base-path.js';
import { crossOrigin } from '../shared/http/cross-origin.js';
import { ErrorFilter } from '../shared/http/error.filter.js';
import { HealthPort } from '../shared/http/server/health-port.js';
import { HttpListener } from '../shared/http/server/http-listener.js';
import { printGenerationFields } from '../inference/generation-log.js';
import { requestLog } from '../shared/http/request-log.js';
import { RoutedAdapter } from '../shared/http/server/routed-adapter.js';
import { adoptMessageClasses } from '../shared/http/server/express-message-classes.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { afterGrace, Readiness } from '../shared/readiness.js';
import type { ProcessContext } from '../shared/shared.module.js';
import { createTracing } from '../shared/telemetry/tracing.js';
import type { StopSignal } from '../shared/worker-channel.js';
import { watchState } from './state-gauges.js';

const DATABASE_GRACE_MS = 60_000;
const DATABASE_PING_MS = 2_000;
/** Maximum time of closing: the ledger's wait for a lost database, plus the rest. */
const CLOSE_MS_MAX = 15_000;

export interface AppOptions extends Partial<Omit<ProcessContext, 'environment'>> {
  readonly environment: Environment;
  readonly shippedCatalogPath: string;
  /** Opens the embedded database; tests pass one that is already open. */
  readonly opener?: EmbeddedOpener;
  /**
   * Opens the port only when the application is ready. For one of several workers: the others answer meanwhile, and
   * while none is ready the port stays closed.
   */
  readonly opensLate?: boolean | undefined;
  /** Whether this process opens the health port, where the settings name one. */
  readonly opensHealthPort?: boolean | undefined;
  /** Whether the port belongs to this process alone, so that several connections per turn can be accepted. */
  readonly acceptsFaster?: boolean | undefined;
}

/** The secrets of a first start, which are printed once. */
export interface ShownKeys extends GeneratedKeys {
  /** The token of a link that signs in to the console once, by the generated management key. */
  readonly signInLink?: string;
}

/** A running gateway, as used by main and tests. */
export interface Gateway {
  readonly app: NestExpressApplication;
  /** The address it listens at, without a path. */
  readonly url: string;
  /** The address of the health port, where this process has one. */
  readonly healthUrl?: string;
  /** The keys generated at this start, to be shown once. */
  readonly keys: ShownKeys;
  /** Resolves when its embedded database has died: only a new process can use it again. */
  readonly storeDeath: Promise<Error>;
  /** Whether it should receive requests. */
  isReady(): boolean;
  /** Drains and closes. Never rejects. */
  stop(signal: StopSignal): Promise<void>;
}

/** Opens the port, then the store, then the application: the only way to start it, for main and tests alike. */
export async function startApp(options: AppOptions): Promise<Gateway> {
  const { port, host, healthPort, bodyBytesMax } = options.environment;
  const listener = new HttpListener(bodyBytesMax);
  const health = options.opensHealthPort && healthPort !== undefined ? new HealthPort() : undefined;
  const open = (): Promise<string> => listener.open(port, host);
  try {
    const healthUrl = await health?.open(healthPort!, host);
    const early = options.opensLate ? undefined : await open();
    const { markOpen, ...gateway } = await buildApp(options, listener, health);
    const url = early ?? (await open());
    markOpen();
    return { ...gateway, url, ...(healthUrl !== undefined && { healthUrl }) };
  } catch (error) {
    listener.close();
    health?.close();
    throw error;
  }
}

async function buildApp(
  options: AppOptions,
  listener: HttpListener,
  health: HealthPort | undefined,
): Promise<Omit<Gateway, 'url'> & { readonly markOpen: () => void }> {
  const { environment } = options;
  const context: ProcessContext = {
    environment,
    clock: options.clock ?? new SystemClock(),
    logger: options.logger ?? createLogger(environment),
    tracing: options.tracing ?? (await createTracing(environment.otelEndpoint)),
  };
  const module = AppModule.register(context, options.shippedCatalogPath, options.opener);
  const app = await NestFactory.create<NestExpressApplication>(module, new RoutedAdapter(), {
    logger: context.logger,
    // A guard reads bodies, after the key was checked.
    bodyParser: false,
    abortOnError: false,
  });
  setUp(app, environment);
  adoptMessageClasses(app.getHttpAdapter().getInstance(), listener.messages);
  await app.init();
  const errors = new ErrorFilter();
  app.use((request: Request, response: Response) => errors.answerUnknownRoute(request, response));
  const keys = await ensureKeys(app, environment);

  watchState(app);
  const readiness = app.get(Readiness);
  const stopWatching = watchDatabase(app, context, readiness);
  const unseen = app.get(UnseenCalls, { strict: false });
  const drain = new Drain({
    server: listener.server,
    closeListener: () => listener.close(),
    readiness,
    drainMs: environment.drainMs,
    abortAll: () => {
      app.get(Delivery).abortAll();
      unseen.cutAll();
    },
    background: [unseen, app.get(KeptDelivery)],
    steps: [
      { name: 'application', run: () => app.close(), msMax: CLOSE_MS_MAX },
      { name: 'traces', run: () => context.tracing.shutdown() },
      { name: 'health', run: async () => health?.close() },
    ],
    log: context.logger,
  });
  health?.admit({ readiness: () => readiness.state(), metrics: () => app.get(ClusterMetrics).text() });
  const log = requestLog(
    { logger: context.logger, metrics: app.get(Metrics), clock: context.clock },
    printGenerationFields,
  );
  listener.admit(log, rewriteUrl, app.getHttpAdapter().getInstance() as RequestListener);
  return {
    app,
    keys,
    storeDeath: app.get(EngineLife).death,
    isReady: () => readiness.state().ready,
    markOpen: () => {
      readiness.markStarted();
      // Copies the handle of an open port.
      if (options.acceptsFaster)
        listener.acceptFaster().catch((error: unknown) => context.logger.warn(error, 'HttpListener'));
    },
    async stop(signal) {
      stopWatching();
      await drain.run(signal);
    },
  };
}

async function ensureKeys(app: NestExpressApplication, environment: Environment): Promise<ShownKeys> {
  const keys = await app.get(FirstKeys).ensure();
  const { managementKey } = keys;
  if (managementKey === undefined || environment.console === 'off') return keys;
  return { ...keys, signInLink: await app.get(ConsoleSessionsService).makeLink(hashKey(managementKey)) };
}

function setUp(app: NestExpressApplication, { trustProxy, corsOrigins }: Environment): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', proxyTrust(trustProxy));
  if (corsOrigins.length > 0) app.enableCors(crossOrigin(corsOrigins));
  app.setGlobalPrefix(BASE_PATH, { exclude: OUTSIDE_BASE_PATH });
}

const ALIAS_PREFIX = `${ALIAS}/`;

/** Rewrites the URL of a request to the form of the routes. */
function rewriteUrl(request: IncomingMessage): void {
  let { url = '' } = request;
  // A proxy's form of the request line, with scheme and host, names the same route.
  if (!url.startsWith('/')) url = url.replace(/^https?:\/\/[^/]*/i, '');
  request.url = url.startsWith(ALIAS_PREFIX) ? BASE_PATH + url.slice(ALIAS.length) : url;
}

/** Pings the database at intervals, so that readiness knows how long it has been unreachable. */
function watchDatabase(app: NestExpressApplication, { clock }: ProcessContext, readiness: Readiness): () => void {
  const health = app.get(DatabaseHealth);
  const life = app.get(EngineLife);
  const whileAway = afterGrace(DATABASE_GRACE_MS, clock, () => health.unreachableSince);
  // A dead engine does not come back: there is nothing to wait for.
  readiness.register('database', () => (life.diedOf ? { ready: false, detail: 'ended' } : whileAway()));
  const timer = setInterval(() => void health.ping(), DATABASE_PING_MS);
  timer.unref();
  return () => clearInterval(timer);
}
