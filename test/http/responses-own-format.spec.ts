/**
 * Checks what comes from an upstream of the responses format: on the face of the same format annotations, refusals and
 * their ids as they came, whole and streamed; on the others what those have a form for (annotations with an address),
 * and nothing else. A reply that was cancelled is none. The real application runs over a strict loopback upstream
 * (docs/use/translation/openai-responses.md#replies).
 */
import { extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { messageItem, responsesReply, responsesText } from '../support/responses-upstream.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ALL_FACES, FACES, responsesBody, responsesFace, type AnyFace } from './translation-bench.js';

const MODEL = 'test/own';
const FIRST = 'Ropes are strong.';
const SECOND = 'Ropes 👋 are made of hemp.';
const PAGE = { type: 'url_citation', url: 'https://a.test/', title: 'Ropes', start_index: 0, end_index: 5 };
const FILES = [
  { type: 'file_citation', file_id: 'file_1', filename: 'ropes.pdf', index: 5 },
  { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1', filename: 'b.csv', start_index: 6, end_index: 8 },
  { type: 'file_path', file_id: 'file_2', index: 3 },
]; // oxfmt-ignore
const LATER = { ...PAGE, url: 'https://b.test/', start_index: 9, end_index: 12 };
const CITED = [FILES[0]!, PAGE, FILES[1]!, FILES[2]!];
const part = (text: string, annotations: readonly object[]): object => ({ type: 'output_text', text, annotations, logprobs: [] }); // oxfmt-ignore
const ITEMS = [
  { id: 'ws_1', type: 'web_search_call', status: 'failed', action: { type: 'search', query: 'ropes' } },
  messageItem('', { content: [part(FIRST, CITED)], phase: 'commentary' }),
  messageItem('', { id: 'msg_2', content: [part(SECOND, [LATER])], phase: 'final_answer' }),
];
const REFUSED = messageItem('', { id: 'msg_7', content: [{ type: 'refusal', refusal: 'No.' }], phase: 'final_answer' });
const MODES = [false, true];
const CASES = ALL_FACES.flatMap((face) => MODES.map((stream) => ({ face, name: face.name, stream })));

describeOnEmbedded('replies of the responses format', (database) => {
  let gateway: TestGateway;
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream('responses');
    gateway = await startGateway(database, {
      catalog: extendedCatalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'openai-responses' }] }),
      coolsDown: false,
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function send(face: AnyFace, stream: boolean, script: Script): Promise<{ status: number; text: string }> {
    upstream.script(script);
    const body = { model: MODEL, max_tokens: 1_000, messages: face.user('Hello'), stream };
    const response = await gateway.request(face.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(face === responsesFace ? responsesBody(body) : body),
    });
    return { status: response.status, text: await response.text() };
  }

  async function replyOf(face: AnyFace, stream: boolean, script: Script): Promise<JsonBody> {
    const { status, text } = await send(face, stream, script);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return stream ? face.streamed(text).turn : face.whole(JSON.parse(text)).turn;
  }

  it.each(MODES)('come as they are on the same face, streamed: %s', async (stream) => {
    const { items } = await replyOf(responsesFace, stream, responsesReply(ITEMS));
    expect(items).toEqual(ITEMS.map((item) => ({ status: 'completed', ...item })));
  });

  it.each(MODES)('refuse in a message with its own id and phase, streamed: %s', async (stream) => {
    const { items } = await replyOf(responsesFace, stream, responsesReply([REFUSED]));
    expect(items).toEqual([REFUSED]);
  });

  it.each(FACES.flatMap((face) => MODES.map((stream) => ({ face, name: face.name, stream }))))(
    'cite pages alone on $name, streamed: $stream',
    async ({ face, stream }) => {
      const turn = await replyOf(face, stream, responsesReply(ITEMS));
      const shown = JSON.stringify(turn);
      for (const one of ['file_1', 'cfile_1', 'file_2', 'annotation"', 'ws_1']) expect(shown).not.toContain(one);
      if (face.name === 'messages') {
        const [first, second] = turn.content;
        const page = { type: 'web_search_result_location', cited_text: '', title: 'Ropes', encrypted_index: '' };
        expect(first).toMatchObject({ text: FIRST, citations: [{ ...page, url: PAGE.url }] });
        expect(second).toMatchObject({ text: SECOND, citations: [{ ...page, url: LATER.url }] });
        return;
      }
      expect(turn.annotations.map(({ url_citation: { url, start_index: start, end_index: end } }: JsonBody) => [url, start, end])).toEqual([
        [PAGE.url, 0, 5],
        [LATER.url, FIRST.length, FIRST.length + SECOND.length],
      ]); // oxfmt-ignore
    },
  );

  it.each(CASES)('are no replies where they were cancelled: $name, streamed: $stream', async ({ face, stream }) => {
    const cancelled = responsesReply([messageItem('Half')], { status: 'cancelled' });
    const { status, text } = await send(face, stream, cancelled);
    if (stream) {
      expect([status, text]).toEqual([200, expect.stringMatching(/reply was cancelled/)]);
      expect(text).not.toMatch(/response\.completed|message_stop|"finish_reason":"stop"/);
    } else expect([status, text]).toEqual([502, expect.stringContaining('reply')]);
    const { data }: JsonBody = await (await gateway.request('/generations?limit=1')).json();
    expect(data[0]).toMatchObject({ status: 502, error_type: expect.any(String) });
  });

  it('return no annotations to their vendor, which needs none of them', async () => {
    const { items } = await replyOf(responsesFace, false, responsesReply(ITEMS));
    upstream.script(responsesText('Aye.'));
    const input = [...responsesFace.user('Hello'), ...items, ...responsesFace.user('And?')];
    const body = JSON.stringify({ model: MODEL, input });
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.request('/responses', { method: 'POST', headers, body })).status).toBe(200);
    expect(upstream.requests.at(-1)!.json.input.slice(1, 4)).toEqual([
      ITEMS[0],
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: FIRST }], phase: 'commentary' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: SECOND }], phase: 'final_answer' },
    ]);
  });
});
