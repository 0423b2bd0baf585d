import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { json, type Script } from '../upstream-answers.js';

/** The web as an engine sees it in a test: pages, or the status of a page's server. */
export type KnownPages = Readonly<Record<string, { readonly title: string; readonly text: string } | number>>;

type Body = Readonly<Record<string, unknown>>;

/** One engine's published API for pages: its refusals and answers. */
export interface PageEngineApi {
  readonly path: string;
  /** The header of the credential, and its form. */
  readonly credential: readonly [header: string, value: (key: string) => string];
  /** Further required headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status for an invalid body. */
  readonly invalidStatus: number;
  /** The body of a refusal. */
  readonly refusal: (status: number, message: string) => unknown;
  /** The keys of a body that it knows. */
  readonly known: readonly string[];
  /** @returns the fault of a body */
  fault(body: Body): string | undefined;
  answer(body: Body, pages: KnownPages): { readonly status: number; readonly body: unknown };
}

export interface PageEngine {
  readonly baseUrl: string;
  readonly bodies: Body[];
  /** Answers with this from now on, instead of the API. */
  instead: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

export const ENGINE_KEY = 'engine-key';

/** Listens on loopback in place of the engine. */
export async function startPageEngine(api: PageEngineApi, pages: KnownPages): Promise<PageEngine> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as Body;
      engine.bodies.push(body);
      const { status, body: answer } = engine.instead ?? judge(api, request.url, request.headers, body, pages);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const engine: PageEngine = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: [],
    instead: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return engine;
}

/** `page` as the script of a server that reports each request: to test its connections. */
export const pageScript =
  (api: PageEngineApi, pages: KnownPages): Script =>
  ({ path, headers, json: body }) => {
    const { status, body: answer } = judge(api, path, headers, body, pages);
    return json(answer, status);
  };

function judge(
  api: PageEngineApi,
  path: string | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Body,
  pages: KnownPages,
): { readonly status: number; readonly body: unknown } {
  const [header, value] = api.credential;
  const refuse = (status: number, message: string) => ({ status, body: api.refusal(status, message) });
  if (path !== api.path) return refuse(404, 'There is no such address.');
  if (headers[header] !== value(ENGINE_KEY)) return refuse(401, 'The key is missing or wrong.');
  for (const [name, wanted] of Object.entries(api.headers ?? {})) {
    if (headers[name] !== wanted) return refuse(api.invalidStatus, `${name}: must be ${wanted}`);
  }
  const unknown = Object.keys(body).find((key) => !api.known.includes(key));
  const fault = unknown === undefined ? api.fault(body) : `${unknown} is not known`;
  return fault === undefined ? api.answer(body, pages) : refuse(api.invalidStatus, fault);
}

/** The fault of a list of addresses. */
export function urlsFault(urls: unknown, max: number): string | undefined {
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > max) return 'urls: wrong number';
  return urls.every((url) => typeof url === 'string' && URL.canParse(url)) ? undefined : 'urls: no address';
}
