/**
 * Goal: an answer without content and without a reason is a failed attempt, at any provider; an empty answer with a
 * reason is an answer. Method: the application over HTTP before strict doubles with empty answers, on every dialect and
 * platform, both faces, whole and streamed. `test/http/empty-attempts.spec.ts` covers what follows a failed attempt.
 */
import { describeOnEmbedded } from '../../support/database.js';
import { DOUBLE_USAGE, type DoubleReply } from '../../support/doubles/double.js';
import { FACES, type TestFace } from '../translation-bench.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';
import { QUESTION, WEATHER, schemaOf } from './cases.js';

const PLACES = PAIRS.filter(({ id }) => !id.includes('-by-'));
const NOTHING: DoubleReply = { parts: [], usage: { ...DOUBLE_USAGE, output: 0 } };

describeOnEmbedded('empty answers', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(
    face: TestFace,
    pair: Pair,
    stream: boolean,
    body: object,
  ): Promise<{ status: number; text: string }> {
    const response = await bench.send(face.path, { model: pair.id, max_tokens: 50, stream, ...body });
    return { status: response.status, text: await response.text() };
  }

  describe.each(PLACES)('$id', (pair) => {
    it.each(FACES)('$name: none without a reason', async (face) => {
      bench.doubleOf(pair).script(NOTHING);
      for (const stream of [false, true]) {
        const { status, text } = await ask(face, pair, stream, { messages: face.user(QUESTION) });
        expect([status, JSON.parse(text).error.message]).toEqual([
          502,
          expect.stringContaining('ended its reply without an answer'),
        ]);
      }
    });

    it.each(FACES)('$name: one with a reason', async (face) => {
      const called = { tools: [face.tool(WEATHER.name, schemaOf(WEATHER.name))] };
      const results = [
        ...face.user(QUESTION),
        ...face.calls(WEATHER),
        ...face.results([{ id: WEATHER.id, text: 'fine' }]),
      ];
      const CASES: [DoubleReply, object][] = [
        [{ ...NOTHING, stop: 'output-limit' }, { messages: face.user(QUESTION) }],
        // The model adds nothing after a result.
        [NOTHING, { messages: results, ...called }],
      ];
      for (const [reply, body] of CASES) {
        bench.doubleOf(pair).script(reply);
        for (const stream of [false, true]) {
          const { status, text } = await ask(face, pair, stream, body);
          expect([status, text]).toEqual([200, expect.not.stringContaining('without an answer')]);
          const seen = stream ? face.streamed(text) : face.whole(JSON.parse(text));
          expect([seen.text, seen.calls]).toEqual(['', []]);
        }
      }
    });
  });
});
