// Failures between this command and a gateway are reported: a key that could not be disabled, a gateway that redirects
// the management key. The gateway is a scripted server on a loopback port.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret } from '../../core/secret.js';
import type { Note } from '../remark.js';
import { importOpenrouter } from './import-openrouter.js';
import { ManagementClient } from './management-client.js';

const KEY = 'a-management-key';

describe('a gateway that fails', () => {
  let server: Server;
  let answer: (call: string, response: ServerResponse) => void;
  const calls: string[] = [];
  const printed: object[] = [];
  const noted: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const call = `${request.method} ${request.url!.split('?')[0]}`;
      calls.push(call);
      request.resume().on('end', () => answer(call, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => [calls, printed, noted].forEach((list) => (list.length = 0)));

  const reply = (response: ServerResponse, status: number, body: object): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(body));

  function run(): Promise<void> {
    const note: Note = (group, location, message) => void noted.push(`${group} ${location}: ${message}`);
    const { port } = server.address() as AddressInfo;
    const client = new ManagementClient(`http://127.0.0.1:${port}/api`, new Secret(KEY));
    const fields = { hash: 'old', name: 'app', disabled: true, limit: 5, usage: 1 };
    const keys = [{ location: 'keys.json.0', hash: 'old', fields }];
    const print = (line: object): void => void printed.push(line);
    return importOpenrouter({ keys, credentials: [] }, { client, again: false, now: 0, print, note });
  }

  it('to disable a key has created it: the key is reported, and that it is enabled', async () => {
    answer = (call, response) => {
      if (call.startsWith('GET')) reply(response, 200, { data: [] });
      else if (call.startsWith('POST')) reply(response, 201, { key: 'sk-new', data: { hash: 'new' } });
      else reply(response, 500, { error: { message: 'Something broke.' } });
    };
    await expect(run()).rejects.toThrow(
      /^keys\.json\.0 \(app\) was made and could not be switched off: PATCH \S+\/keys\/new answered 500 Something broke\.$/,
    );
    expect(printed).toEqual([{ name: 'app', hash: 'new', key: 'sk-new' }]);
    expect(noted.splice(0)).toEqual([
      'assumed keys.json.0 (app): has its whole limit again: the 1 USD it has spent are not carried over',
    ]);
    expect(calls).toEqual([
      'GET /api/v1/workspaces',
      'GET /api/v1/keys',
      'POST /api/v1/keys',
      'PATCH /api/v1/keys/new',
    ]);

    // The next run finds the key: it is left unchanged and reported again.
    answer = (call, response) =>
      reply(response, 200, { data: call.endsWith('keys') ? [{ name: 'app', hash: 'new', disabled: false }] : [] });
    await run();
    expect(noted).toEqual([
      'left-out keys.json.0 (app): is there already, by its name, and is on although the exported one is off: --again makes another',
    ]);
  });

  it('by redirecting is not followed', async () => {
    answer = (_, response) => void response.writeHead(307, { location: '/elsewhere', connection: 'close' }).end();
    await expect(run()).rejects.toThrow(/cannot be reached$/);
    expect(calls).toEqual(['GET /api/v1/workspaces']);
  });

  it.each([
    [
      'no JSON',
      (response: ServerResponse) => response.writeHead(200, { connection: 'close' }).end('<html>'),
      /answered 200$/,
    ],
    ['no key', (response: ServerResponse) => reply(response, 201, { data: {} }), /the gateway answered no key$/],
  ])('with %s ends it', async (_, send, message) => {
    answer = (call, response) => {
      if (call.startsWith('GET')) reply(response, 200, { data: [] });
      else send(response);
    };
    await expect(run()).rejects.toThrow(message);
    expect(printed).toEqual([]);
  });

  it('by refusing one body is reported, and the import continues', async () => {
    answer = (call, response) => {
      if (call.startsWith('GET')) reply(response, 200, { data: [] });
      else reply(response, 400, { error: { message: 'limit: must be at least 0' } });
    };
    await run();
    expect(noted).toEqual(['left-out keys.json.0 (app): the gateway refuses it: 400 limit: must be at least 0']);
  });
});
