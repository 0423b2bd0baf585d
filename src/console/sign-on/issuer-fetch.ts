import type { CustomFetch } from 'openid-client';
import { Agent, ProxyAgent, request } from 'undici';
import { systemCode } from '../../shared/database/system-code.js';
import type { ForwardProxies, ForwardProxy } from '../../shared/http/client/forward-proxies.js';

const CONNECT_MS = 3_000;
/** Milliseconds of one request, to the last byte. A sign-in makes four at most. */
const REQUEST_MS = 5_000;
/** Limit of an answer: an ID token with 10,000 groups has half of it. */
const REPLY_BYTES_MAX = 1024 * 1024;

/** The issuer gave no answer that can be read. The reason contains no address and nothing of the answer. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable';
}

/**
 * Calls the addresses of the issuer, which are the operator's: any, but within time and size, without redirects, each
 * with a separate connection.
 * @param proxies of the calls of this gateway
 */
export function issuerFetch(proxies: ForwardProxies): CustomFetch {
  return async (address, { method, headers, body }) => {
    const proxy = proxies.of(new URL(address));
    const dispatcher = proxy ? proxied(proxy) : new Agent({ connect: { timeout: CONNECT_MS } });
    try {
      const reply = await request(address, {
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        body: body === undefined || body === null ? null : String(body as string | URLSearchParams),
        dispatcher,
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const text = await readText(reply.body);
      const type = reply.headers['content-type'];
      return new Response(text, {
        status: reply.statusCode,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      });
    } catch (error) {
      throw error instanceof IssuerUnreachable ? error : new IssuerUnreachable(systemCode(error) ?? 'time-out');
    } finally {
      dispatcher.destroy().catch(() => undefined);
    }
  };
}

const proxied = ({ isSecure, host, port, authorization }: ForwardProxy): ProxyAgent =>
  new ProxyAgent({
    uri: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(authorization !== undefined && { token: authorization }),
    connect: { timeout: CONNECT_MS },
  });

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > REPLY_BYTES_MAX) throw new IssuerUnreachable('too large an answer');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
