import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { parseUrl } from '../../core/parse-url.js';
import type { Secret } from '../../core/secret.js';
import { ImportRefused } from '../import-refused.js';

const TIMEOUT_MS = 30_000;
const PAGE = 100;
/** Pages that are read of a list at most. */
const PAGES_MAX = 1_000;
const MESSAGE_CHARACTERS_MAX = 300;

/** A body that the gateway refused for its content; the message is the gateway's. */
export class RefusedBody extends ImportRefused {}

/** The management routes of a running gateway. */
export class ManagementClient {
  private readonly base: string;

  /**
   * @param address of the gateway, with or without `/api/v1`
   * @throws ImportRefused for what is no address
   */
  constructor(
    address: string,
    private readonly key: Secret,
    private readonly signal?: AbortSignal,
  ) {
    const url = parseUrl(address);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '')
      throw new ImportRefused('--to must be an http or https address without credentials');
    this.base = `${url.origin}${url.pathname.replace(/(?:\/api)?(?:\/v1)?\/*$/, '')}/api/v1`;
  }

  /** Every entry of a paginated list. */
  async list(path: string): Promise<readonly JsonObject[]> {
    const entries: JsonObject[] = [];
    for (let page = 0; page < PAGES_MAX; page++) {
      const { data } = await this.call('GET', `${path}limit=${PAGE}&offset=${entries.length}`);
      const part = Array.isArray(data) ? data.filter((entry) => isJsonObject(entry)) : [];
      entries.push(...part);
      if (part.length < PAGE) break;
    }
    return entries;
  }

  /**
   * @throws RefusedBody for a 400 and 422
   * @throws ImportRefused for anything else that is no success
   */
  async call(method: string, path: string, body?: object): Promise<JsonObject> {
    const response = await this.send(method, path, body);
    const reply: unknown = await response.json().catch(() => undefined);
    if (response.ok && isJsonObject(reply)) return reply;
    const error = isJsonObject(reply) && isJsonObject(reply['error']) ? reply['error']['message'] : undefined;
    const message =
      `${response.status} ${typeof error === 'string' ? error.slice(0, MESSAGE_CHARACTERS_MAX) : ''}`.trim();
    if (response.status === 400 || response.status === 422) throw new RefusedBody(message);
    throw new ImportRefused(`${method} ${this.base}${path.split('?')[0]} answered ${message}`);
  }

  private async send(method: string, path: string, body: object | undefined): Promise<Response> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await fetch(this.base + path, {
        method,
        headers: { authorization: `Bearer ${this.key.reveal()}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        // The key must not be sent to any other address than the operator's.
        redirect: 'error',
        signal: this.signal ? AbortSignal.any([this.signal, timeout]) : timeout,
      });
    } catch (error) {
      throw new ImportRefused(`${this.base} cannot be reached`, { cause: error });
    }
  }
}
