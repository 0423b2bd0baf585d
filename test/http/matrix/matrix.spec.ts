/**
 * Goal: each request of a caller on each face reaches each dialect, on each platform that serves it, in its vendor's
 * form, and the answer comes back complete, streamed or not. Method: the application over HTTP before strict doubles
 * (test/support/doubles), one cell of the table (`cells.ts`) a test: the conversation whole and streamed. The double's
 * calls are compared with the cell, the caller's replies with the double's, and whole with streamed. `manners.spec.ts`
 * covers the manners of streams.
 */
import { describeOnEmbedded } from '../../support/database.js';
import { DOUBLE_USAGE, type DoubleFailureKind } from '../../support/doubles/double.js';
import { PLATFORM_DOUBLES, WAYS } from '../../support/doubles/platforms.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { ALL_FACES, type SeenReply, type AnyFace } from '../translation-bench.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';
import { CASE_IDS, CASES, LACKS, MAX_TOKENS, QUESTION, type Case, type CaseId } from './cases.js';
import { cellOf, FAILURE_STATUSES, replyFor, type CallerReply } from './cells.js';
import { FAMILIES, PLACES } from './serving-matrix.js';

/** Tears characters, lines and frames: a prime, so that no frame's length keeps step with it. */
const BYTES_PER_PIECE = 61;

interface Turn {
  readonly seen: SeenReply & { readonly citations: readonly JsonBody[] };
  readonly sent: JsonBody;
}

describeOnEmbedded('the matrix', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(face: AnyFace, pair: Pair, body: object, stream: boolean): Promise<Turn['seen']> {
    const response = await bench.send(face.path, { model: pair.id, max_tokens: MAX_TOKENS, stream, ...body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    const seen = stream ? face.streamed(text) : face.whole(JSON.parse(text));
    return { ...seen, citations: citedIn(seen.turn) };
  }

  /** The whole conversation, with what was received and sent in each turn. */
  async function converse(
    face: AnyFace,
    pair: Pair,
    { replies, ask: bodyOf, goOn }: Case,
    stream: boolean,
  ): Promise<Turn[]> {
    const double = bench.doubleOf(pair);
    double.transmission = stream ? { bytesPerPiece: BYTES_PER_PIECE } : {};
    const { messages, ...rest } = bodyOf(face);
    const turns: Turn[] = [];
    let history = messages;
    for (const reply of replies) {
      double.script(reply);
      const seen = await ask(face, pair, { ...rest, messages: history }, stream);
      turns.push({ seen, sent: bench.read(double.calls.at(-1)!.body) });
      if (turns.length < replies.length) history = [...history, seen.turn, ...(goOn?.(face, seen) ?? [])];
    }
    return turns;
  }

  describe.each(PAIRS)('$id', (pair) => {
    beforeEach(() => {
      bench.doubleOf(pair).violations.length = 0;
      bench.doubleOf(pair).calls.length = 0;
    });
    afterEach(() => {
      // Refused cells make no call.
      for (const { way } of bench.doubleOf(pair).calls) expect(way).toBe(pair.way);
    });

    describe.each<AnyFace>(ALL_FACES)('$name', (face) => {
      it.each(CASE_IDS.filter((id) => !LACKS[face.name].includes(id)))('%s', async (id: CaseId) => {
        const cell = cellOf(id, pair.family);
        if ('refused' in cell) {
          await Promise.all(
            [false, true].map((stream) =>
              expect(converse(face, pair, CASES[id], stream)).rejects.toThrow(cell.refused),
            ),
          );
          return;
        }
        const whole = await converse(face, pair, CASES[id], false);
        const streamed = await converse(face, pair, CASES[id], true);
        expect(bench.doubleOf(pair).violations).toEqual([]);
        const { sent: last } = whole.at(-1)!;
        if ('sent' in cell) expect(last).toMatchObject(cell.sent(pair, face.name));
        else for (const word of cell.dropped ?? []) expect(JSON.stringify(last)).not.toContain(word);
        const expected = CASES[id].replies.map((reply) => replyFor(reply, face.name, pair, cell.otherwise));
        expect(whole.map(({ seen }) => shown(seen))).toEqual(expected);
        expect(streamed.map(({ seen }) => shown(seen))).toEqual(expected);
        // A history from a stream goes back like one from a whole reply.
        expect(streamed.map(({ sent }) => withoutStream(sent))).toEqual(whole.map(({ sent }) => withoutStream(sent)));
      });

      it.each(Object.keys(FAILURE_STATUSES) as DoubleFailureKind[])('the failure %s', async (kind) => {
        const double = bench.doubleOf(pair);
        double.transmission = {};
        double.script({ fails: kind, message: 'This is why.' });
        const answers = await Promise.all(
          [false, true].map(async (stream) => {
            const response = await bench.send(face.path, {
              model: pair.id,
              max_tokens: MAX_TOKENS,
              stream,
              messages: face.user(QUESTION),
            });
            return { status: response.status, body: await response.json() };
          }),
        );
        const status = FAILURE_STATUSES[kind](pair);
        // The vendor's message about the operator's credential is for the operator alone. Bedrock's own formats refuse
        // a credential with 403, which has other causes too: there the message decides, and this one names no key.
        const isOwnForm = pair.platform === 'bedrock' && pair.dialect !== 'openai-chat';
        const isMasked = kind === 'unauthorised' && !isOwnForm;
        const why = isMasked ? 'only the operator of the gateway can fix it.' : 'This is why.';
        const error = face.error(status, expect.stringContaining(why));
        expect(answers).toEqual([
          { status, body: error },
          { status, body: error },
        ]);
      });

      it('a failure in the midst of a stream', async () => {
        const double = bench.doubleOf(pair);
        double.transmission = { bytesPerPiece: BYTES_PER_PIECE };
        double.script({
          fails: 'server-error',
          message: 'This is why.',
          after: { parts: [{ type: 'text', text: 'So far' }] },
        });
        const response = await bench.send(face.path, {
          model: pair.id,
          max_tokens: MAX_TOKENS,
          stream: true,
          messages: face.user(QUESTION),
        });
        const text = await response.text();
        expect(face.kinds(text)).toEqual(['0 text']);
        expect(text).toContain('This is why.');
        for (const end of ['message_stop', '"finish_reason":"stop"', 'response.completed'])
          expect(text).not.toContain(end);
      });
    });

    it('a count of tokens', async () => {
      const { messages, tools } = CASES['parallel tools'].ask(ALL_FACES[0]!);
      const response = await bench.send('/messages/count_tokens', { model: pair.id, messages, tools });
      const counted = { source: response.headers.get('x-token-count'), body: await response.json() };
      const double = bench.doubleOf(pair);
      const isRefused = pair.counts !== 'native' && pair.counts.refused === true;
      expect(double.violations).toEqual(isRefused ? [expect.stringContaining('counting tokens')] : []);
      if (pair.counts === 'native') {
        expect(counted).toEqual({ source: 'native', body: { input_tokens: DOUBLE_USAGE.input } });
      } else {
        expect(counted).toMatchObject({ source: 'estimate', body: { input_tokens: expect.any(Number) } });
      }
      expect(double.calls).toHaveLength(pair.counts === 'native' || isRefused ? 1 : 0);
    });
  });

  it('has a cell for every dialect and platform that a double serves', () => {
    const served = new Set(PAIRS.map(({ dialect, platform }) => `${platform} ${dialect}`));
    const spoken = Object.entries(PLATFORM_DOUBLES).flatMap(([platform, { dialects }]) =>
      dialects.map((dialect) => `${platform} ${dialect}`),
    );
    expect([...served].sort()).toEqual(spoken.sort());
    const entered = new Set(PAIRS.map(({ platform, way }) => `${platform} ${way}`));
    const ways = Object.entries(WAYS).flatMap(([platform, all]) => all.map((way) => `${platform} ${way}`));
    expect([...entered].sort()).toEqual(ways.sort());
    expect(Object.keys(PLACES).sort()).toEqual([...Object.keys(FAMILIES), 'simulated'].sort());
  });
});

/** A refusal that the chat face reports separately counts as text. */
const shown = ({ turn, text, ...rest }: Turn['seen']): CallerReply => ({ ...rest, text: text || (turn.refusal ?? '') });

const withoutStream = ({ stream: _stream, stream_options: _options, ...rest }: JsonBody): JsonBody => rest;

/** The citations of a turn, in its face's form. */
const citedIn = ({ content, annotations = [] }: JsonBody): JsonBody[] => [
  ...annotations,
  ...(Array.isArray(content) ? content.flatMap(({ citations }) => citations ?? []) : []),
];
