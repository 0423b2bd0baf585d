/**
 * Goal: over every dialect, through both faces: uses that fail are told to the model, and in the same words a turn
 * later; a turn that calls the caller's tools too leaves those to the caller and goes on with all results; tools that
 * run at the caller's reach every model. Method: as in `matrix.spec.ts`, before the same strict doubles.
 */
import { describeOnEmbedded } from '../../support/database.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { SeenReply } from '../../http/translation-bench.js';
import { resultsIn, ToolMatrixBench } from './bench.js';
import { HANDED, servedAt, type HandedCell, type ServedCell } from './cells.js';
import { call, casesOf, promptFault, Talk, text, thinking } from './talk.js';

const LOOK = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };

describeOnEmbedded('turns of tools over every dialect', (database) => {
  let bench: ToolMatrixBench;
  let talk: Talk;
  beforeAll(async () => {
    bench = await ToolMatrixBench.start(database);
    talk = new Talk(bench);
  }, 60_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.forget());

  describe.each(casesOf())('$dialect through $name, stream $stream', ({ dialect, face, stream }) => {
    const asked = (...tools: readonly JsonBody[]): JsonBody => ({ tools, messages: face.user('When do we sail?') });
    const hasFace = ([, { faces }]: [string, { readonly faces: readonly string[] }]): boolean =>
      faces.includes(face.name);
    const served = servedAt(face.name, dialect);
    const look = face.tool('look', LOOK);
    /** What a model reads, of a call later than those it was told in. */
    const nowRead = async (fields: JsonBody, ...messages: readonly JsonBody[]): Promise<JsonBody> => {
      bench.forget();
      talk.script(dialect, { parts: [text('Aye.')] });
      const { seen } = await talk.ask(face, dialect, { ...fields, messages }, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.text).toBe('Aye.');
      return talk.sentTo(dialect)[0];
    };

    it.each(served)('tells of uses of %s that fail', async (_, cell: ServedCell) => {
      const [first, second] = cell.inputs;
      const { once = { tool: cell.tool, content: cell.content } } = cell;
      talk.script(
        dialect,
        {
          parts: [
            thinking('One is wrong.'),
            call('call_a', cell.name, cell.wrong.input),
            call('call_b', cell.name, first),
          ],
        },
        { parts: [thinking('One more.'), call('call_c', cell.name, second)] },
        { parts: [thinking('That is it.'), text('Nay.')] },
      );
      const fields = asked(once.tool);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.text).toBe('Nay.');
      const last = talk.sentTo(dialect).at(-1);
      const results = resultsIn(dialect, last);
      expect(results).toHaveLength(3);
      if (face.name === 'chat') return;
      const told = resultsTold(seen);
      expect(told).toContainEqual(cell.wrong.content);
      expect(told[2]).toEqual(once.content);
      const later = await nowRead(fields, ...fields.messages, seen.turn, ...face.user('Surely?'));
      expect(resultsIn(dialect, later)).toEqual(results);
      expect(promptFault(dialect, last, later)).toBe('');
    });

    it.each(served)('leaves to the caller what a turn calls beside %s', async (_, cell: ServedCell) => {
      const [first, second, third] = cell.inputs;
      talk.script(
        dialect,
        { parts: [thinking('Two first.'), call('call_a', cell.name, first), call('call_b', cell.name, second)] },
        {
          parts: [
            thinking('Both kinds.'),
            text('Let me look.'),
            call('call_a', cell.name, third),
            call('call_b', 'look', { at: 'it' }),
          ],
        },
      );
      const fields = asked(cell.tool, look);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.stop).toBe(face.name === 'chat' ? 'tool_calls' : 'tool_use');
      expect(seen.calls).toEqual([{ id: expect.any(String), name: 'look', input: { at: 'it' } }]);
      const inLoop = talk.sentTo(dialect).at(-1);
      const answer = face.results([{ id: seen.calls[0].id, text: 'seen' }]);
      const later = await nowRead(fields, ...fields.messages, seen.turn, ...answer);
      const read = resultsIn(dialect, later);
      expect(read).toHaveLength(4);
      expect(read.slice(0, 2)).toEqual(resultsIn(dialect, inLoop));
      for (const words of read.slice(0, 3)) expect(words).toMatch(cell.reads);
      expect(read[3]).toBe('seen');
      expect(promptFault(dialect, inLoop, later)).toBe('');
    });

    it.each(Object.entries(HANDED).filter(hasFace))('hands calls of %s to the caller', async (_, cell: HandedCell) => {
      talk.script(dialect, {
        parts: [thinking('Let me.'), call('call_a', cell.name, cell.input), call('call_b', cell.name, cell.input)],
      });
      const fields = asked(cell.tool);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(seen.calls.map(({ name, input }) => ({ name, input }))).toEqual([
        { name: cell.name, input: cell.input },
        { name: cell.name, input: cell.input },
      ]);
      const shown = JSON.stringify(talk.sentTo(dialect)[0]);
      if (cell.isAnthropics && dialect === 'anthropic-messages') expect(shown).toContain(JSON.stringify(cell.tool));
      else for (const property of cell.properties) expect(shown).toContain(`"${property}":`);
      const answers = face.results(seen.calls.map(({ id }, place) => ({ id, text: `file ${place}` })));
      const later = await nowRead(fields, ...fields.messages, seen.turn, ...answers);
      expect(resultsIn(dialect, later)).toEqual(['file 0', 'file 1']);
    });
  });
});

const resultsTold = ({ turn }: SeenReply): JsonBody[] =>
  turn.content.flatMap(({ type, content }: JsonBody) => (/_tool_result$/.test(type) ? [content] : []));
