import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicText } from './anthropic-upstream.js';
import { anthropicRules, openaiRules } from './doubles/vendor-rules.js';
import { openaiText } from './openai-upstream.js';
import { RecordedRequest } from './recorded-request.js';
import { responsesText } from './responses-upstream.js';
import { CUT, HANG, json, type Answer, type Complaint, type Script } from './upstream-answers.js';

/** The formats that most suites test one by one. */
export type UpstreamKind = 'anthropic' | 'openai';

/** Why the vendor refuses a request; undefined: it accepts it. */
export type Rules = (request: RecordedRequest) => Complaint | undefined;

const KINDS = {
  anthropic: { basePath: '', rules: anthropicRules, text: anthropicText },
  openai: { basePath: '/v1', rules: openaiRules, text: openaiText },
  responses: { basePath: '/v1', rules: openaiRules, text: responsesText },
} as const;

/**
 * A real HTTP server on a loopback port of its own that records every request and answers by script. Strict by default:
 * a request that the real provider refuses gets the provider's error before the script is called.
 */
export class Upstream {
  readonly requests: RecordedRequest[] = [];
  strict = true;
  /** Number of accepted connections. */
  connectionsAccepted = 0;
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void this.serve(request, response);
  });
  private readonly sockets = new Map<Socket, number>();
  private waiters: (() => void)[] = [];

  /** @param basePath the part of the base URL before a call's path */
  constructor(
    private readonly rules: Rules,
    private current: Script,
    private readonly basePath = '',
  ) {
    this.server.requestTimeout = 0;
    this.server.on('connection', (socket) => {
      this.sockets.set(socket, ++this.connectionsAccepted);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** @param host `127.0.0.1`, or another loopback address for tests that need two hosts */
  async listen(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    return this;
  }

  /** The base URL as written in a catalog: with `/v1` for chat completions. */
  get url(): string {
    return `${this.origin}${this.basePath}`;
  }

  get origin(): string {
    const { address, port } = this.address;
    return `http://${address}:${port}`;
  }

  get port(): number {
    return this.address.port;
  }

  get connectionsOpen(): number {
    return this.sockets.size;
  }

  /** Sets the answers of subsequent requests. */
  script(script: Script | Answer): void {
    this.current = typeof script === 'function' ? script : () => script;
  }

  /** The request of that index, as soon as it has arrived; the next one without an index. */
  async request(index = this.requests.length): Promise<RecordedRequest> {
    while (this.requests.length <= index) await new Promise<void>((resolve) => this.waiters.push(resolve));
    return this.requests[index]!;
  }

  /** Closes every connection from this side, without warning, as a balancer does. */
  dropConnections(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.dropConnections();
    await closed;
  }

  private get address(): AddressInfo {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The upstream does not listen.');
    return address;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    } catch {
      return; // The client left in mid-request.
    }
    const connection = this.sockets.get(request.socket) ?? 0;
    const record = new RecordedRequest(request, response, Buffer.concat(parts), connection);
    const index = this.requests.push(record) - 1;
    for (const wake of this.waiters.splice(0)) wake();
    const complaint = this.strict ? this.rules(record) : undefined;
    const answer = complaint
      ? json(complaint.body, complaint.status, complaint.headers)
      : await this.current(record, index);
    await play(answer, record, response);
  }
}

/** Starts an upstream that, unscripted, answers every request with a short text, streamed when the body requests it. */
export function startUpstream(kind: keyof typeof KINDS, script?: Script | Answer): Promise<Upstream> {
  const { rules, text, basePath } = KINDS[kind];
  const upstream = new Upstream(rules, text('Hello from upstream.'), basePath);
  if (script) upstream.script(script);
  return upstream.listen();
}

/** Writes an answer; each write waits until the operating system has accepted it, or the other side has left. */
async function play(answer: Answer, record: RecordedRequest, response: ServerResponse): Promise<void> {
  const { socket } = response;
  if (!socket || socket.destroyed) return;
  if (!answer.raw) {
    response.writeHead(answer.status ?? 200, { ...answer.headers });
    response.flushHeaders();
  }
  for await (const piece of answer.body) {
    if (socket.destroyed) return;
    if (piece === undefined) continue; // A wait that is over.
    if (piece === HANG) return;
    if (piece === CUT) {
      socket.resetAndDestroy();
      return;
    }
    const bytes = Buffer.from(piece);
    const written = new Promise<void>((resolve) => {
      (answer.raw ? socket : response).write(bytes, (error) => {
        if (!error) record.bodyBytesWritten += bytes.length;
        resolve();
      });
    });
    await Promise.race([written, record.closed]);
    // The kernel mostly accepts a write immediately: without a turn of the event loop no reader could run in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (socket.destroyed) return;
  if (answer.raw) socket.end();
  else {
    response.end();
    if (!response.writableFinished) await Promise.race([once(response, 'finish'), record.closed]);
  }
}
