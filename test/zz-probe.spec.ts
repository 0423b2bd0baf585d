import { startGateway, API_KEY } from './support/app.js';
import { describeOnEmbedded } from './support/database.js';
import { exchange, RawClient } from './support/raw-client.js';
describeOnEmbedded('p', (database) => {
  it('x', async () => {
    const g = await startGateway(database);
    for (const [method, path] of [['PUT','/api/v1/messages'],['GET','/v1/messages/'],['POST','/health/live'],['POST','/api/v1/key'],['GET','/messages'],['GET','/API/V1/messages'],['OPTIONS','/api/v1/keys/a'],['HEAD','/api/v1/keys'], ['HEAD','/health/live'], ['OPTIONS','*']] as const) {
    const r = await exchange(g.origin, { method, path }).catch(String) as any;
    console.log(method, path, r.status, r.headers, r.body?.toString());
    }
    const c = await RawClient.connect(g.origin);
    c.send({ path: '/api/v1/messages', headers: [['content-length', '33000000'], ['authorization', 'Bearer ' + API_KEY], ['content-type', 'application/json']] });
    await new Promise(r => setTimeout(r, 500));
    console.log(c.text);
    await g.close();
  }, 20000);
});
