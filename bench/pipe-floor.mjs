// The floor for streams: a bare Node pipe. Nothing is read, checked or counted.
import { Agent, createServer, request as send } from 'node:http';

const upstream = new URL(process.env.UPSTREAM);
const agent = new Agent({ keepAlive: true, maxSockets: 4096 });

const server = createServer((request, response) => {
  const outgoing = send(
    {
      agent,
      host: upstream.hostname,
      port: upstream.port,
      method: 'POST',
      path: '/v1/messages',
      headers: { 'content-type': 'application/json', 'content-length': request.headers['content-length'] },
    },
    (incoming) => {
      response.writeHead(incoming.statusCode, { 'content-type': incoming.headers['content-type'] });
      incoming.pipe(response);
    },
  );
  response.on('close', () => outgoing.destroy());
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
