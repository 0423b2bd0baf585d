/**
 * Goal: every tool that the gateway serves runs behind every dialect, in the way of each face, whole and streamed: calls
 * side by side, reasoning between them, exact sums and money; and a turn later every model of any dialect reads what the
 * first one read. Method: the application over HTTP before strict doubles, which refuse calls, results, signatures and
 * seals that are not as their vendors want them. The cells: `cells.ts`; how the loop ends: `../loop.spec.ts`.
 */
import { describeOnEmbedded, describeOnPostgres, type TestDatabase } from '../../support/database.js';
import { seal, signatureOf, type DoubleReply, type WireDialect } from '../../support/doubles/double.js';
import { LedgerReader } from '../../support/ledger-reader.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { promptBytes } from '../../support/wandering/sent-prompt.js';
import { FACES, type SeenReply, type TestFace } from '../../http/translation-bench.js';
import { DIALECTS, idOf, isAdviser, PRICES, resultsIn, ToolMatrixBench } from './bench.js';
import { HANDED, SERVED, type HandedCell, type ServedCell } from './cells.js';

const MAX_TOKENS = 4_000;
const BUDGET = 2_000;
/** The doubles' usage of every call. */
const INPUT = 12;
const OUTPUT = 7;
const QUESTION = 'When do we sail?';
const ANSWER = 'We sail at noon.';
const MODES = [false, true];
/** Of every cell: two uses in the first call, and one in the second. */
const CALLS = 3;
const USES = 3;

const thinking = (text: string): DoubleReply['parts'][number] => ({ type: 'thinking', text });
const text = (words: string): DoubleReply['parts'][number] => ({ type: 'text', text: words });
const call = (id: string, name: string, input: JsonBody): DoubleReply['parts'][number] => ({
  type: 'call',
  id,
  name,
  input,
});

/** One call that was answered, and how the reply was told. */
interface Told {
  readonly seen: SeenReply;
  readonly id: string;
  /** In the face's own words. */
  readonly usage: JsonBody;
}

function suite(dialects: readonly WireDialect[], targets: readonly WireDialect[]) {
  return (database: TestDatabase): void => {
    let bench: ToolMatrixBench;
    let ledger: LedgerReader;
    beforeAll(async () => {
      bench = await ToolMatrixBench.start(database);
      ledger = new LedgerReader(bench.gateway);
    }, 60_000);
    afterAll(() => bench?.close());
    beforeEach(() => bench.forget());

    /** One reply after the other; advisers always say the same. */
    function script(dialect: WireDialect, ...replies: readonly DoubleReply[]): void {
      for (const one of new Set([bench.doubleOf(dialect), bench.doubleOf('openai-chat')])) {
        let next = 0;
        one.script((asked) => {
          if (isAdviser(asked)) return { parts: [text('Wait for the tide.')] };
          return bench.placed(replies[Math.min(next++, replies.length - 1)]!);
        });
      }
    }

    const sentTo = (dialect: WireDialect): JsonBody[] =>
      bench
        .doubleOf(dialect)
        .calls.filter((asked) => !isAdviser(asked) && asked.dialect === dialect)
        .map(({ body }) => bench.read(body));

    async function ask(face: TestFace, dialect: WireDialect, fields: object, stream: boolean): Promise<Told> {
      const body = { model: idOf(dialect), max_tokens: MAX_TOKENS, stream, ...face.thinking(BUDGET), ...fields };
      const response = await bench.send(face.path, body);
      const printed = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${printed} ${bench.violations.join(' ')}`);
      const seen = stream ? face.streamed(printed) : face.whole(JSON.parse(printed));
      return { seen, id: response.headers.get('x-generation-id')!, usage: usageIn(face, printed, stream) };
    }

    const CASES = dialects.flatMap((dialect) =>
      FACES.flatMap((face) => MODES.map((stream) => ({ dialect, face, stream, name: face.name }))),
    );

    describe.each(CASES)('$dialect through $name, stream $stream', ({ dialect, face, stream }) => {
      const served = Object.entries(SERVED).filter(([, { faces }]) => faces.includes(face.name));

      it.each(served)('runs %s', async (_, cell: ServedCell) => {
        const [first, second, third] = cell.inputs;
        script(
          dialect,
          {
            parts: [thinking('Two at once.'), text('Let me see.'), call('call_a', cell.name, first), call('call_b', cell.name, second)],
          },
          { parts: [thinking('One more.'), call('call_a', cell.name, third)] },
          { parts: [thinking('That is it.'), text(ANSWER)] },
        );
        const asked = { tools: [cell.tool], messages: face.user(QUESTION) };
        const { seen, id, usage } = await ask(face, dialect, asked, stream);
        expect(bench.violations).toEqual([]);
        expect(seen.text).toContain(ANSWER);
        expect(seen.calls).toEqual([]);
        const sent = sentTo(dialect);
        expect(sent.map((body) => resultsIn(dialect, body).length)).toEqual([0, 2, 3]);
        const read = resultsIn(dialect, sent[2]!);
        for (const words of read) expect(words).toMatch(cell.reads);
        // Each call's prompt begins with the one before it.
        expect(promptFault(dialect, sent[0]!, sent[1]!)).toBe('');
        expect(promptFault(dialect, sent[1]!, sent[2]!)).toBe('');
        expect(lacking(sent[2]!, dialect, cell, bench)).toEqual([]);
        if (face.name === 'messages') expect(blocksOf(seen.turn, cell)).toEqual(blocksDue(dialect, cell));
        else expect(Object.keys(seen.turn)).not.toContain('tool_calls');
        expect(seen.usage).toMatchObject({ prompt: 3 * INPUT, output: 3 * OUTPUT });
        expect(usage).toMatchObject(usageDue(face, dialect, cell));
        await expectCharged(id, usage, cell);
        await goOn(face, asked, seen, read, cell);
      });

      async function expectCharged(id: string, usage: JsonBody, cell: ServedCell): Promise<void> {
        const calls = cell.consults ? CALLS + USES : CALLS;
        const cost = (calls * (INPUT * PRICES.prompt + OUTPUT * PRICES.completion)) / 1e6 + USES * cell.price;
        expect(usage.cost).toBeCloseTo(cost, 12);
        const row = await ledger.generation(id);
        expect(Number(row.cost)).toBeCloseTo(cost, 12);
        expect(Number(row.tools_cost)).toBeCloseTo(USES * cell.price, 12);
      }

      /** The history comes back to every dialect, whose models read the same. */
      async function goOn(face: TestFace, asked: JsonBody, seen: SeenReply, read: readonly string[], cell: ServedCell): Promise<void> {
        const before = sentTo(dialect).at(-1)!;
        for (const target of stream ? targets : [dialect]) {
          bench.forget();
          script(target, { parts: [text('Aye.')] });
          const messages = [...asked.messages, seen.turn, ...face.user('Surely?')];
          const later = await ask(face, target, { ...asked, messages }, stream);
          expect({ target, violations: bench.violations }).toEqual({ target, violations: [] });
          expect(later.seen.text).toBe('Aye.');
          const [sent] = sentTo(target);
          // On chat nothing of the tools is told where the caller runs none.
          expect({ target, read: resultsIn(target, sent!) }).toEqual({ target, read: face.name === 'chat' ? [] : read });
          if (target !== dialect || face.name === 'chat') continue;
          expect(promptFault(target, before, sent!)).toBe('');
          expect(lacking(sent!, target, cell, bench)).toEqual([]);
        }
      }
    });
  };
}

/** Where a longer conversation does not begin with the shorter one; '' where it does. */
function promptFault(dialect: WireDialect, shorter: JsonBody, longer: JsonBody): string {
  // An empty list of citations, as the Messages face tells it, says what none says.
  const [due, found] = [shorter, longer].map((body) => promptBytes(dialect, body).replaceAll(',"citations":[]', '')) as [
    string,
    string,
  ];
  if (found.startsWith(due)) return '';
  const at = [...due].findIndex((character, place) => character !== found[place]);
  return `${due.slice(Math.max(0, at - 80), at + 160)}  <>  ${found.slice(Math.max(0, at - 80), at + 160)}`;
}

function usageIn(face: TestFace, printed: string, stream: boolean): JsonBody {
  if (face.name === 'messages') return stream ? buildMessage(readMessagesEvents(printed)).usage : JSON.parse(printed).usage;
  return stream ? joinChunks(readChunks(printed)).usage : JSON.parse(printed).usage;
}

/** Sums, and each call on the Messages face. */
function usageDue(face: TestFace, dialect: WireDialect, { price, counter, consults }: ServedCell): object {
  const counts = counter && { web_search_requests: 0, web_fetch_requests: 0, [counter]: USES };
  const details = { server_tool_cost: USES * price };
  if (face.name === 'chat') {
    return { cost_details: details, ...(counter === 'web_search_requests' && { server_tool_use_details: { [counter]: USES } }) };
  }
  const own = { type: 'message', model: idOf(dialect), input_tokens: INPUT, output_tokens: OUTPUT };
  const other = { type: 'advisor_message', model: ADVISER, input_tokens: INPUT, output_tokens: OUTPUT };
  const asked = (uses: number): object[] => (consults ? Array.from({ length: uses }, () => other) : []);
  return {
    cost_details: details,
    server_tool_use: counts ?? null,
    iterations: [own, ...asked(2), own, ...asked(1), own],
  };
}

/** What the caller is told, without the reasoning, of which dialects tell more or less. */
const blocksOf = ({ content }: JsonBody, { content: result }: ServedCell): JsonBody[] =>
  content
    .filter(({ type }: JsonBody) => !/thinking$/.test(type))
    .map(({ id, citations, ...block }: JsonBody) => block);

function blocksDue(dialect: WireDialect, { name, inputs, resultType, content }: ServedCell): unknown[] {
  return [];
}

/** What its maker signed or sealed in the first two steps, and is not shown. */
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
void HANDED;
void (0 as unknown as HandedCell);

describeOnEmbedded('tools over every dialect', suite(DIALECTS, DIALECTS));
describeOnPostgres('tools over every dialect', suite(['anthropic-messages'], ['google-gemini']));
