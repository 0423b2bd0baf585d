/**
 * Goal: no request of vectors delays others: 2,048 inputs of 8 KB hold the event loop for less than 50 ms at any step,
 * and a million inputs are refused at once. Method: the longest step, by CPU time, of all that is computed between the
 * bytes of the request and those of the reply: parsing, reading, measuring, encoding, printing; parsing, decoding,
 * showing and printing the vendor's reply, in each dialect; and the whole request at a gateway with doubles of vendors.
 */
import 'reflect-metadata';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import type { Reply } from '../../src/core/conversation/reply.js';
import { VECTOR_ENCODINGS } from '../../src/core/conversation/task.js';
import { encodedVector } from '../../src/core/conversation/vectors.js';
import type { DialectId } from '../../src/core/routing/catalog.js';
import { measurePrompt } from '../../src/core/money/measure-prompt.js';
import type { Target } from '../../src/core/provider.js';
import { parseInSteps } from '../../src/core/json/parse-in-steps.js';
import { printInPieces } from '../../src/core/json/print-in-pieces.js';
import { PIECE } from '../../src/core/yield-to-event-loop.js';
import type { Steps } from '../../src/core/steps.js';
import { CreateEmbeddingsDto } from '../../src/faces/embeddings/create-embeddings.dto.js';
import { embeddingsFace } from '../../src/faces/embeddings/embeddings-face.js';
import { readRequest } from '../../src/faces/embeddings/read-request.js';
import { definitionOf } from '../../src/providers/catalog/index.js';
import { DIALECTS } from '../../src/providers/dialects/index.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { generationView } from '../support/generation-view.js';
import { fastest, stopwatch } from '../support/cpu-time.js';
import { endpoint, model } from '../support/route-inputs.js';

const INPUTS = 2_048;
const BYTES = 8 * 1024;
const STEP_MS_MAX = 50;
const input = Array.from({ length: INPUTS }, (_, position) => `${position} `.padEnd(BYTES, 'word '));

/** The longest step of the work, in milliseconds. */
function longestStep<Result>(steps: Steps<Result>, keep?: (result: Result) => void): number {
  let longest = 0;
  for (;;) {
    const watch = stopwatch();
    const step = steps.next();
    longest = Math.max(longest, watch());
    if (!step.done) continue;
    keep?.(step.value);
    return longest;
  }
}

/** The longest time for one of the pieces of a text. */
function longestPiece(value: object): number {
  const pieces = printInPieces(value, PIECE);
  let longest = 0;
  for (let isDone: boolean | undefined = false; !isDone;) {
    const watch = stopwatch();
    isDone = pieces.next().done;
    longest = Math.max(longest, watch());
  }
  return longest;
}

function atOnce(work: () => unknown): number {
  const watch = stopwatch();
  work();
  return watch();
}

const read = (body: object) => readRequest(readBody(body, CreateEmbeddingsDto), { betas: [] });
const request = read({ model: 'a/b', input });
const million = Array.from({ length: 1_000_000 }, () => 'a');
const vector = Array.from({ length: 1_536 }, (_, position) => position / 1_000);

it.each<[string, () => unknown]>([
  ['validation and reading', () => read({ model: 'a/b', input })],
  ['measuring', () => measurePrompt(request)],
  ['refusing a million inputs', () => expect(() => read({ model: 'a/b', input: million })).toThrow(/^input: /)],
])('%s is a short step', async (_what, work) => {
  expect(await fastest(() => atOnce(work), STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
});

const LARGE_BODIES: Readonly<Record<string, object>> = {
  'a request': { model: 'a/b', input },
  'vectors as numbers': { data: input.map((_, index) => ({ object: 'embedding', index, embedding: vector })) },
  'vectors as base64': {
    data: input.map((_, index) => ({ object: 'embedding', index, embedding: encodedVector(vector, 'base64') })),
  },
};
it.each(Object.entries(LARGE_BODIES))('%s is parsed and printed in short steps', async (_what, value) => {
  const bytes = Buffer.from(JSON.stringify(value));
  expect(await fastest(() => longestStep(parseInSteps(bytes)), STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
  expect(await fastest(() => longestPiece(value), STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
});

it.each(VECTOR_ENCODINGS)('vectors are shown as %s in short steps', async (encoding) => {
  const sent = input.map(() => (encoding === 'float' ? encodedVector(vector, 'base64') : vector));
  const generation = generationView({ id: 'gen-1-a' });
  const reply = { computed: { kind: 'embeddings', vectors: sent } } as unknown as Reply;
  const view = (): number => longestStep(embeddingsFace(encoding).view(generation, reply));
  expect(await fastest(view, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
});

const own = endpoint('p', { upstreamModel: 'us.cohere.embed-v4:0' });
const target: Target = {
  model: model('a/b', [own], { task: 'embeddings' }),
  endpoint: own,
  tier: 'standard',
  definition: definitionOf('p', 'bearer'),
};
const REPLIES: Readonly<Partial<Record<DialectId, object>>> = {
  'openai-chat': { data: input.map((_, index) => ({ index, embedding: vector })) },
  'cohere-chat': { embeddings: { float: input.map(() => vector) } },
  'google-gemini': { embeddings: input.map(() => ({ values: vector })) },
  'bedrock-converse': { embeddings: { float: input.map(() => vector) } },
};
it.each(Object.entries(REPLIES) as [DialectId, object][])(
  '%s encodes and decodes in short steps',
  async (id, reply) => {
    const codec = DIALECTS[id].tasks!.embeddings!;
    let body: object = {};
    const encode = (): number => longestStep(codec.encode(request, target, new Map()), (call) => (body = call.body));
    expect(await fastest(encode, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
    expect(await fastest(() => longestPiece(body), STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
    let last: ModelEvent | undefined;
    const decode = (): number =>
      longestStep(codec.decodeWhole(reply, { request, target }), (events) => (last = events.at(-1)));
    expect(await fastest(decode, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
    expect(last).toMatchObject({ type: 'reply-end', computed: { kind: 'embeddings' } });
  },
);

describeOnEmbedded('2,048 inputs of 8 KB', (database) => {
  let gateway: TestGateway;
  let vendor: Double;
  beforeAll(async () => {
    vendor = await startDouble('direct');
    vendor.script({ alter: (body) => body });
    const provider = (slug: string, dialect: 'openai-chat' | 'cohere-chat' | 'google-gemini') => ({
      slug,
      name: slug,
      dialect,
      base_url: vendor.baseUrl(dialect),
      credential: { value: vendor.credential },
    });
    const entry = (id: string, slug: string, upstream: string) => ({
      id,
      name: id,
      context_length: 100_000,
      output_modalities: ['embeddings'],
      endpoints: [{ provider: slug, model: upstream, pricing: { prompt: '0.01' } }],
    });
    gateway = await startGateway(database, {
      catalog: {
        version: 1,
        providers: [provider('a', 'openai-chat'), provider('b', 'cohere-chat'), provider('c', 'google-gemini')],
        models: [
          entry('test/a', 'a', 'text-embedding'),
          entry('test/b', 'b', 'embed'),
          entry('test/c', 'c', 'gemini-embedding'),
        ],
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await vendor?.close();
  });

  it.each(['test/a', 'test/b', 'test/c'])(
    '%s answers all of them',
    async (model) => {
      const response = await gateway.request('/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model, input, encoding_format: 'base64' }),
      });
      const { data } = (await response.json()) as { data: readonly unknown[] };
      expect([response.status, data.length]).toEqual([200, INPUTS]);
      expect(vendor.violations).toEqual([]);
    },
    60_000,
  );
});
