/**
 * Every tool that the gateway serves works with every dialect and face, whole and streamed: parallel calls, reasoning
 * between them, exact sums and cost; and a turn later every model of any dialect reads what the first one read. The
 * doubles are strict: they refuse calls, results, signatures and seals that their vendors would refuse. The cells:
 * `cells.ts`; the end of the loop: `../loop.spec.ts`.
 */
import { describeOnEmbedded, describeOnPostgres, type TestDatabase } from '../../support/database.js';
import { seal, signatureOf, type WireDialect } from '../../support/doubles/double.js';
import { LedgerReader } from '../../support/ledger-reader.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { AnyFace, SeenReply } from '../../http/translation-bench.js';
import { ADVISER, DIALECTS, idOf, PRICES, resultsIn, ToolMatrixBench } from './bench.js';
import { servedAt, type ServedCell } from './cells.js';
import { call, casesOf, promptFault, Talk, text, thinking } from './matrix-client.js';

/** The doubles' usage of every call. */
const INPUT = 12;
const OUTPUT = 7;
const QUESTION = 'When do we sail?';
const PLAN = 'Let me see.';
const ANSWER = 'We sail at noon.';
/** Number of uses of every cell: two in the first call, and one in the second. */
const CALLS = 3;
const USES = 3;

function suite(dialects: readonly WireDialect[], targets: readonly WireDialect[]) {
  return (database: TestDatabase): void => {
    let bench: ToolMatrixBench;
    let talk: Talk;
    let ledger: LedgerReader;
    beforeAll(async () => {
      bench = await ToolMatrixBench.start(database);
      talk = new Talk(bench);
      ledger = new LedgerReader(bench.gateway);
    }, 240_000);
    afterAll(() => bench?.close());
    beforeEach(() => bench.forget());

    describe.each(casesOf(dialects))('$dialect through $name, stream $stream', ({ dialect, face, stream }) => {
      it.each(servedAt(face.name, dialect))('runs %s', async (_, cell: ServedCell) => {
        const [first, second, third] = cell.inputs;
        talk.script(
          dialect,
          {
            parts: [
              thinking('Two at once.'),
              text(PLAN),
              call('call_a', cell.name, first),
              call('call_b', cell.name, second),
            ],
          },
          { parts: [thinking('One more.'), call('call_a', cell.name, third)] },
          { parts: [thinking('That is it.'), text(ANSWER)] },
        );
        const request = { tools: [cell.tool], messages: face.user(QUESTION) };
        const { seen, id, usage } = await talk.ask(face, dialect, request, stream);
        expect(bench.violations).toEqual([]);
        expect(seen.text).toContain(ANSWER);
        expect(seen.calls).toEqual([]);
        const sent = talk.sentTo(dialect);
        expect(sent.map((body) => resultsIn(dialect, body).length)).toEqual([0, 2, 3]);
        const read = resultsIn(dialect, sent[2]);
        for (const words of read) expect(words).toMatch(cell.reads);
        // Each call's prompt begins with the one before it.
        expect(promptFault(dialect, sent[0], sent[1])).toBe('');
        expect(promptFault(dialect, sent[1], sent[2])).toBe('');
        expect(lacking(sent[2], dialect, cell, bench)).toEqual([]);
        if (face.name === 'messages') expect(bench.read(contentOf(seen.turn))).toEqual(contentDue(seen.turn, cell));
        else if (face.name === 'responses') expect(itemsOf(seen.turn)).toEqual(itemsDue(cell));
        else expect(Object.keys(seen.turn)).not.toContain('tool_calls');
        expect(seen.usage).toMatchObject({ prompt: 3 * INPUT, output: 3 * OUTPUT });
        expect(usage).toMatchObject(usageDue(face, dialect, cell));
        await expectCharged(id, usage, cell);
        await goOn(face, request, seen, read, cell);
      });

      async function expectCharged(id: string, usage: JsonBody, cell: ServedCell): Promise<void> {
        const calls = cell.consults ? CALLS + USES : CALLS;
        const cost = (calls * (INPUT * PRICES.prompt + OUTPUT * PRICES.completion)) / 1e6 + USES * cell.price;
        expect(usage.cost).toBeCloseTo(cost, 12);
        const row = await ledger.generation(id);
        expect(Number(row.cost)).toBeCloseTo(cost, 12);
        expect(Number(row.tools_cost)).toBeCloseTo(USES * cell.price, 12);
      }

      /** The history is sent to every dialect, whose models read the same. */
      async function goOn(
        face: AnyFace,
        request: JsonBody,
        seen: SeenReply,
        read: readonly string[],
        cell: ServedCell,
      ): Promise<void> {
        const before = talk.sentTo(dialect).at(-1);
        for (const target of stream ? targets : [dialect]) {
          bench.forget();
          talk.script(target, { parts: [text('Aye.')] });
          const messages = [...request.messages, seen.turn, ...face.user('Surely?')];
          const later = await talk.ask(face, target, { ...request, messages }, stream);
          expect({ target, violations: bench.violations }).toEqual({ target, violations: [] });
          expect(later.seen.text).toBe('Aye.');
          const [sent] = talk.sentTo(target);
          // Only Messages among the others sends tool results where the caller runs no tools.
          const isMessages = face.name === 'messages';
          expect({ target, read: resultsIn(target, sent) }).toEqual({ target, read: isMessages ? read : [] });
          if (target !== dialect || !isMessages) continue;
          expect(promptFault(target, before, sent)).toBe('');
          expect(lacking(sent, target, cell, bench)).toEqual([]);
        }
      }
    });
  };
}

/** Sums, and each call on the Messages face. */
function usageDue(face: AnyFace, dialect: WireDialect, { price, counter, consults }: ServedCell): object {
  const counts = counter && { web_search_requests: 0, web_fetch_requests: 0, [counter]: USES };
  const details = { server_tool_cost: USES * price };
  if (face.name !== 'messages') {
    return {
      cost_details: details,
      ...(counter === 'web_search_requests' && { server_tool_use_details: { [counter]: USES } }),
    };
  }
  const own = { type: 'message', model: idOf(dialect), input_tokens: INPUT, output_tokens: OUTPUT };
  const other = { type: 'advisor_message', model: ADVISER, input_tokens: INPUT, output_tokens: OUTPUT };
  const consultations = (uses: number): object[] => (consults ? Array.from({ length: uses }, () => other) : []);
  return {
    cost_details: details,
    server_tool_use: counts ?? null,
    iterations: [own, ...consultations(2), own, ...consultations(1), own],
  };
}

/** The content for the caller without the reasoning, which depends on the dialect. */
const contentOf = ({ content }: JsonBody): JsonBody[] =>
  content.filter(({ type }: JsonBody) => !/thinking$/.test(type));

function contentDue({ content: blocks }: JsonBody, { name, inputs, resultType: type, content }: ServedCell): unknown[] {
  const ids = blocks.flatMap(({ type, id }: JsonBody) => (type === 'server_tool_use' ? [id] : []));
  const use = (index: number): unknown =>
    expect.objectContaining({ type: 'server_tool_use', name, input: inputs[index] });
  const result = (index: number): unknown => ({ type, tool_use_id: ids[index], content });
  const text = (words: string): unknown => expect.objectContaining({ type: 'text', text: words });
  return [text(PLAN), use(0), use(1), result(0), result(1), use(2), result(2), text(ANSWER)];
}

/** The items for the caller without the reasoning. */
const itemsOf = ({ items }: JsonBody): JsonBody[] => items.filter(({ type }: JsonBody) => type !== 'reasoning');

function itemsDue({ name, tool }: ServedCell): unknown[] {
  const words = (text: string): unknown =>
    expect.objectContaining({ type: 'message', content: [expect.objectContaining({ type: 'output_text', text })] });
  const type = name === 'web_search' ? 'web_search_call' : tool.type;
  const use = expect.objectContaining({ type, status: 'completed', id: expect.stringMatching(/^srvtoolu_/) });
  return [words(PLAN), use, use, use, words(ANSWER)];
}

/** Signatures and seals of the first two steps that are missing. */
function lacking(sent: JsonBody, dialect: WireDialect, { name, inputs }: ServedCell, bench: ToolMatrixBench): string[] {
  const text = JSON.stringify(sent);
  return signedBy(dialect, name, bench.placed([inputs[0], inputs[2]])).filter((signed) => !text.includes(signed));
}

function signedBy(dialect: WireDialect, name: string, firstCalls: readonly JsonBody[]): string[] {
  const thoughts = ['Two at once.', 'One more.'];
  switch (dialect) {
    case 'anthropic-messages':
    case 'bedrock-converse':
      return thoughts.map((words) => signatureOf('anthropic', words));
    case 'google-gemini':
      return firstCalls.map((input) => signatureOf('google', `${name} ${JSON.stringify(input)}`));
    case 'openai-responses':
      return thoughts.map((words) => seal('openai', words));
    case 'cohere-chat':
      return thoughts;
    case 'openai-chat':
      return [];
  }
}

describeOnEmbedded('tools over every dialect', suite(DIALECTS, DIALECTS));
describeOnPostgres('tools over every dialect', suite(['anthropic-messages'], ['google-gemini']));
