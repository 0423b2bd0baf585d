import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { systemCode } from '../shared/database/system-code.js';
import { KeyServiceUnavailable, Undecryptable } from './key-service.js';

/** Time limits of a service. A caller waits at most for two tries and the pause between them. */
export interface CallLimits {
  readonly connectMs: number;
  /** Milliseconds of one try, from the connection to the last byte. */
  readonly tryMs: number;
  readonly pauseMs: number;
}

const LIMITS: CallLimits = { connectMs: 1_000, tryMs: 2_000, pauseMs: 100 };
const TRIES_MAX = 2;
const REPLY_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 8;

export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The body as JSON; undefined where it is none. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** The meaning of an unsuccessful reply. `reason` is one of a closed list of the service's own codes, or absent. */
export type Meaning = { readonly undecryptable: true } | { readonly again: boolean; readonly reason?: string };

/**
 * POSTs JSON to an external service. Redirects are not followed, so that keys and tokens reach only the address of the
 * settings. Messages contain no part of a reply, an address or a request. Safe to share.
 */
export class ExternalCall {
  private readonly limits: CallLimits;
  /** Private to the runtime too: its connections hold requests. */
  readonly #agent: Agent;

  /** @param service its name in messages */
  constructor(
    private readonly service: string,
    limits: Partial<CallLimits> = {},
  ) {
    this.limits = { ...LIMITS, ...limits };
    this.#agent = new Agent({ connect: { timeout: this.limits.connectMs }, connections: CONNECTIONS_MAX });
  }

  /**
   * @param build called for each try, because signatures contain the time
   * @throws Undecryptable, KeyServiceUnavailable
   */
  async send(build: () => Call, meaningOf: (reply: Reply) => Meaning): Promise<unknown> {
    for (let tried = 1; ; tried++) {
      const outcome = await this.try(build());
      if (typeof outcome !== 'string' && outcome.status === 200) return outcome.body;
      const meaning: Meaning = typeof outcome === 'string' ? { again: true } : meaningOf(outcome);
      if ('undecryptable' in meaning) throw new Undecryptable(`${this.service} does not open the stored bytes.`);
      if (!meaning.again || tried === TRIES_MAX) throw this.unavailable(outcome, meaning.reason);
      await pause(this.limits.pauseMs);
    }
  }

  /** The error for a successful reply without the expected contents. */
  malformed(): KeyServiceUnavailable {
    return new KeyServiceUnavailable(`${this.service} answers with something else than a key.`);
  }

  /** @returns the reply, or the error code where there is none */
  private async try({ url, headers, body }: Call): Promise<Reply | string> {
    try {
      const signal = AbortSignal.timeout(this.limits.tryMs);
      const reply = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        dispatcher: this.#agent,
        signal,
      });
      return { status: reply.statusCode, body: await readJson(reply.body) };
    } catch (error) {
      // Codes are those of the runtime and of the client: they state the cause, and reveal no address or contents.
      return systemCode(error) ?? 'time-out';
    }
  }

  private unavailable(outcome: Reply | string, reason: string | undefined): KeyServiceUnavailable {
    if (typeof outcome === 'string') return new KeyServiceUnavailable(`${this.service} does not answer (${outcome}).`);
    const named = reason === undefined ? '' : `, ${reason}`;
    return new KeyServiceUnavailable(`${this.service} refuses this process (status ${outcome.status}${named}).`);
  }
}

async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      bytes += part.length;
      // Leaving the loop closes the connection, which some bodies treat as a failure.
      if (bytes > REPLY_BYTES_MAX) return undefined;
      parts.push(part);
    }
  } catch (error) {
    if (bytes > REPLY_BYTES_MAX) return undefined;
    throw error;
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    return undefined;
  }
}

/** A string member of a reply, if the reply is an object that has it. */
export function textOf(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name);
  return typeof value === 'string' ? value : undefined;
}

export const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;

/** Standard base64 and nothing else; undefined for any other text. */
export function bytesOf(base64: string | undefined): Buffer | undefined {
  const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  return bytes && bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : undefined;
}
