// A separate process, so that no attack of the test slows the measurement: the provider that both gateways call, and
// their victims. At each tick one request goes to each gateway, in alternating order; a late reply delays no other.
import { Agent, createServer, request } from 'node:http';

const TICK_MS = 20;
const ANSWER = 'All is well.';
const ASK = { max_tokens: 50, messages: [{ role: 'user', content: 'How is it?' }] };

const chunk = (delta, finish) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const provider = createServer((incoming, response) => {
  let body = '';
  incoming.setEncoding('utf8').on('data', (text) => (body += text));
  incoming.on('end', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
    if (JSON.parse(body).stream !== true) {
      const message = { role: 'assistant', content: ANSWER };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    response.write(chunk({ role: 'assistant', content: 'All is ' }, null));
    response.write(chunk({ content: 'well.' }, 'stop'));
    response.end(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
}); // oxfmt-ignore

/** The requests of victims, in turn, and the test for a whole answer to each. */
const REQUESTS = [
  { path: '/messages', body: { ...ASK, model: 'test/well' }, isWhole: (text) => JSON.parse(text).content[0].text === ANSWER },
  { path: '/messages', body: { ...ASK, model: 'test/well', stream: true }, isWhole: (text) => text.includes('well.') && text.includes('message_stop') },
  { path: '/chat/completions', body: { ...ASK, model: 'test/well', stream: true }, isWhole: (text) => text.includes('well.') && text.trimEnd().endsWith('[DONE]') },
  { path: '/key', isWhole: (text) => JSON.parse(text).data.label !== undefined },
  { path: '/keys?limit=1', isManagement: true, isWhole: (text) => JSON.parse(text).data.length === 1 },
]; // oxfmt-ignore

function ask(origin, agent, keys, { path, body, isManagement, isWhole }) {
  return new Promise((resolve) => {
    const from = performance.now();
    const done = (fault) => resolve({ ms: performance.now() - from, fault: fault && `${path}: ${fault}` });
    const headers = { authorization: `Bearer ${isManagement ? keys.management : keys.inference}` };
    const text = body && JSON.stringify(body);
    if (text) Object.assign(headers, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    const sent = request(`${origin}/api/v1${path}`, { method: body ? 'POST' : 'GET', agent, headers }, (response) => {
      let reply = '';
      response.setEncoding('utf8').on('data', (part) => (reply += part));
      response.on('error', (error) => done(error.message));
      response.on('end', () => {
        if (response.statusCode !== 200) return done(`${response.statusCode} ${reply.slice(0, 200)}`);
        done(isWhole(reply) ? undefined : `not whole: ${reply.slice(-200)}`);
      });
    });
    sent.on('error', (error) => done(error.message));
    sent.end(text);
  });
}

/** @returns for each gateway the time of each answer, and the faults of wrong ones */
async function measure({ origins, keys, ms }) {
  const sides = origins.map((origin) => ({ origin, agent: new Agent({ keepAlive: true }), replies: [] }));
  const until = performance.now() + ms;
  for (let turn = 0; performance.now() < until; turn++) {
    // Every other round uses a new connection, like a new client.
    const isNew = turn % (2 * REQUESTS.length) >= REQUESTS.length;
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      side.replies.push(ask(side.origin, isNew ? undefined : side.agent, keys, REQUESTS[turn % REQUESTS.length]));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const answers = await Promise.all(sides.map(({ replies }) => Promise.all(replies)));
  for (const { agent } of sides) agent.destroy();
  return answers.map((all) => ({
    ms: all.map((one) => one.ms),
    faults: all.filter((one) => one.fault).map((one) => one.fault),
  }));
}

process.on('message', (task) => {
  measure(task).then(
    (measured) => process.send(measured),
    (error) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit());
provider.listen(0, '127.0.0.1', () => process.send(provider.address().port));
