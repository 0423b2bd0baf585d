/**
 * Goal: on the third face any cut of the upstream's bytes gives the same items as the whole reply, with every dialect
 * on each platform; and where the upstream has the same format, directly or at Azure, texts and arguments come byte by
 * byte, and a longer conversation is sent with the same bytes at its beginning, so that caches hit. Method: the
 * application before strict doubles, which send their streams in pieces of these sizes.
 */
import { describeOnEmbedded } from '../../support/database.js';
import type { DoubleReply } from '../../support/doubles/double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { readResponseEvents } from '../../support/response-events.js';
import { promptFault } from '../../tools/matrix/matrix-client.js';
import { responsesFace } from '../translation-bench.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';
import { BUDGET, MAX_TOKENS, schemaOf, WEATHER } from './cases.js';

/** Within characters and between them, within lines, and longer than most frames. */
const SIZES = [1, 2, 3, 7, 61, 509, 100_000];
const TEXT = 'Grüße, 你好 👋 "\\" – {"a":1}\n\n data: [DONE]';
const INPUT = { city: 'Zürich "\\" 👋\n' };
const REPLY: DoubleReply = {
  parts: [
    { type: 'thinking', text: 'Zuerst 東京 🤔.' },
    { type: 'text', text: TEXT },
    { type: 'call', id: 'call_w1', name: WEATHER.name, input: INPUT },
  ],
};
const LAST: DoubleReply = { parts: [{ type: 'text', text: 'Aye.' }] };

describeOnEmbedded('items of responses', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const tools = [responsesFace.tool(WEATHER.name, schemaOf(WEATHER.name))];
  const begin = responsesFace.user('Weather?');

  async function output(pair: Pair, messages: readonly JsonBody[], stream: boolean): Promise<JsonBody[]> {
    const body = { model: pair.id, max_tokens: MAX_TOKENS, ...responsesFace.thinking(BUDGET), tools, messages, stream };
    const response = await bench.send('/responses', body);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return (stream ? readResponseEvents(text).at(-1).response : JSON.parse(text)).output;
  }

  it.each(PAIRS)('of $id are the same by any cut of the bytes', async (pair) => {
    const double = bench.doubleOf(pair);
    double.script(REPLY);
    double.transmission = {};
    const due = plain(await output(pair, begin, false));
    expect(due.map(({ type }) => type)).toEqual(expect.arrayContaining(['message', 'function_call']));
    for (const bytesPerPiece of SIZES) {
      double.transmission = { bytesPerPiece };
      expect([bytesPerPiece, plain(await output(pair, begin, true))]).toEqual([bytesPerPiece, due]);
    }
    double.transmission = {};
  });

  const ownFormat = PAIRS.filter(({ dialect }) => dialect === 'openai-responses');
  it.each(ownFormat)('of $id come and go as they are', async (pair) => {
    const double = bench.doubleOf(pair);
    double.calls.length = 0;
    for (const stream of [false, true]) {
      double.script(REPLY);
      const items = await output(pair, begin, stream);
      const call = items.find(({ type }) => type === 'function_call')!;
      expect(items.find(({ type }) => type === 'message')!.content[0].text).toBe(TEXT);
      expect(call).toMatchObject({ call_id: 'call_w1', arguments: JSON.stringify(INPUT) });
      double.script(LAST);
      const longer = [...begin, ...items, ...responsesFace.results([{ id: call.call_id, text: 'rain' }])];
      await output(pair, longer, stream);
      const [first, second] = double.calls.slice(-2).map(({ body }) => body);
      expect(promptFault(pair.dialect, first, second)).toBe('');
      const sent = JSON.stringify(second.input);
      for (const part of [TEXT, JSON.stringify(INPUT)]) expect(sent).toContain(JSON.stringify(part));
    }
    expect(ownFormat.map(({ platform }) => platform)).toEqual(expect.arrayContaining(['direct', 'azure']));
  });
});

/** Without ids, which differ from reply to reply, and what contains them. */
const plain = (items: readonly JsonBody[]): JsonBody[] =>
  items.map(({ id: _id, call_id: _callId, encrypted_content: proof, ...rest }) => ({
    ...rest,
    hasProof: typeof proof,
  }));
