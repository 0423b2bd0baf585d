import fc from 'fast-check';
import { API_KEY, extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
export type Body = { readonly [field: string]: Value };

/**
 * How many times the time and the runs of `npm test` are spent: `npm run soak:fuzz` sets it, together with another
 * seed.
 */
const TIMES = Number(process.env['FAIRLEAD_FUZZ_TIMES'] ?? 1);
const BUDGET = {
  seed: Number(process.env['FAIRLEAD_FUZZ_SEED'] ?? 20_260_101),
  interruptAfterTimeLimit: 2_000 * TIMES,
  markInterruptAsFailure: false,
} as const;
/** The time for the work of a test beside its runs. */
const TEST_MS_MAX = 30_000 + 10_000 * TIMES;

/** After this time a body counts as unanswered, in milliseconds: generous, for a busy machine. */
const ANSWER_MS_MAX = 15_000;

const MODELS = ['sandbox/echo', 'test/native', 'test/translated'];

/** A place in a value: its parent and its key. */
type Place = readonly [parent: Value[] | { [key: string]: Value }, key: string];

function placesIn(value: Value): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value, key] as const, ...placesIn(inner)]);
}

interface Mutation {
  readonly at: number;
  readonly kind: 'delete' | 'replace' | 'duplicate' | 'insert' | 'wrap';
  readonly key: string;
  readonly value: Value;
}

function mutate(body: Value, { at, kind, key: newKey, value }: Mutation): void {
  const places = placesIn(body);
  if (places.length === 0) return;
  const [parent, key] = places[at % places.length]!;
  const fields = parent as { [key: string]: Value };
  switch (kind) {
    case 'delete':
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete fields[key];
      break;
    case 'replace':
      fields[key] = structuredClone(value);
      break;
    case 'duplicate':
      if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]!));
      else fields[newKey] = structuredClone(fields[key]!);
      break;
    case 'insert':
      if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(value));
      else fields[newKey] = structuredClone(value);
      break;
    case 'wrap':
      fields[key] = [fields[key]!];
      break;
  }
}

const odd = fc.constantFrom<Value>(
  null, true, 0, -1, 1.5, 1e21, 2 ** 53, '', ' ', '\u0000', '😀', 'x'.repeat(300), [], {}, [[]], [null], { type: 'text' },
  { type: 'constructor' }, 'ephemeral', 'text', 'user', 'toString', '__proto__',
); // oxfmt-ignore
const keys = fc.oneof(
  fc.constantFrom('type', 'id', 'name', 'content', 'constructor', 'toString', 'cache_control', 'input', 'stream', ''),
  fc.string({ maxLength: 5 }),
);
const mutations = fc.array(
  fc.record({
    at: fc.nat(10_000),
    kind: fc.constantFrom('delete', 'replace', 'duplicate', 'insert', 'wrap'),
    key: keys.filter((key) => key !== '__proto__'),
    value: fc.oneof(odd, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Value>),
  }),
  { minLength: 1, maxLength: 3 },
);

export interface Fuzzed {
  /** Below `/api/v1`. */
  readonly path: string;
  /** A body that any model answers. */
  readonly ask: Body;
  /** One body for each field, block and tool, so that most mutations change the tested part. */
  readonly bodies: readonly Body[];
  /** Places that a 400 may name, by the first word of the path. */
  readonly places: ReadonlySet<string>;
  /** Mutated bodies at most. */
  readonly runs: number;
}

/**
 * No body gives a 5xx or no answer, and every 400 names a place in it: valid bodies, mutated at random places within
 * a fixed budget, over HTTP to the real application, through every dialect to upstreams that take anything. A
 * failure prints its seed.
 */
export function fuzzBodies({ path, ask, bodies, places, runs }: Fuzzed): void {
  describeOnEmbedded(`bodies of ${path} that no client would write`, (database) => {
    let gateway: TestGateway;
    let upstreams: Upstream[] = [];

    beforeAll(async () => {
      const [native, translated] = (upstreams = [await startUpstream('anthropic'), await startUpstream('openai')]);
      for (const upstream of upstreams) upstream.strict = false;
      const catalog = extendedCatalogOf(
        { id: 'test/native', at: [{ url: native!.url, dialect: 'anthropic-messages' }] },
        { id: 'test/translated', at: [{ url: translated!.url, dialect: 'openai-chat' }] },
      );
      gateway = await startGateway(database, { catalog, variables: { LOG_LEVEL: 'warn' } });
    }, 60_000);
    afterAll(async () => {
      await gateway?.close();
      for (const upstream of upstreams) await upstream.close();
    });

    /** The last body under way: when the budget ends, the test awaits its answer. */
    let judging: Promise<number> | undefined;
    const judge = (body: string | Uint8Array<ArrayBuffer>): Promise<number> => (judging = judgementOf(body));

    async function judgementOf(body: string | Uint8Array<ArrayBuffer>): Promise<number> {
      const response = await fetch(`${gateway.origin}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const text = await response.text();
      if (response.status === 200) return 200;
      const { error } = JSON.parse(text) as { error: { code: number; message: string } };
      expect([response.status, error.code]).toEqual([error.code, response.status]);
      if (![400, 404].includes(response.status)) throw new Error(`${String(body)} is answered ${text}`);
      if (response.status === 400) {
        const [place] = /^[^.:]+(?=[.:])/.exec(error.message) ?? [''];
        if (!places.has(place)) throw new Error(`${String(body)} is answered ${text}`);
      }
      return response.status;
    }

    it('takes the bodies as they are, or names what does not go together', async () => {
      const statuses: number[] = [];
      for (const model of MODELS) {
        for (const body of bodies) statuses.push(await judge(JSON.stringify({ ...body, model })));
      }
      // Most must be valid: otherwise the mutations below would start from refused bodies.
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 2);
    });

    it(
      'answers mutated bodies with 200 or a 4xx that names the place',
      async () => {
        const seen = new Map<number, number>();
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...MODELS),
            fc.constantFrom(...bodies),
            mutations,
            async (model, valid, changes) => {
              const body = structuredClone({ ...valid, model });
              for (const change of changes) mutate(body, change);
              const status = await judge(JSON.stringify(body));
              seen.set(status, (seen.get(status) ?? 0) + 1);
            },
          ),
          { ...BUDGET, numRuns: runs * TIMES },
        );
        await judging;
        // If one of them is missing, the mutations are too wild or too tame to show anything.
        expect([...seen.keys()].sort()).toEqual(expect.arrayContaining([200, 400]));
      },
      TEST_MS_MAX,
    );

    it(
      'answers bytes that are no JSON, or almost, with 400',
      async () => {
        const valid = Buffer.from(JSON.stringify(ask));
        await fc.assert(
          fc.asyncProperty(
            fc.uint8Array({ maxLength: 40 }),
            fc.option(fc.tuple(fc.nat(valid.length), fc.nat(20)), { nil: undefined }),
            async (bytes, splice) => {
              const [at, skipped] = splice ?? [];
              await judge(
                at === undefined
                  ? new Uint8Array(bytes)
                  : new Uint8Array(Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + skipped!)])),
              );
            },
          ),
          { ...BUDGET, numRuns: Math.ceil(runs / 3) * TIMES, interruptAfterTimeLimit: 1_500 * TIMES },
        );
        await judging;
      },
      TEST_MS_MAX,
    );
  });
}
