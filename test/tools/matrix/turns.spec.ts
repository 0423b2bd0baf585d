/**
 * With every dialect, through every face: failed uses are reported to the model, in the same words a turn later too; a
 * turn that also calls the caller's tools leaves those to the caller and continues with all results; tools that the
 * caller runs reach every model. Strict doubles as in `matrix.spec.ts`.
 */
import { describeOnEmbedded } from '../../support/database.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { SeenReply } from '../../http/translation-bench.js';
import { resultsIn, ToolMatrixBench } from './bench.js';
import { HANDED, servedAt, type HandedCell, type ServedCell } from './cells.js';
import { call, casesOf, promptFault, Talk, text, thinking } from './matrix-client.js';

const LOOK = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };

describeOnEmbedded('turns of tools over every dialect', (database) => {
  let bench: ToolMatrixBench;
  let talk: Talk;
  beforeAll(async () => {
    bench = await ToolMatrixBench.start(database);
    talk = new Talk(bench);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.forget());

  describe.each(casesOf())('$dialect through $name, stream $stream', ({ dialect, face, stream }) => {
    const fieldsWith = (...tools: readonly JsonBody[]): JsonBody => ({
      tools,
      messages: face.user('When do we sail?'),
    });
    const hasFace = ([, { faces }]: [string, { readonly faces: readonly string[] }]): boolean =>
      faces.includes(face.name);
    const served = servedAt(face.name, dialect);
    const look = face.tool('look', LOOK);
    /** The body that a model is sent in a later turn. */
    const nowRead = async (fields: JsonBody, ...messages: readonly JsonBody[]): Promise<JsonBody> => {
      bench.forget();
      talk.script(dialect, { parts: [text('Aye.')] });
      const { seen } = await talk.ask(face, dialect, { ...fields, messages }, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.text).toBe('Aye.');
      return talk.sentTo(dialect)[0];
    };

    it.each(served)('reports failed uses of %s', async (_, cell: ServedCell) => {
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
      const fields = fieldsWith(once.tool);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.text).toBe('Nay.');
      const last = talk.sentTo(dialect).at(-1);
      const results = resultsIn(dialect, last);
      expect(results).toHaveLength(3);
      if (face.name !== 'messages') return;
      const reported = resultsOf(seen);
      expect(reported).toContainEqual(cell.wrong.content);
      expect(reported[2]).toEqual(once.content);
      const later = await nowRead(fields, ...fields.messages, seen.turn, ...face.user('Surely?'));
      expect(resultsIn(dialect, later)).toEqual(results);
      expect(promptFault(dialect, last, later)).toBe('');
    });

    it.each(served)('leaves the caller’s calls beside %s to the caller', async (_, cell: ServedCell) => {
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
      const fields = fieldsWith(cell.tool, look);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(bench.violations).toEqual([]);
      expect(seen.stop).toBe({ messages: 'tool_use', chat: 'tool_calls', responses: 'completed' }[face.name]);
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
      const fields = fieldsWith(cell.tool);
      const { seen } = await talk.ask(face, dialect, fields, stream);
      expect(seen.calls.map(({ name, input }) => ({ name, input }))).toEqual([
        { name: cell.name, input: cell.input },
        { name: cell.name, input: cell.input },
      ]);
      const shown = JSON.stringify(talk.sentTo(dialect)[0]);
      if (cell.isAnthropics && dialect === 'anthropic-messages') expect(shown).toContain(JSON.stringify(cell.tool));
      else for (const property of cell.properties) expect(shown).toContain(`"${property}":`);
      const answers = face.results(seen.calls.map(({ id }, index) => ({ id, text: `file ${index}` })));
      const later = await nowRead(fields, ...fields.messages, seen.turn, ...answers);
      expect(resultsIn(dialect, later)).toEqual(['file 0', 'file 1']);
    });
  });
});

const resultsOf = ({ turn }: SeenReply): JsonBody[] =>
  turn.content.flatMap(({ type, content }: JsonBody) => (/_tool_result$/.test(type) ? [content] : []));
