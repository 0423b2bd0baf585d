import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { after, ask, gate } from '../http/messages-bench.js';

export const MODEL = 'test/native';
export const VECTORS = 'test/vectors';
/** Path and form of the requests that are sent fifty times at once. */
export const RACES = [
  ['/messages', false],
  ['/messages', true],
  ['/chat/completions', false],
  ['/responses', true],
  ['/embeddings', false],
] as const;
export const CACHED = { 'x-fairlead-cache': 'true' };
export const SHARED = { ...CACHED, 'x-fairlead-cache-share': 'true' };

const CALLERS = 50;

const embedding: Script = () =>
  json({
    object: 'list',
    model: 'm',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });

/** The text of a reply, or its vector as JSON. */
function contentOf(path: string, reply: string): string {
  if (path === '/embeddings') return JSON.stringify(JSON.parse(reply).data[0].embedding);
  if (path === '/chat/completions') return JSON.parse(reply).choices[0].message.content;
  if (reply.startsWith('{')) return JSON.parse(reply).content[0].text;
  const events = [...reply.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
  const pieces = events.flatMap(({ type, delta: piece }) =>
    type === 'response.output_text.delta' ? [piece] : piece?.type === 'text_delta' ? [piece.text] : [],
  );
  return pieces.join('');
}

export const cacheOf = ({ headers }: Response, name: string): string | null => headers.get(`x-fairlead-cache-${name}`);

/** Waits for a change that another process makes. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}

/** Two gateways, and more on request, as processes on one PostgreSQL, before two scripted upstreams. */
export class CachedReplicas {
  private readonly gateways: GatewayProcess[] = [];
  private texts = 0;

  private constructor(
    private readonly folder: string,
    private readonly variables: NodeJS.ProcessEnv,
    /** Upstream of `MODEL`. */
    readonly upstream: Upstream,
    /** Upstream of `VECTORS`. */
    readonly vectors: Upstream,
    readonly rows: DataSource,
  ) {}

  static async start(database: TestDatabase, more: NodeJS.ProcessEnv = {}): Promise<CachedReplicas> {
    const [upstream, vectors] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    // The double's rules are those of conversations.
    vectors.strict = false;
    const { dataDir, databaseUrl } = database.settings;
    const entry = { id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' as const }] };
    const ofVectors = {
      id: VECTORS,
      at: [{ url: vectors.url, dialect: 'openai-chat' as const }],
      model: { output_modalities: ['embeddings'], input_modalities: ['text'], max_completion_tokens: undefined },
      endpoint: { pricing: { prompt: '3' } },
    };
    const catalog = join(dataDir, 'catalog.json');
    await writeFile(catalog, JSON.stringify(catalogOf(entry, ofVectors)));
    const variables = {
      DATABASE_URL: databaseUrl!.reveal(),
      FAIRLEAD_CATALOG: catalog,
      FAIRLEAD_INITIAL_CREDITS: '1000',
      ...more,
    };
    const replicas = new CachedReplicas(dataDir, variables, upstream, vectors, await database.connect());
    for (let count = 0; count < 2; count++) await replicas.startReplica();
    return replicas;
  }

  get one(): GatewayProcess {
    return this.gateways[0]!;
  }

  get two(): GatewayProcess {
    return this.gateways[1]!;
  }

  /** One more replica. */
  async startReplica(): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.start(join(this.folder, String(this.gateways.length)), this.variables);
    this.gateways.push(gateway);
    return gateway;
  }

  send(gateway: GatewayProcess, path: string, body: object, headers: object = {}): Promise<Response> {
    return fetch(`${gateway.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** The reply of `POST /messages` with the cache on. */
  async cached(gateway: GatewayProcess, body: object, headers: object = {}) {
    const response = await this.send(gateway, '/messages', body, { ...CACHED, ...headers });
    const text = await response.text();
    return { status: cacheOf(response, 'status'), text };
  }

  /** A body that no test has sent, and this text as its reply. */
  fresh(text: string, ofBody = ask): object {
    this.upstream.script(anthropicText(text));
    return ofBody(MODEL, { messages: [{ role: 'user', content: this.newText() }] });
  }

  newText(): string {
    return `Text ${++this.texts}`;
  }

  /** Fifty equal requests under way at both, whose calls are answered when `calls` of them have been made. */
  async race(path: string, stream: boolean, { headers, calls }: { readonly headers: object; readonly calls: number }) {
    const text = this.newText();
    const body = {
      '/messages': { ...ask(MODEL, { messages: [{ role: 'user', content: text }] }), stream },
      '/chat/completions': { model: MODEL, messages: [{ role: 'user', content: text }], stream },
      '/responses': { model: MODEL, input: text, stream },
      '/embeddings': { model: VECTORS, input: text },
    }[path]!;
    const provider = path === '/embeddings' ? this.vectors : this.upstream;
    const held = gate();
    provider.script(after(held.opened, provider === this.vectors ? embedding : anthropicText(text)));
    const before = provider.requests.length;
    const { one, two } = this;
    const all = Array.from({ length: CALLERS }, (_, at) => this.send(at % 2 === 0 ? one : two, path, body, headers));
    await provider.request(before + calls - 1);
    held.open();
    const replies = await Promise.all(all);
    const bodies = await Promise.all(replies.map((reply) => reply.text()));
    expect(replies.map(({ status }, at) => (status === 200 ? 200 : bodies[at]))).toEqual(replies.map(() => 200));
    expect(provider.requests.length).toBe(before + calls);
    const ids = replies.map((reply) => reply.headers.get('x-generation-id')!);
    expect(new Set(ids).size).toBe(CALLERS);
    // Replies differ by what is their own: ids, times, usage and costs, and pieces of a stream.
    const contents = new Set(bodies.map((reply) => contentOf(path, reply)));
    expect([...contents]).toEqual([path === '/embeddings' ? '[0.25,-0.5]' : text]);
    return { body, replies, ids, ...(await this.settled(ids)) };
  }

  /** Fifty equal requests that share: one call, one charge, fifty equal replies, each of them marked. */
  async raceShared(path: string, stream: boolean): Promise<void> {
    const { replies, records, charges } = await this.race(path, stream, { headers: SHARED, calls: 1 });
    const [first, ...others] = replies.toSorted((reply) => (cacheOf(reply, 'status') === 'MISS' ? -1 : 1));
    expect(cacheOf(first!, 'status')).toBe('MISS');
    const source = first!.headers.get('x-generation-id')!;
    for (const reply of others)
      expect([cacheOf(reply, 'status'), cacheOf(reply, 'source-id')]).toEqual([
        expect.stringMatching(/^(?:SHARED|HIT)$/),
        source,
      ]);
    expect(records.filter(({ cost }) => cost > 0).map(({ id }) => id)).toEqual([source]);
    expect(records.filter((record) => record.source === source)).toHaveLength(CALLERS - 1);
    expect(charges).toEqual([source]);
  }

  /** The records of generations and the ids of those that were charged, once all are settled. */
  async settled(ids: readonly string[]): Promise<{ readonly records: JsonBody[]; readonly charges: string[] }> {
    const list = (): Promise<JsonBody[]> =>
      this.rows.query(
        `SELECT id, response_cache_source_id AS source, outcome, cost::float8 AS cost FROM generations WHERE id = ANY($1)`,
        [ids],
      );
    await until(async () => (await list()).length === ids.length);
    const held = async (): Promise<number> =>
      (await this.rows.query(`SELECT count(*)::int AS open FROM holds WHERE generation_id = ANY($1)`, [ids]))[0].open;
    await until(async () => (await held()) === 0);
    const entries: JsonBody[] = await this.rows.query(
      `SELECT generation_id AS id FROM ledger_entries WHERE generation_id = ANY($1) AND amount <> 0 ORDER BY id`,
      [ids],
    );
    return { records: await list(), charges: entries.map(({ id }) => id) };
  }

  async close(): Promise<void> {
    for (const gateway of this.gateways) await gateway.kill();
    await this.rows.destroy();
    await Promise.all([this.upstream.close(), this.vectors.close()]);
  }
}
