// The systems that are compared, each in a separate process, pinned to the first core where the machine allows it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../scripts/free-port.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..');
export const KEY = 'bench-inference-key-0123456789';
const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Starts a Node process, pinned to a core; null: not pinned. */
export function startNode(core, args, options) {
  const pinned = canPin && core !== null;
  const [command, ...rest] = pinned
    ? ['taskset', '-c', String(core), process.execPath, ...args]
    : [process.execPath, ...args];
  return spawn(command, rest, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
}

/** Waits for a process that sends its port once it listens. */
async function listening(child) {
  const [{ port }] = await once(child, 'message');
  return port;
}

export async function startUpstream() {
  const child = startNode(1, [join(here, 'upstream.mjs')]);
  return { child, url: `http://127.0.0.1:${await listening(child)}` };
}

export async function startFloor(file, upstream) {
  const child = startNode(0, [join(here, file)], { env: { ...process.env, UPSTREAM: upstream } });
  return { child, url: `http://127.0.0.1:${await listening(child)}/v1/messages`, headers: {}, model: (name) => name };
}

/** The model of `embeddingsOf`. */
export const EMBEDDING = 'embedding';

async function untilAnswers(url, child) {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`A system under test ended with ${child.exitCode}.`);
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Nothing answers at ${url}.`);
}

/**
 * @param flags of Node, before the program
 * @param core that it is pinned to; null: not pinned
 * @param checkout that contains `dist`: this one, or another revision
 */
export async function startFairlead(
  upstream,
  models,
  databaseUrl,
  variables = {},
  flags = [],
  core = 0,
  checkout = root,
) {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const model = (id, provider, name, pricing = { prompt: '3', completion: '15' }) => ({
    id,
    name: id,
    // Large enough for the largest body of the bench.
    context_length: 10_000_000,
    max_completion_tokens: 64000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [{ provider, model: name, pricing }],
  });
  const catalog = {
    version: 1,
    providers: [
      {
        slug: 'loopback',
        name: 'Loopback',
        dialect: 'anthropic-messages',
        base_url: upstream,
        credential: { value: 'bench-credential' },
      },
      {
        slug: 'loopback-chat',
        name: 'Loopback (chat)',
        dialect: 'openai-chat',
        base_url: `${upstream}/v1`,
        credential: { value: 'bench-credential' },
      },
    ],
    models: models.flatMap((name) =>
      name === EMBEDDING
        ? [
            {
              ...model(`bench/${name}`, 'loopback-chat', name, { prompt: '3' }),
              max_completion_tokens: undefined,
              output_modalities: ['embeddings'],
              dimensions: [1_536],
            },
          ]
        : [model(`bench/${name}`, 'loopback', name), model(`bench/chat-${name}`, 'loopback-chat', name)],
    ),
  };
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog));
  const port = await freePort();
  const child = startNode(core, [...flags, join(checkout, 'dist', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      FAIRLEAD_CATALOG: join(folder, 'catalog.json'),
      FAIRLEAD_API_KEY: KEY,
      FAIRLEAD_FLOOD: 'account=100000000/10s,wasted=100000000/60s',
      FAIRLEAD_INITIAL_CREDITS: '1000000000',
      NODE_ENV: 'production',
      ...(databaseUrl && {
        DATABASE_URL: databaseUrl,
        FAIRLEAD_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString('base64')}`,
      }),
      ...variables,
    },
  });
  await untilAnswers(`http://127.0.0.1:${port}/health/ready`, child);
  return {
    child,
    url: `http://127.0.0.1:${port}/api/v1/messages`,
    headers: { authorization: `Bearer ${KEY}` },
    model: (name) => `bench/${name}`,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** With unpinned threads, and with pages of the bench's upstream. */
export const startWithTools = (upstream, models, databaseUrl) =>
  startFairlead(upstream, models, databaseUrl, { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' }, [], null);

/** The other face of the same process, with the upstream's other format. The bodies of the bench are valid for both. */
export const chatFaceOf = (fairlead) => ({
  ...fairlead,
  url: fairlead.url.replace(/messages$/, 'chat/completions'),
  model: (name) => `bench/chat-${name}`,
});

/** The third face of the same process, with the same upstream. */
export const responsesFaceOf = (fairlead) => ({
  ...fairlead,
  url: fairlead.url.replace(/messages$/, 'responses'),
  bodyOf: ({ messages, max_tokens: most, ...rest }) => ({
    ...rest,
    max_output_tokens: most,
    input: messages.map(({ role, content: [{ text }] }) => ({
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    })),
  }),
});

/** Embeddings of the same text by the same process, in one of both encodings. */
export const embeddingsOf = (fairlead, encoding) => ({
  ...fairlead,
  url: fairlead.url.replace(/messages$/, 'embeddings'),
  model: () => `bench/${EMBEDDING}`,
  bodyOf: ({ model, messages }) => ({ model, input: messages[0].content[0].text, encoding_format: encoding }),
});

/** The gateway with the ledger's statements answered immediately. */
export const startWithoutLedger = (upstream, models, databaseUrl) =>
  startFairlead(upstream, models, databaseUrl, {}, ['--import', join(here, 'stub-ledger.mjs')]);

export async function startPortkey(upstream) {
  const port = await freePort();
  const child = startNode(
    0,
    [join(here, 'node_modules/@portkey-ai/gateway/build/start-server.js'), `--port=${port}`, '--headless'],
    {
      env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    },
  );
  await untilAnswers(`http://127.0.0.1:${port}/`, child);
  return {
    child,
    url: `http://127.0.0.1:${port}/v1/messages`,
    headers: {
      'x-portkey-provider': 'anthropic',
      'x-portkey-custom-host': `${upstream}/v1`,
      authorization: 'Bearer bench-credential',
    },
    model: (name) => name,
  };
}
