import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Serve = (response: ServerResponse, request: IncomingMessage) => void;

/** A site of the web, which answers by path. */
export interface WebServer {
  readonly origin: string;
  readonly port: number;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** Has a path answered so; its address. */
  at(path: string, serve: Serve): string;
  close(): Promise<void>;
}

/** @param host loopback address: 127.0.0.2 stands for what is public where a test allows it */
export async function startWebServer(host = '127.0.0.2'): Promise<WebServer> {
  const paths = new Map<string, Serve>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    asked.push(path);
    const serve = paths.get(path);
    if (serve) serve(response, request);
    else response.writeHead(404).end('none');
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host}:${port}`;
  return {
    origin,
    port,
    asked,
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    at: (path, serve) => {
      paths.set(path, serve);
      return origin + path;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** All of a body at once, of a kind. */
export const whole =
  (mediaType: string, body: string | Buffer): Serve =>
  (response) =>
    response.writeHead(200, { 'content-type': mediaType }).end(body);

/** As fast as it is read, until so many bytes have come, without saying how many there are. */
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

/** A little now and then, for ever. */
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
