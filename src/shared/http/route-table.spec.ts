// Goal: the table finds for an address the routes that Express finds. Method: a table and an Express application with
// the same routes, called with the same addresses.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { RouteTable } from './route-table.js';

const ROUTES = [
  ['GET', '/api/v1/keys'],
  ['POST', '/api/v1/keys'],
  ['GET', '/api/v1/keys/:hash'],
  ['DELETE', '/api/v1/keys/:hash'],
  ['POST', '/api/v1/keys/:hash/rotate'],
  ['GET', '/api/v1/models/:author/:slug/endpoints'],
  ['GET', '/'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/docs/*path'],
] as const;

const table = new RouteTable();
for (const [method, path] of ROUTES) table.add(method, path);

it('finds the routes that Express finds', async () => {
  const app = express();
  for (const [method, path] of ROUTES) {
    app[method.toLowerCase() as 'get'](path, (_request, response) => void response.json(method));
  }
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const addresses = [
    '/api/v1/keys',
    '/api/v1/KEYS/',
    '/api/v1/keys//',
    '/api/v1/keys/a',
    '/api/v1/keys/a%2Fb',
    '/api/v1/keys/a/',
  ];
  const others = [
    '/api/v1/keys/a/b',
    '/api/v1/keys/a/rotate',
    '/',
    '//',
    '/openapi.json',
    '/openapixjson',
    '/api',
    '/api/v1/keysx',
    '/docs/',
    '/docs//',
    '/docs/use/tools/bash',
    '/docs/use/',
    '/docs/a//b',
  ];
  for (const address of [...addresses, ...others]) {
    const found: string[] = [];
    for (const method of ['DELETE', 'GET', 'POST']) {
      const reply = await fetch(`http://127.0.0.1:${port}${address}`, { method });
      await reply.arrayBuffer();
      if (reply.ok) found.push(method);
    }
    expect([address, table.at(address, 'GET').methods]).toEqual([address, found]);
  }
  server.closeAllConnections();
  server.close();
});

it('names the pattern of an address, and routes below it with the requested method', () => {
  expect(table.at('/api/v1/keys/rotate', 'POST')).toEqual({
    methods: ['DELETE', 'GET'],
    pattern: '/api/v1/keys/{hash}',
    below: ['/api/v1/keys/{hash}/rotate'],
  });
  expect(table.at('/nowhere', 'POST')).toEqual({ methods: [], pattern: '/nowhere', below: [] });
  expect(table.patterns('POST')).toEqual(['/api/v1/keys', '/api/v1/keys/{hash}/rotate']);
});

it.each(['/a/*rest/b', '/a{/b}', '/a/(b)'])('refuses %s, which it would not match as Express does', (path) => {
  expect(() => table.add('GET', path)).toThrow(TypeError);
});
