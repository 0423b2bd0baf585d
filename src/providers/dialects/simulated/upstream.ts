import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CancelSignal, toAbortSignal } from '../../../core/cancellation.js';
import { ProviderFault } from '../../../core/errors.js';
import type { OutgoingCall, UpstreamResponse } from '../../transport/transport.js';
import type { Message } from './answer.js';
import { BEHAVIOURS, unknownModel } from './behaviours.js';
import { TASKS } from './tasks.js';
import { readSandboxRequest, type SandboxRequest } from './sandbox-request.js';
import { countPieces, printMessage, printRefusal, streamMessage } from './wire.js';

/** Waits for a number of milliseconds, or throws when the signal is aborted. Tests pass one that does not wait. */
export type Pause = (ms: number, signal: CancelSignal) => Promise<void>;

const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * The sandbox's provider: serves the Messages format in this process, with a behaviour for each model name
 * (docs/operate/catalog.md#sandbox). It has the contract of a transport: it answers in bytes, and an abort ends it at
 * any stage with the signal's own reason. Equal calls have equal answers. Safe to share.
 */
export class SimulatedUpstream {
  constructor(
    private readonly pause: Pause = (ms, signal) => delay(ms, undefined, { signal: toAbortSignal(signal) }),
  ) {}

  async open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse> {
    signal.throwIfAborted();
    call.onSent?.();
    const body = typeof call.body === 'string' ? call.body : Buffer.concat(call.body).toString('utf8');
    const task = Object.keys(TASKS).find((path) => call.url.endsWith(path));
    if (task) return response(200, JSON_TYPE, once(TASKS[task]!(body), signal));
    const request = readSandboxRequest(body);
    const behaviour = Object.hasOwn(BEHAVIOURS, request.model) ? BEHAVIOURS[request.model] : undefined;
    const answer = (behaviour ?? unknownModel)(request);
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 24);
    switch (answer.kind) {
      case 'silent':
        return aborted(signal);
      case 'refusal': {
        const requestId = `req_${digest}`;
        const headers = { ...JSON_TYPE, 'request-id': requestId, ...answer.headers };
        return response(answer.status, headers, once(printRefusal(answer, requestId), signal));
      }
      case 'message': {
        const id = `msg_${digest}`;
        if (call.stream)
          return response(200, { 'content-type': 'text/event-stream' }, this.play(answer, request, id, signal));
        if (answer.delays)
          await this.rest(answer.delays.firstMs + answer.delays.nextMs * (countPieces(answer) - 1), signal);
        return response(200, JSON_TYPE, once(printMessage(answer, request, id), signal));
      }
    }
  }

  private async *play(
    message: Message,
    request: SandboxRequest,
    id: string,
    signal: CancelSignal,
  ): AsyncGenerator<readonly Uint8Array[], void, undefined> {
    let waitMs = message.delays?.firstMs;
    for (const { text, isPiece } of streamMessage(message, request, id)) {
      if (isPiece && message.delays) {
        await this.rest(waitMs ?? 0, signal);
        waitMs = message.delays.nextMs;
      }
      signal.throwIfAborted();
      yield [Buffer.from(text)];
    }
  }

  private async rest(ms: number, signal: CancelSignal): Promise<void> {
    try {
      await this.pause(ms, signal);
    } catch (error) {
      // Timers throw an error of their own; the abort's own reason is thrown instead.
      signal.throwIfAborted();
      throw error;
    }
  }
}

function response(
  status: number,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncIterable<readonly Uint8Array[]>,
): UpstreamResponse {
  return { status, headers, chunks, read: (bytesMax) => readAll(chunks, bytesMax) };
}

async function* once(text: string, signal: CancelSignal): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  signal.throwIfAborted();
  yield [Buffer.from(text)];
}

async function readAll(chunks: AsyncIterable<readonly Uint8Array[]>, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const batch of chunks) {
    for (const part of batch) {
      size += part.length;
      if (size > bytesMax) throw new ProviderFault('malformed-reply', `The reply is larger than ${bytesMax} bytes.`);
      parts.push(part);
    }
  }
  return Buffer.concat(parts, size);
}

/** Never answers: rejects once the signal is aborted. */
function aborted(signal: CancelSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
