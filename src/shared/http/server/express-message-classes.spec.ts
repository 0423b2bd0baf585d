// A request and its reply have the prototypes of Express from their creation, separately for each application. Two
// applications on real servers that report what their handlers see.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { adoptMessageClasses, makeMessageClasses } from './express-message-classes.js';

interface Seen {
  readonly keptPrototypes: readonly boolean[];
  readonly app: unknown;
  readonly path: string;
}

async function serve(): Promise<{ ask: () => Promise<Seen>; close: () => void; app: object }> {
  const app = express();
  const messages = makeMessageClasses();
  adoptMessageClasses(app, messages);
  let seen: Seen | undefined;
  const born = new WeakMap<object, unknown>();
  app.get('/path', (request: Request, response: Response) => {
    const keptPrototypes = [request, response].map((one) => born.get(one) === Object.getPrototypeOf(one));
    seen = { keptPrototypes, app: request.app, path: request.path };
    response.json({});
  });
  const server = createServer(messages, (request: IncomingMessage, response: ServerResponse) => {
    for (const one of [request, response]) born.set(one, Object.getPrototypeOf(one));
    app(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    app,
    ask: async () => {
      await (await fetch(`http://127.0.0.1:${port}/path?query`)).arrayBuffer();
      return seen!;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('keeps the prototypes that requests and replies are created with, those of their own application', async () => {
  const one = await serve();
  const other = await serve();
  for (const { ask, app } of [one, other]) {
    expect(await ask()).toEqual({ keptPrototypes: [true, true], app, path: '/path' });
  }
  one.close();
  other.close();
});
