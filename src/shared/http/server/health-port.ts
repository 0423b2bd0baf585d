import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { METRICS_TYPE } from '../../telemetry/metrics.js';
import { viewReadiness, type ReadinessReport } from '../../readiness.js';
import { listenAt } from './listen-at.js';

/** The process, or all workers, that the port reports on. */
export interface HealthSource {
  readiness(): ReadinessReport | Promise<ReadinessReport>;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const HEADERS_MS_MAX = 10_000;

/**
 * `FAIRLEAD_HEALTH_PORT`: health and metrics on a separate port, from before the store is opened until the process
 * ends, so that the port for traffic need be open only while it is ready
 * (docs/operate/scaling.md#a-port-for-health).
 */
export class HealthPort {
  private readonly server: Server;
  private source: HealthSource | undefined;

  constructor() {
    this.server = createServer({ headersTimeout: HEADERS_MS_MAX, requestTimeout: HEADERS_MS_MAX }, this.answer);
  }

  /** @returns and throws as `listenAt` */
  open(port: number, host: string): Promise<string> {
    return listenAt(this.server, 'FAIRLEAD_HEALTH_PORT', port, host);
  }

  /** Sets the source that is queried. Before, nothing is ready. */
  admit(source: HealthSource): void {
    this.source = source;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private readonly answer: RequestListener = (request, response) => {
    // The body is ignored.
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed(response, request.method);
    const path = request.url?.split('?')[0] ?? '';
    const answering = this.report(path, response);
    answering.catch(() => send(response, 500, JSON_TYPE, '{"status":"unavailable"}'));
  };

  private async report(path: string, response: ServerResponse): Promise<void> {
    const { source } = this;
    if (path === '/health/live') return send(response, 200, JSON_TYPE, '{"status":"ok"}');
    if (path === '/health/ready') {
      const report = source ? await source.readiness() : STARTING;
      return send(response, report.ready ? 200 : 503, JSON_TYPE, JSON.stringify(viewReadiness(report)));
    }
    if (path === '/metrics' && source) return send(response, 200, METRICS_TYPE, await source.metrics());
    if (path === '/metrics') return send(response, 503, JSON_TYPE, '{"status":"unavailable"}');
    const message = 'Here are /health/live, /health/ready and /metrics alone.';
    return send(response, 404, JSON_TYPE, JSON.stringify({ error: { code: 404, message } }));
  }
}

function notAllowed(response: ServerResponse, method = ''): void {
  response.setHeader('Allow', 'GET, HEAD');
  const message = `${method} is not allowed here; use GET.`;
  send(response, 405, JSON_TYPE, JSON.stringify({ error: { code: 405, message } }));
}

const STARTING: ReadinessReport = { ready: false, checks: { process: { ready: false, detail: 'starting' } } };

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}
