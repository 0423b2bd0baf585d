import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { PicoUsd } from '../../src/core/money/credits.js';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { UpstreamCall } from './evidence.js';

/**
 * 10⁻¹² USD per token, which is millionths of a USD per million. All differ, so that no two classes can be confused.
 */
const PRICES = { prompt: 3_141_593n, completion: 15_707_963n, cacheRead: 314_159n, cacheWrite: 3_926_991n } as const;
const perMillion = (price: PicoUsd): string => (Number(price) / 1e6).toFixed(6);

/** Prices in the form of a catalog. */
export const PRICING = {
  prompt: perMillion(PRICES.prompt),
  completion: perMillion(PRICES.completion),
  input_cache_read: perMillion(PRICES.cacheRead),
  input_cache_write: perMillion(PRICES.cacheWrite),
};

/** Limit of prompt tokens of each class by this upstream's own count. `promptOf` must be bound at more. */
const INPUT_TOKENS_MAX = 80;
export const OUTPUT_TOKENS_MAX = 200;
const FILLER = 'What follows is here to be long enough that no count of tokens exceeds its bound. '.repeat(5);

/** The prompt that carries a marker. Some 430 characters, bound at 279 tokens. */
export const promptOf = (marker: string): string => `call ${marker}. ${FILLER}`;
const MARKER = /call ([\w-]+)\. /;

const REFUSED_SHARE = 0.03;
/** Milliseconds. */
const FIRST_WORD = { min: 0, max: 30 };
const BETWEEN_WORDS = { min: 0, max: 15 };
const WORDS = { min: 1, max: 6 };
/** The share of streams that take longer, so that a gateway has stored something of them when it is killed. */
const SLOW = { share: 0.15, factor: 15 };

interface Counted {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** A loopback provider with the Messages format that keeps its own count of calls. */
export class CountingUpstream {
  /** The calls of each marker, in order of arrival. */
  readonly calls = new Map<string, UpstreamCall[]>();
  private readonly waiting = new Map<string, () => void>();
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // The calling process may be dead by now.
    this.serve(request, response).catch(() => response.destroy());
  });

  constructor(private readonly random: SeededRandom) {}

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** Resolves when it receives the first call of a marker. One waits for each. */
  called(marker: string): Promise<void> {
    if (this.calls.has(marker)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(marker, resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const text = await readText(request);
    const marker = MARKER.exec(text)?.[1];
    if (marker === undefined) throw new Error('A call without a marker');
    const { max_tokens: tokensMax, stream } = JSON.parse(text) as { max_tokens: number; stream?: boolean };

    const calls = this.calls.get(marker) ?? [];
    this.calls.set(marker, calls);
    const subject = `${marker} ${calls.length}`;
    const isRefused = this.random.chance(subject, 'refused') < REFUSED_SHARE;
    const counted = this.count(subject, tokensMax);
    calls.push({ isRefused, cost: costOf(counted) });
    this.waiting.get(marker)?.();
    this.waiting.delete(marker);

    await delay(this.random.between(FIRST_WORD, subject, 'first word'));
    if (isRefused)
      sendJson(response, 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    else if (stream) await this.sendStream(response, subject, counted);
    else {
      await delay(this.random.between(BETWEEN_WORDS, subject, 'body'));
      sendJson(response, 200, message(textOf(counted.output), 'end_turn', counted));
    }
  }

  private count(subject: string, tokensMax: number): Counted {
    const some = (what: string, max: number): number => this.random.whole({ min: 1, max }, subject, what);
    return {
      input: some('input', INPUT_TOKENS_MAX),
      cacheRead: some('cache read', INPUT_TOKENS_MAX),
      cacheWrite: some('cache write', INPUT_TOKENS_MAX),
      output: some('output', tokensMax),
    };
  }

  private async sendStream(response: ServerResponse, subject: string, counted: Counted): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const start = { ...counted, output: 1 };
    response.write(
      frame('message_start', { message: message('', null, start) }) +
        frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    );
    const words = Math.min(counted.output, this.random.whole(WORDS, subject, 'words'));
    const slowness = this.random.chance(subject, 'slow') < SLOW.share ? SLOW.factor : 1;
    for (let word = 0; word < words; word++) {
      await delay(slowness * this.random.between(BETWEEN_WORDS, subject, `word ${word}`));
      const text = textOf(Math.floor(counted.output / words));
      response.write(frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }));
    }
    response.end(
      frame('content_block_stop', { index: 0 }) +
        frame('message_delta', {
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: counted.output },
        }) +
        frame('message_stop', {}),
    );
  }
}

/** The most characters that are no more than these tokens, by any estimate of four characters per token. */
const textOf = (tokens: number): string => 'abc '.repeat(tokens);

const costOf = ({ input, cacheRead, cacheWrite, output }: Counted): PicoUsd =>
  BigInt(input) * PRICES.prompt +
  BigInt(cacheRead) * PRICES.cacheRead +
  BigInt(cacheWrite) * PRICES.cacheWrite +
  BigInt(output) * PRICES.completion;

const message = (
  text: string,
  stopReason: string | null,
  { input, cacheRead, cacheWrite, output }: Counted,
): object => ({
  id: 'msg_loopback',
  type: 'message',
  role: 'assistant',
  model: 'loopback',
  content: text === '' ? [] : [{ type: 'text', text }],
  stop_reason: stopReason,
  stop_sequence: null,
  usage: {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  },
});

const frame = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
