import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Serve = (response: ServerResponse, request: IncomingMessage) => void;

/** A web site that answers by path. */
export interface WebServer {
  readonly origin: string;
  readonly port: number;
  /** The requested paths, in order. */
  readonly paths: string[];
  /** The number of open connections. */
  connections(): Promise<number>;
  /** Sets the answer of a path; returns its address. */
  at(path: string, serve: Serve): string;
  close(): Promise<void>;
}

/** @param host loopback address: 127.0.0.2 counts as public where a test allows it */
export async function startWebServer(host = '127.0.0.2'): Promise<WebServer> {
  const answers = new Map<string, Serve>();
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    paths.push(path);
    const serve = answers.get(path);
    if (serve) serve(response, request);
    else response.writeHead(404).end('none');
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host}:${port}`;
  return {
    origin,
    port,
    paths,
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    at: (path, serve) => {
      answers.set(path, serve);
      return origin + path;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A whole body at once, of a given type. */
export const whole =
  (mediaType: string, body: string | Buffer): Serve =>
  (response) =>
    response.writeHead(200, { 'content-type': mediaType }).end(body);

/** As fast as it is read, up to a number of bytes, without a declared length. */
export const flood =
  (mediaType: string, bytes: number): Serve =>
  (response) => {
    response.writeHead(200, { 'content-type': mediaType });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };

/** A little at a time, without end. */
export const trickle =
  (mediaType: string): Serve =>
  (response) => {
    response.writeHead(200, { 'content-type': mediaType });
    const timer = setInterval(() => response.write('x '), 10);
    response.on('close', () => clearInterval(timer));
  };

export const redirect =
  (location: string): Serve =>
  (response) =>
    response.writeHead(302, { location }).end();
