/**
 * Goal: a stream has the same content in whatever form it arrives, on every platform of every dialect, through both
 * faces. Method: the application before strict doubles; each test takes one form of the table (`manners.ts`), for each
 * dialect and platform with such streams.
 */
import { describeOnEmbedded } from '../../support/database.js';
import { DIALECT_DOUBLES } from '../../support/doubles/dialects.js';
import { DOUBLE_USAGE, type DoubleReply } from '../../support/doubles/double.js';
import { WAYS } from '../../support/doubles/platforms.js';
import { FACES, type TestFace } from '../translation-bench.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';
import { ANSWER, CASES, MAX_TOKENS, QUESTION, WEATHER } from './cases.js';
import { replyFor } from './cells.js';
import { CHECKSUMS, formOf, CONTENT_VARIANTS, TRANSMISSIONS, type StreamForm } from './stream-variants.js';

type TransmissionId = keyof typeof TRANSMISSIONS;
type Occurrence = Readonly<Record<StreamForm, unknown>>;

/** A reply with characters of more than one byte, in the text and in the arguments. */
const REPLY: DoubleReply = {
  parts: [
    { type: 'text', text: '京🌦' },
    { type: 'call', ...WEATHER },
  ],
};
/** Pieces of arguments in a stream of either face. */
const ARGUMENT_PIECES = /"partial_json":"[^"]|"arguments":"[^"]/g;

/** By the usual way in: streams come alike by all. */
const USUAL = PAIRS.filter(({ platform, way }) => way === WAYS[platform][0]);
const PAIRED_ENDPOINTS = USUAL.flatMap((pair) =>
  FACES.map((face) => ({ pair, face, at: `${pair.id} through ${face.name}`, form: formOf(pair) })),
);
const where = (occurs: Occurrence) => PAIRED_ENDPOINTS.filter(({ form }) => occurs[form] === true);

describeOnEmbedded('manners of streams', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(face: TestFace, pair: Pair, stream = true): Promise<string> {
    const { tools } = CASES['parallel tools'].ask(face);
    const body = { model: pair.id, max_tokens: MAX_TOKENS, stream, messages: face.user(QUESTION), tools };
    return (await bench.send(face.path, body)).text();
  }

  const seenOf = (face: TestFace, text: string) => {
    const { turn: _turn, ...seen } = face.streamed(text);
    return { ...seen, citations: [] };
  };

  describe.each(Object.keys(TRANSMISSIONS) as TransmissionId[])('%s', (id) => {
    const { occurs, transmission } = TRANSMISSIONS[id];
    it.each(where(occurs))('$at', async ({ pair, face }) => {
      const double = bench.doubleOf(pair);
      double.transmission = transmission(DIALECT_DOUBLES[pair.dialect].lineEnd);
      double.script(REPLY);
      expect(seenOf(face, await ask(face, pair))).toEqual(replyFor(REPLY, face.name, pair));
    });
  });

  describe('arguments in pieces', () => {
    it.each(where(CONTENT_VARIANTS['arguments in pieces']))('$at', async ({ pair, face }) => {
      const double = bench.doubleOf(pair);
      double.transmission = {};
      double.script(REPLY);
      expect((await ask(face, pair)).match(ARGUMENT_PIECES)!.length).toBeGreaterThan(2);
    });
  });

  describe('usage at the end', () => {
    it.each(where(CONTENT_VARIANTS['usage at the end']))('$at', async ({ pair, face }) => {
      const double = bench.doubleOf(pair);
      double.transmission = {};
      const reply = { ...REPLY, usage: { ...DOUBLE_USAGE, input: 31, output: 17 } };
      double.script(reply);
      expect(seenOf(face, await ask(face, pair)).usage).toEqual(replyFor(reply, face.name, pair).usage);
    });
  });

  describe('no usage', () => {
    it.each(where(CONTENT_VARIANTS['no usage']))('$at', async ({ pair, face }) => {
      const double = bench.doubleOf(pair);
      double.transmission = {};
      double.script({ parts: [{ type: 'text', text: ANSWER }], usage: null });
      const streamed = seenOf(face, await ask(face, pair));
      for (const { text, usage } of [streamed, face.whole(JSON.parse(await ask(face, pair, false)))]) {
        expect(text).toBe(ANSWER);
        for (const count of [usage.prompt, usage.output]) expect(count).not.toBeLessThan(0);
      }
    });
  });

  describe.each(['prelude', 'message'] as const)('a wrong checksum of the %s', (corrupt) => {
    it.each(where(CHECKSUMS))('$at is no answer', async ({ pair, face }) => {
      const double = bench.doubleOf(pair);
      double.script({ parts: [{ type: 'text', text: 'So far' }] });
      double.transmission = { corrupt };
      const text = await ask(face, pair);
      expect(face.kinds(text)).toEqual(['0 text']);
      expect(text).toContain(face.name === 'messages' ? 'event: error' : '"error":');
      expect(text).not.toMatch(/message_stop|"finish_reason":"stop"/);
    });
  });
});
