import { startGateway, API_KEY } from './support/app.js';
import { describeOnEmbedded } from './support/database.js';
import { RawClient } from './support/raw-client.js';
describeOnEmbedded('p', (database) => {
  it('x', async () => {
    const g = await startGateway(database);
    const ask = (stream: boolean) => { const b = JSON.stringify({ model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stream }); return `POST /api/v1/messages HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\ncontent-length: ${b.length}\r\n\r\n${b}`; };
    for (const pair of [[false,false],[false,true],[true,false],[true,true]]) {
    const c = await RawClient.connect(g.origin);
    c.write(ask(pair[0]!) + ask(pair[1]!));
    await new Promise(r => setTimeout(r, 700));
    console.log(pair, c.text);
    c.destroy();
    }
    await g.close();
  }, 20000);
});
