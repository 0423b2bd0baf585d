import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Injectable, Optional } from '@nestjs/common';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { type CancelSignal, toAbortSignal } from '../core/cancellation.js';
import { ExtensionFault, gatewayFull, type EngineCall, type EngineClient } from '../core/extension.js';
import { printJson, weigh, type Json, type JsonObject } from '../core/json/json.js';
import { printInSlices } from '../core/json/print-in-slices.js';
import { readJsonBody } from '../core/json/parse-json-body.js';
import { LARGE, PIECE, yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { FairSlots } from '../shared/queues/fair-slots.js';
import { ForwardProxies, type ForwardProxy } from '../shared/http/client/forward-proxies.js';
import { addressOf, connectToProxy, forwarded, openTunnel } from '../shared/http/client/proxy-tunnel.js';
import { readInSlices } from '../shared/http/client/read-in-slices.js';
import { readResponse, type ResponseHeaders, type ResponseReader } from '../shared/http/client/read-response.js';
import { untilAborted } from '../shared/http/client/until-aborted.js';

/** Limit of name resolution, TCP and TLS together. */
const CONNECT_MS = 5_000;
const HEADER_BYTES_MAX = 32 * 1024;
/** Characters. A shorter credential may occur in an answer by chance. */
const CREDENTIAL_LENGTH_MIN = 16;
/**
 * Concurrent and waiting calls, of this process and of one key. Chosen: one generation makes eight in parallel, and a
 * model waits with each call, so a call that would wait longer fails instead.
 */
const SLOTS = { slots: 64, slotsPerKey: 16, firstSlots: 64, waiting: 512, waitingPerKey: 64, waitMs: 10_000 };

/** Faults by status of failure; all others are `unavailable`. */
const FAULT_OF_STATUS: Readonly<Record<number, ExtensionFault['kind']>> = {
  401: 'refused',
  402: 'refused',
  403: 'refused',
  404: 'not-found',
  408: 'timed-out',
  413: 'too-large',
  429: 'busy',
  504: 'timed-out',
};

/**
 * Calls engines at the addresses that the operator configured. Redirects are not followed and compressed answers are
 * not read, so that no answer can make the gateway send its credential elsewhere or expand in memory. Each call has a
 * connection of its own, which an abort closes at any stage. No fault contains any part of a request, an answer or an
 * address, and an answer that repeats the credential is discarded. Safe to share.
 */
@Injectable()
export class EngineClients {
  private readonly slots = new FairSlots(SLOTS);

  /** @param proxies forward proxies of the calls; absent: all are direct */
  constructor(@Optional() private readonly proxies?: ForwardProxies) {}

  /** The client for calls of one key, which share the slots of that key. */
  open(keyHash: string): EngineClient {
    return { call: (call, signal, reached) => this.call(call, keyHash, signal, reached) };
  }

  private async call(
    call: EngineCall,
    keyHash: string,
    signal: CancelSignal,
    reached: (() => void) | undefined,
  ): Promise<Json> {
    const leave = await this.slots.enter(keyHash, signal);
    if (!leave) throw gatewayFull('Too many calls of engines are under way.');
    try {
      return await callInTime(call, this.proxies, signal, reached);
    } finally {
      leave();
    }
  }
}

async function callInTime(
  call: EngineCall,
  proxies: ForwardProxies | undefined,
  signal: CancelSignal,
  reached: (() => void) | undefined,
): Promise<Json> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  let mayBeBilled = false;
  const connected = (): void => {
    mayBeBilled = true;
    reached?.();
  };
  try {
    const answer = await send(call, proxies, AbortSignal.any([toAbortSignal(signal), deadline]), connected);
    // Callers read the answers of engines, and the credential is the operator's.
    const credential = call.engine.credential?.reveal() ?? '';
    if (credential.length >= CREDENTIAL_LENGTH_MIN && (await repeats(answer, credential))) {
      throw new ExtensionFault('unavailable', 'The engine repeated its credential in its answer.', { mayBeBilled });
    }
    return readJson(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ExtensionFault) throw error;
    if (deadline.aborted)
      throw new ExtensionFault('timed-out', `The engine did not answer within ${call.timeoutMs} ms.`, { mayBeBilled });
    // The original message would reveal the address.
    throw new ExtensionFault('unavailable', 'The engine could not be reached, or broke off its answer.', {
      mayBeBilled,
    });
  }
}

/** JSON may write any character as an escape: quotes have to be, and some writers escape slashes. */
const ESCAPE = /\\(?:(["\\/])|u00([2-7][\da-f]))/gi;
const ESCAPE_LENGTH = 6;

/** Whether an answer contains a credential of visible ASCII, in any JSON notation. */
async function repeats(answer: Buffer, credential: string): Promise<boolean> {
  if (answer.includes(credential)) return true;
  if (!answer.includes('\\')) return false;
  // One escape more, in the middle of which a piece may begin.
  const overlap = ESCAPE_LENGTH * (credential.length + 1);
  for (let start = 0; start < answer.length; start += PIECE) {
    if (start > 0) await yieldToEventLoop();
    const text = answer.subarray(start, start + PIECE + overlap).toString('latin1');
    if (text.replaceAll(ESCAPE, plainOf).includes(credential)) return true;
  }
  return false;
}

const plainOf = (_escape: string, plain: string | undefined, digits: string): string =>
  plain ?? String.fromCharCode(Number.parseInt(digits, 16));

/** @throws ExtensionFault, or the original error */
async function send(
  call: EngineCall,
  proxies: ForwardProxies | undefined,
  signal: AbortSignal,
  connected: () => void,
): Promise<Buffer> {
  const { baseUrl } = call.engine;
  if (baseUrl === undefined) throw new ExtensionFault('unavailable', 'The engine has no address.');
  const url = new URL(baseUrl + call.path);
  const body = call.body && (await printed(call.body));
  signal.throwIfAborted();
  const proxy = proxies?.of(url);
  let socket: Socket | undefined;
  const client = new Client(url.origin, {
    // Kept, because the client does not end a connection that is still being made.
    connect: connectorBy(proxy, { keep: (made) => (socket = made), connected }),
    maxHeaderSize: HEADER_BYTES_MAX,
    pipelining: 1,
    // The deadline of the whole call is the only time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const request = requestOf(url, call, body);
  const sent = proxy && url.protocol === 'http:' ? forwarded(request, url, proxy) : request;
  try {
    return await untilAborted(readResponse(client, sent, new BodyReader(call.bytesMax)), signal);
  } finally {
    // Closes the connection, whether all was read or not.
    client.destroy().catch(() => undefined);
    socket?.destroy();
  }
}

interface ConnectionWatch {
  /** Receives each socket as soon as it exists. */
  readonly keep: (socket: Socket) => void;
  /** Called when the engine is connected. */
  readonly connected: () => void;
}

function connectorBy(proxy: ForwardProxy | undefined, { keep, connected }: ConnectionWatch): buildConnector.connector {
  const build = buildConnector({ timeout: CONNECT_MS });
  const connect: buildConnector.connector = (options, callback) => {
    const done: buildConnector.Callback = (...outcome) => {
      if (!outcome[0]) connected();
      callback(...outcome);
    };
    const socket = build(options, done) as unknown as Socket;
    keep(socket);
    readInSlices(socket);
  };
  if (!proxy) return connect;
  return (options, callback) => {
    if (options.protocol === 'http:') return connect({ ...options, ...addressOf(proxy) }, callback);
    const carrier = connectToProxy(proxy);
    keep(carrier);
    openTunnel(carrier, proxy, { host: options.hostname, port: Number(options.port || 443) }).then(
      () => connect({ ...options, httpSocket: carrier }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** Printed in pieces where it is large, since it may contain a document. */
const printed = async (body: JsonObject): Promise<readonly Buffer[]> =>
  weigh(body, LARGE) < LARGE ? [Buffer.from(printJson(body))] : await printInSlices(body);

function requestOf(
  url: URL,
  { method, headers }: EngineCall,
  body: readonly Buffer[] | undefined,
): Dispatcher.DispatchOptions {
  return {
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'fairlead/1.0',
      ...(body && {
        'content-type': 'application/json',
        'content-length': String(body.reduce((sum, part) => sum + part.length, 0)),
      }),
      ...headers,
    },
    // Written part by part.
    ...(body && { body: body.length === 1 ? body[0]! : Readable.from(body) }),
  };
}

/** Collects the body of a success, up to its limit. */
class BodyReader implements ResponseReader<Buffer> {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly bytesMax: number) {}

  head(status: number, headers: ResponseHeaders): undefined {
    if (status !== 200) {
      throw new ExtensionFault(FAULT_OF_STATUS[status] ?? 'unavailable', `The engine answered with status ${status}.`);
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new ExtensionFault('unavailable', 'The engine answered with a compressed body.', { mayBeBilled: true });
    }
    if (Number(headers['content-length']) > this.bytesMax) throw this.tooLarge();
  }

  take(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length > this.bytesMax) throw this.tooLarge();
    this.chunks.push(Buffer.from(chunk));
  }

  end(): Buffer {
    return Buffer.concat(this.chunks);
  }

  private tooLarge(): ExtensionFault {
    const message = `The engine answered with more than ${this.bytesMax} bytes.`;
    return new ExtensionFault('too-large', message, { mayBeBilled: true });
  }
}

/** Yields to the event loop where the body is large. */
async function readJson(bytes: Buffer): Promise<Json> {
  try {
    return (await readJsonBody(bytes)) as Json;
  } catch {
    throw new ExtensionFault('unavailable', 'The engine answered with something else than JSON.', {
      mayBeBilled: true,
    });
  }
}
