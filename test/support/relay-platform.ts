import { createHmac } from 'node:crypto';
import { Cancellation } from '../../src/core/cancellation.js';
import { ProviderFault, type FaultKind } from '../../src/core/errors.js';
import type { CallContext, CallHeaders, Platform, PrintedBody, PrintedCall } from '../../src/core/platform.js';
import type { Target, UpstreamCall, UpstreamFailure } from '../../src/core/provider.js';
import type { Secret } from '../../src/core/secret.js';
import type { SseFrame } from '../../src/core/stream/sse.js';
import type { StreamStage } from '../../src/core/stream/stream-stage.js';
import type { PlatformDependencies } from '../../src/providers/platforms/dependencies.js';

/** The credential, as JSON. */
export interface RelayAccount {
  readonly project: string;
  readonly region: string;
  readonly secret: string;
}

interface RelayToken {
  readonly text: Promise<string>;
  /** Infinite while it is being fetched. */
  expiresAtMs: number;
}

export const RELAY_STREAM = 'application/x-relay-frames';
const REPLY_BYTES_MAX = 10_000;
const FRAME_BYTES_MAX = 1024 * 1024;
const HEAD_BYTES = 5;

const KIND_OF_EXCEPTION: Readonly<Record<string, FaultKind>> = {
  throttled: 'rate-limited',
  'model-timed-out': 'timed-out',
};

/**
 * A fictitious cloud that uses everything a platform may need: a credential with parts, an address made of region,
 * project and model, a separate body form, a token that is fetched and kept, a signature over the printed body,
 * binary frames.
 */
export class RelayPlatform implements Platform {
  private readonly tokens = new Map<string, RelayToken>();

  constructor(private readonly means: PlatformDependencies) {}

  /** The address contains the model. */
  adapt({ body, ...call }: UpstreamCall, _target: Target): UpstreamCall {
    const { model: _model, ...rest } = body as Readonly<Record<string, unknown>>;
    return { ...call, body: { relay_version: 1, ...rest } };
  }

  address({ target, credential }: CallContext, { path, stream }: UpstreamCall): string {
    const { project, region } = readAccount(credential);
    const { provider, upstreamModel } = target.endpoint;
    const verb = path.endsWith('/count_tokens') ? 'count' : stream ? 'stream' : 'answer';
    const base = provider.baseUrl.replace('{region}', region);
    return `${base}/projects/${project}/models/${encodeURIComponent(upstreamModel)}:${verb}`;
  }

  async authorise({ credential }: CallContext, call: PrintedCall): Promise<CallHeaders> {
    const account = readAccount(credential);
    const { host, pathname, origin } = new URL(call.url);
    const token = await this.tokenFor(account, origin);
    return {
      host,
      'content-length': '1',
      accept: `${RELAY_STREAM}, application/json`,
      authorization: `Relay ${token}`,
      'x-relay-signature': signRelay(account.secret, host, pathname, call.body),
    };
  }

  frames({ 'content-type': type }: UpstreamFailure['headers']): StreamStage<Uint8Array, SseFrame> | undefined {
    return type === RELAY_STREAM ? new RelayFrames() : undefined;
  }

  fault({ status, headers, body }: UpstreamFailure, { credential }: CallContext): ProviderFault | undefined {
    if (headers['x-relay-error'] === undefined) return undefined;
    this.tokens.delete(readAccount(credential).secret);
    return new ProviderFault('refused-credential', body, { status });
  }

  /** One token for all waiting callers: none of their signals ends it. */
  private tokenFor(account: RelayAccount, origin: string): Promise<string> {
    const { clock } = this.means;
    const kept = this.tokens.get(account.secret);
    if (kept && kept.expiresAtMs > clock.now()) return kept.text;
    const fetching = this.fetchToken(account, origin);
    const token: RelayToken = { text: fetching.then(({ token: text }) => text), expiresAtMs: Infinity };
    this.tokens.set(account.secret, token);
    fetching.then(
      ({ seconds }) => (token.expiresAtMs = clock.now() + seconds * 1000),
      () => this.tokens.delete(account.secret),
    );
    return token.text;
  }

  private async fetchToken({ secret }: RelayAccount, origin: string): Promise<{ token: string; seconds: number }> {
    const call = {
      url: `${origin}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
      stream: false,
      connectTimeoutMs: 1_000,
      idleTimeoutMs: 1_000,
    };
    const response = await this.means.transport.open(call, new Cancellation());
    const text = (await response.read(REPLY_BYTES_MAX)).toString();
    if (response.status !== 200) throw new ProviderFault('refused-credential', text, { status: response.status });
    return JSON.parse(text) as { token: string; seconds: number };
  }
}

export function signRelay(secret: string, host: string, path: string, body: PrintedBody): string {
  const mac = createHmac('sha256', secret).update(`${host}${path}\n`);
  for (const part of typeof body === 'string' ? [body] : body) mac.update(part);
  return mac.digest('hex');
}

/** One frame: four bytes of length, a byte of kind, the payload. */
export function relayFrame(kind: 'event' | 'exception', payload: string): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(bytes.length);
  head[4] = kind === 'event' ? 0 : 1;
  return Buffer.concat([head, bytes]);
}

/** The payload of an event is the event's name, a line feed and its data. */
class RelayFrames implements StreamStage<Uint8Array, SseFrame> {
  private rest: Buffer = Buffer.alloc(0);

  push(chunk: Uint8Array, out: SseFrame[]): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    while (this.rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + this.rest.readUInt32BE();
      if (end > FRAME_BYTES_MAX) throw new ProviderFault('malformed-reply', 'A frame is too long.');
      if (this.rest.length < end) return;
      const text = this.rest.toString('utf8', HEAD_BYTES, end);
      const isException = this.rest[4] === 1;
      this.rest = this.rest.subarray(end);
      const line = text.indexOf('\n');
      const [name, data] = [text.slice(0, line), text.slice(line + 1)];
      if (isException) throw new ProviderFault(KIND_OF_EXCEPTION[name] ?? 'server-error', data);
      out.push({ event: name, data });
    }
  }

  end(): void {
    if (this.rest.length > 0) throw new ProviderFault('malformed-reply', 'The stream was cut within a frame.');
  }
}

function readAccount(credential: Secret | undefined): RelayAccount {
  try {
    const account: unknown = JSON.parse(credential?.reveal() ?? '');
    if (typeof account === 'object' && account !== null && 'secret' in account) return account as RelayAccount;
  } catch {
    // The text of the failure would contain the credential.
  }
  throw new ProviderFault('refused-credential', 'The credential is no account of the relay.');
}
