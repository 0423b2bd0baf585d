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

/** Who answers the bodies. */
export interface Providers {
  readonly models: readonly string[];
  readonly catalog: object;
  close(): Promise<void>;
}

/** The sandbox, and upstreams of two formats that accept anything. */
async function answeringProviders(): Promise<Providers> {
  const upstreams: readonly Upstream[] = [await startUpstream('anthropic'), await startUpstream('openai')];
  const [native, translated] = upstreams as [Upstream, Upstream];
  for (const upstream of upstreams) upstream.strict = false;
  return {
    models: ['sandbox/echo', 'test/native', 'test/translated'],
    catalog: extendedCatalogOf(
      { id: 'test/native', at: [{ url: native.url, dialect: 'anthropic-messages' }] },
      { id: 'test/translated', at: [{ url: translated.url, dialect: 'openai-chat' }] },
    ),
    close: async () => void (await Promise.all(upstreams.map((upstream) => upstream.close()))),
  };
}

/** A member of a value: its parent and its key. */
type MemberRef = readonly [parent: Value[] | { [key: string]: Value }, key: string];

function membersIn(value: Value): MemberRef[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value, key] as const, ...membersIn(inner)]);
}

interface Mutation {
  readonly at: number;
  readonly kind: 'delete' | 'replace' | 'duplicate' | 'insert' | 'wrap';
  readonly key: string;
  readonly value: Value;
}

function mutate(body: Value, { at, kind, key: newKey, value }: Mutation): void {
  const members = membersIn(body);
  if (members.length === 0) return;
  const [parent, key] = members[at % members.length]!;
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
  /** First segments of the paths that a 400 may name. */
  readonly fieldPaths: ReadonlySet<string>;
  /** Mutated bodies at most. */
  readonly runs: number;
  /** By default of answers to conversations. */
  readonly startProviders?: () => Promise<Providers>;
}

/** What is within a block has its name of the Messages format in errors (docs/use/translation.md#the-tables). */
const WITHIN_BLOCK = /(?:\.content\.\d+)?(?:\.source(?:\..*)?)?$/;

/**
 * Whether a path leads to a value of the body, or to a field that is missing beside others. Names that a mutation has
 * made of separators lead nowhere in particular.
 */
function leadsInto(body: unknown, path: string): boolean {
  const segments = path.replace(WITHIN_BLOCK, '').split('.');
  let value = body;
  for (const [index, segment] of segments.entries()) {
    if (typeof value !== 'object' || value === null) return false;
    const names = Object.keys(value);
    if (names.some((name) => !/^[\w-]+$/.test(name))) return true;
    if (!names.includes(segment)) return index === segments.length - 1 && !Array.isArray(value);
    value = (value as Record<string, unknown>)[segment];
  }
  return true;
}

/**
 * Every body gets an answer that is no 5xx, and every 400 names a path in the body. Valid bodies are mutated at random
 * positions within a fixed budget, and sent to the real application, to the sandbox and to upstreams of other formats.
 * A failure prints its seed.
 */
export function fuzzBodies({ path, ask, bodies, fieldPaths, runs, startProviders = answeringProviders }: Fuzzed): void {
  describeOnEmbedded(`bodies of ${path} that no client would write`, (database) => {
    let gateway: TestGateway;
    let providers: Providers;

    beforeAll(async () => {
      providers = await startProviders();
      gateway = await startGateway(database, { catalog: providers.catalog, variables: { LOG_LEVEL: 'warn' } });
    }, 240_000);
    afterAll(async () => {
      await gateway?.close();
      await providers?.close();
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
        const [field] = /^[^.:]+(?=[.:])/.exec(error.message) ?? [''];
        const [whole] = /^[^: ]+(?=:)/.exec(error.message) ?? [field];
        const leads = typeof body !== 'string' || field === 'body' || leadsInto(JSON.parse(body), whole);
        if (!fieldPaths.has(field) || !leads) throw new Error(`${String(body)} is answered ${text}`);
      }
      return response.status;
    }

    it('takes the bodies as they are, or names what does not go together', async () => {
      const statuses: number[] = [];
      for (const model of providers.models) {
        for (const body of bodies) statuses.push(await judge(JSON.stringify({ ...body, model })));
      }
      // Most must be valid: otherwise the mutations below would start from refused bodies.
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 2);
    });

    it(
      'answers mutated bodies with 200 or a 4xx that names the path',
      async () => {
        const seen = new Map<number, number>();
        await fc.assert(
          fc.asyncProperty(
            fc.nat(providers.models.length - 1),
            fc.constantFrom(...bodies),
            mutations,
            async (field, valid, changes) => {
              const body = structuredClone({ ...valid, model: providers.models[field]! });
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
