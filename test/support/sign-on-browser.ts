import { CONSOLE_HEADERS, sendByConsole } from './console-session.js';
import type { RawResponse } from './raw-client.js';

/** A browser that signs in by an issuer: it sends what the page of the console sends, and keeps its cookie. */
export class SignOnBrowser {
  /** Cookie of the sign-ins that the browser has begun. */
  cookie: string | undefined;

  /**
   * @param gateway its origin, as the browser has it
   * @param at where its requests arrive: one of several replicas
   */
  constructor(
    private readonly gateway: string,
    private readonly at = gateway,
  ) {}

  /** The browser, with requests that arrive at another replica. */
  movedTo(replica: string): SignOnBrowser {
    const browser = new SignOnBrowser(this.gateway, replica);
    browser.cookie = this.cookie;
    return browser;
  }

  get address(): string {
    return `${this.gateway}/console/oidc`;
  }

  async begin(body: object = { address: this.address }): Promise<RawResponse> {
    const reply = await this.send('/console/oidc', body);
    const cookie = /__Host-fairlead-sign-on=[\w-]{43}/.exec(reply.headers['set-cookie'] ?? '')?.[0];
    if (cookie !== undefined) this.cookie = cookie;
    return reply;
  }

  /** @param answer where the issuer led the browser */
  finish(answer: URL): Promise<RawResponse> {
    return this.send('/console/session', { address: this.address, answer: answer.search.slice(1) });
  }

  private send(path: string, body: object): Promise<RawResponse> {
    const headers = { ...CONSOLE_HEADERS, origin: this.gateway };
    return sendByConsole({ origin: this.at }, { method: 'POST', path, cookie: this.cookie, headers, body });
  }
}
