// The path of a new user, against a gateway that has just been started: a real client, an own key with a limit, and the
// error when that is used up; then an own upstream in the catalog, which comes into force without a restart.
// `node scripts/first-use-test.mjs <origin> <management key> <API key> <catalog file>`; the smoke script calls it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [, , origin, managementKey, apiKey, catalogPath] = process.argv;
/** Time limit for a changed catalog to come into force, with a margin for a busy machine. */
const CATALOG_MS_MAX = 20_000;
const MODEL = 'sandbox/echo';
let passed = 0;

async function step(name, act) {
  await act();
  passed++;
  console.log(`newcomer: ${name}`);
}

async function manage(method, path, body) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const reply = await response.json();
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(reply)}`);
  return reply;
}

const clientOf = (key) => new Anthropic({ baseURL: `${origin}/api`, apiKey: key, maxRetries: 0 });
const messageOf = (words, model = MODEL) => ({ model, max_tokens: 64, messages: [{ role: 'user', content: words }] });

await step('a real client is answered, whole and streamed', async () => {
  const client = clientOf(apiKey);
  const whole = await client.messages.create(messageOf('whole'));
  assert.match(whole.content[0].text, /whole/);
  assert.match(await client.messages.stream(messageOf('streamed')).finalText(), /streamed/);
});

await step('the example of tools in the README works as it is printed', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, command] = /^## Tools$[^]*?^```sh\n([^]*?)^```$/m.exec(readme);
  const printed = command.replace('http://127.0.0.1:8787', origin).replace('curl ', 'curl -sS ');
  const env = { ...process.env, FAIRLEAD_API_KEY: apiKey };
  const reply = JSON.parse(execFileSync('bash', ['-c', printed], { env, encoding: 'utf8' }));
  assert.equal(reply.stop_reason, 'end_turn', JSON.stringify(reply));
  assert.deepEqual(
    reply.content.flatMap(({ type, name }) => (type === 'server_tool_use' ? [name] : [])),
    ['datetime', 'bash'],
  );
  assert.match(JSON.stringify(reply.content), /HELLO/);
});

let own;
await step('an own key is made, works and shows its data', async () => {
  own = await manage('POST', '/keys', { name: 'my app', limit: 0.01 });
  await clientOf(own.key).messages.create(messageOf('hi'));
  const answer = await fetch(`${origin}/api/v1/key`, { headers: { authorization: `Bearer ${own.key}` } });
  const { data } = await answer.json();
  assert.equal(data.limit, 0.01);
});

const upstream = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'llama',
        choices: [{ index: 0, message: { role: 'assistant', content: 'from my own machine' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 },
      }),
    );
  });
});
await once(upstream.listen(0, '127.0.0.1'), 'listening');
try {
  await step('an own upstream in the catalog answers without a restart', async () => {
    const { port } = upstream.address();
    await writeFile(
      catalogPath,
      `version: 1
extends: default
providers:
  - { slug: home, name: Home, dialect: openai-chat, base_url: 'http://127.0.0.1:${port}/v1', credential: none }
models:
  - id: home/llama
    name: Llama at home
    context_length: 8192
    max_completion_tokens: 2048
    input_modalities: [text]
    output_modalities: [text]
    endpoints: [{ provider: home, model: llama, pricing: { prompt: '1', completion: '2' } }]
`,
    );
    const openai = new OpenAI({ baseURL: `${origin}/api/v1`, apiKey: own.key, maxRetries: 0 });
    const ask = () => openai.chat.completions.create(messageOf('hi', 'home/llama'));
    const endsAt = Date.now() + CATALOG_MS_MAX;
    for (;;) {
      try {
        const { choices } = await ask();
        assert.equal(choices[0].message.content, 'from my own machine');
        break;
      } catch (error) {
        if (error.status !== 404 || Date.now() > endsAt) throw error;
        await pause(200);
      }
    }
  });

  await step('a used-up limit is reported before anything is sent, and is raised', async () => {
    // Two thousand tokens of three thousandths of a dollar each time.
    let refused;
    for (let time = 0; time < 10 && !refused; time++) {
      await clientOf(own.key)
        .messages.create(messageOf('hi', 'home/llama'))
        .catch((error) => {
          assert.ok(error instanceof APIError, error);
          refused = error;
        });
    }
    assert.ok(refused?.status === 402 || refused?.status === 403, `was answered ${refused?.status}`);
    await manage('PATCH', `/keys/${own.data.hash}`, { limit: 1 });
    await clientOf(own.key).messages.create(messageOf('hi', 'home/llama'));
  });
} finally {
  upstream.closeAllConnections();
  upstream.close();
}
console.log(`newcomer: ${passed} passed, 0 failed`);
