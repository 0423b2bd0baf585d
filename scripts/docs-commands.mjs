// Runs every command of the pages of `docs` unchanged, page by page, in a folder with the files of the page (blocks of
// `yaml` that begin with a name): blocks of `sh` against a gateway on the embedded database, those of `sh postgres`
// against one on PostgreSQL, where a server answers at DATABASE_URL or on its local default port; else it reports that
// they did not run. Blocks of `bash` start gateways or need other programs, and do not run. A block that fails fails
// the run.
//   node scripts/docs-commands.mjs [page…]   (`use/quickstart`; without a page all of them)
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithParent } from './end-with-parent.mjs';
import { freePort } from './free-port.mjs';

endWithParent();

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const START_MS_MAX = 180_000;
const BLOCK_MS_MAX = 180_000;
/** The receiver of events in the page on alarms. */
const RECEIVER = '127.0.0.1:8799';
/** The gateway's address in the pages, and that of its health port. */
const WRITTEN = 'http://127.0.0.1:8787';
const WRITTEN_HEALTH = 'http://127.0.0.1:9787';
const pg = createRequire(import.meta.url)('pg');
const SERVER = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const folder = mkdtempSync(join(tmpdir(), 'fairlead-docs-'));
const database = `fairlead_docs_${process.pid}`;
const running = [];
/** No gateway is left running, however this ends. */
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const answers = (url) =>
  new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || 5432) });
    socket.once('connect', () => (socket.destroy(), resolve(true))).once('error', () => resolve(false));
  });

/** @returns the result of the last statement */
async function administer(...statements) {
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  try {
    let last;
    for (const statement of statements) last = await client.query(statement);
    return last;
  } finally {
    await client.end();
  }
}

/** A gateway with its own data directory. @returns its addresses and the variables that a command needs */
async function start(name, variables) {
  const [port, healthPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: join(folder, name),
    FAIRLEAD_API_KEY: `docs-inference-${process.hrtime.bigint()}`,
    FAIRLEAD_MANAGEMENT_KEY: `docs-management-${process.hrtime.bigint()}`,
    ...variables,
  };
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js')], {
    cwd: ROOT,
    env: { ...env, PORT: String(port), FAIRLEAD_HEALTH_PORT: String(healthPort), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.push(child);
  const origin = `http://127.0.0.1:${port}`;
  const health = `http://127.0.0.1:${healthPort}`;
  for (const endsAt = Date.now() + START_MS_MAX; ; await pause(200)) {
    if (child.exitCode !== null || Date.now() > endsAt) throw new Error(`The gateway on ${name} did not start.`);
    const isReady = await fetch(`${health}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { origin, health, env };
  }
}

const textOf = (page) => readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8');

const pagesWithCommands = () =>
  readdirSync(join(ROOT, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .filter((page) => /^```sh( postgres)?$/m.test(textOf(page)))
    .toSorted();

/** The files that a page shows, by their names. */
const filesOf = (page) =>
  [...textOf(page).matchAll(/^```yaml\n(# ([\w-]+\.yaml)\b[^]*?)^```$/gm)].map(([, text, name]) => [name, text]);

function blocksOf(page) {
  const text = textOf(page);
  return [...text.matchAll(/^```sh( postgres)?\n([^]*?)^```$/gm)].map(([, on, commands]) => ({
    isPostgres: on !== undefined,
    commands,
  }));
}

/** Blocks of one kind on a page share one shell, so that later ones see the variables of earlier ones. */
function run(page, commands, { origin, health, env }) {
  const cwd = join(folder, `${page.replaceAll('/', '-')}-${env.DATABASE_URL ? 'postgres' : 'embedded'}`);
  mkdirSync(cwd);
  for (const [name, text] of filesOf(page)) writeFileSync(join(cwd, name), text);
  const script = commands
    .join('\n')
    .replaceAll(WRITTEN, origin)
    .replaceAll(WRITTEN_HEALTH, health)
    // The pages assume the folder of the package.
    .replaceAll('npm run ', `npm --prefix ${ROOT} --silent run `)
    .replaceAll('node dist/', `node ${ROOT}/dist/`)
    .replaceAll('catalog/default.yaml', `${ROOT}/catalog/default.yaml`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -euo pipefail\n${script}`], {
    cwd,
    env: { ...env, INIT_CWD: cwd, npm_config_update_notifier: 'false' },
    encoding: 'utf8',
    timeout: BLOCK_MS_MAX,
  });
  if (status === 0) return;
  console.error(`${script}\n${stdout}\n${stderr}`);
  throw new Error(`The commands of docs/${page}.md ended with ${status}.`);
}

/** The name in the page on backups. A database of that name may already be in use: it is not touched. */
const RESTORED = 'fairlead_restored';

let passed = 0;
let skipped = 0;
const isServed = await answers(new URL(SERVER));
if (isServed && (await administer(`SELECT 1 FROM pg_database WHERE datname = '${RESTORED}'`)).rowCount > 0) {
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`There is a database ${RESTORED} already: drop it, if it is not needed, and run this again.`);
}
try {
  const embedded = await start('embedded', { FAIRLEAD_EGRESS_ALLOW: RECEIVER });
  let postgres;
  if (isServed) {
    await administer(`CREATE DATABASE ${database}`);
    const url = new URL(SERVER);
    url.pathname = database;
    const key = `docs:${Buffer.alloc(32, 3).toString('base64')}`;
    postgres = await start('postgres', { DATABASE_URL: url.href, FAIRLEAD_ENCRYPTION_KEYS: key });
  }
  const named = process.argv.slice(2);
  for (const page of named.length > 0 ? named : pagesWithCommands()) {
    const blocks = blocksOf(page);
    for (const isPostgres of [true, false]) {
      const commands = blocks.filter((block) => block.isPostgres === isPostgres).map((block) => block.commands);
      if (commands.length === 0) continue;
      const gateway = isPostgres ? postgres : embedded;
      if (gateway) run(page, commands, gateway);
      else console.log(`docs: ${commands.length} blocks of ${page}.md did not run: no PostgreSQL answers`);
      if (gateway) passed += commands.length;
      else skipped += commands.length;
    }
  }
} finally {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null) await once(child, 'exit');
  }
  if (isServed) {
    await administer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`, `DROP DATABASE IF EXISTS ${RESTORED} WITH (FORCE)`); // oxfmt-ignore
  }
  rmSync(folder, { recursive: true, force: true });
}
console.log(`docs: ${passed} passed, 0 failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
