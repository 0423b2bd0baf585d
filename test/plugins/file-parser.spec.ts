/**
 * A PDF is sent unchanged to a model that takes files, and as text to any other, whichever engine parses it. The text
 * is returned, is neither parsed nor paid for again when it is sent back, costs at most what was held for it, and
 * nothing where parsing fails. Strict doubles of models of several formats and of the engine, whole and streamed, on
 * both faces. Rules: docs/use/plugins/file-parser.md.
 */
import { CLEARED_RESULT } from '../../src/core/conversation/clear-context.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { ocrAnswer, ocrRules, paged, sha256 } from '../support/engines/ocr-engine.js';
import { png } from '../support/images.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { responsesText } from '../support/responses-upstream.js';
import { readMessagesEvents } from '../support/sse.js';
import { cutAfter, garbage, HANG, json, neverAnswers, resets, type Answer } from '../support/upstream-answers.js';
import { startUpstream, Upstream } from '../support/upstreams.js';
import { buildMessage } from '../http/messages-bench.js';
import {
  CALL,
  formFor,
  inTurn,
  leftWithin,
  LoopBench,
  microUsd,
  readReply,
  ROUTES,
  answers,
  type Route,
} from '../tools/faults-bench.js';

const ANSWER = answers('I see.');
const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
/** Price of a page, in millionths of a USD. */
const PAGE = 2_000;
const REPORT = paged('Sales rose.', 'Costs fell.');
const SCAN = paged('', '', '');
const TEXT_ONLY = { model: { input_modalities: ['text'] } };
const OCR = { pdf: { engine: 'mistral-ocr' } };
const SECRET = 'PRJ-4711';
const PNG = png(8, 8).toString('base64');

/** A PDF in the form of either face, after a question. */
const file = (route: Route, bytes: Buffer, name = 'report.pdf'): object => {
  const data = bytes.toString('base64');
  return route === '/messages'
    ? { type: 'document', title: name, source: { type: 'base64', media_type: 'application/pdf', data } }
    : { type: 'file', file: { filename: name, file_data: `data:application/pdf;base64,${data}` } };
};
const linked = (route: Route, url: string): object =>
  route === '/messages'
    ? { type: 'document', source: { type: 'url', url } }
    : { type: 'file', file: { file_data: url, filename: 'linked.pdf' } };
const messagesWith = (...parts: object[]): object[] => [
  { role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...parts] },
];

describeOnEmbedded('the plugin file-parser', (database) => {
  let bench: LoopBench;
  let ocr: Upstream;
  let chat: Upstream;
  let responses: Upstream;
  let key: string;
  beforeAll(async () => {
    [ocr, chat, responses] = await Promise.all([
      new Upstream(ocrRules, () => ocrAnswer([])).listen(),
      startUpstream('openai'),
      startUpstream('responses'),
    ]);
    bench = await LoopBench.start(database, {
      plugins: {
        'file-parser': {
          'mistral-ocr': { base_url: ocr.url, credential: { value: KEY }, price_per_page: '0.002' },
        },
      },
      models: [
        { id: 'test/words', ...TEXT_ONLY },
        { id: 'test/chat-words', at: [{ url: chat.url, dialect: 'openai-chat' }], ...TEXT_ONLY },
        { id: 'test/chat-files', at: [{ url: chat.url, dialect: 'openai-chat' }] },
        { id: 'test/responses-words', at: [{ url: responses.url, dialect: 'openai-responses' }], ...TEXT_ONLY },
        {
          id: 'test/sees',
          at: [{ url: chat.url, dialect: 'openai-chat' }],
          model: { input_modalities: ['text', 'image'] },
        },
      ],
    });
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await Promise.all([ocr, chat, responses].map((upstream) => upstream?.close()));
  });
  beforeEach(() => {
    bench.begin(ANSWER);
    bench.upstreams.adviser.script(ANSWER);
    chat.script(openaiText('I see.'));
    responses.script(responsesText('I see.'));
    ocr.script(() => ocrAnswer([{ markdown: '# One' }, { markdown: 'Two' }, { markdown: '' }]));
    for (const upstream of [ocr, chat, responses]) upstream.requests.length = 0;
  });

  async function ask(route: Route, fields: object, init: object = {}): Promise<JsonBody> {
    const response = await bench.gateway.request(route, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify(formFor(route, bench.body({ tools: undefined, ...fields }))),
      ...init,
    });
    const text = await response.text();
    const shown = { status: response.status, id: response.headers.get('x-generation-id'), text };
    if (route === '/responses' && response.status === 200) {
      const reply = readReply(route, text);
      return { ...shown, ...reply, annotations: reply.response.annotations };
    }
    if (text.startsWith('{')) {
      const body = JSON.parse(text);
      return { ...shown, ...body, annotations: body.annotations ?? body.choices?.[0].message.annotations };
    }
    if (route === '/chat/completions') {
      const joined = joinChunks(readChunks(text));
      return { ...shown, ...joined, annotations: joined.message.annotations };
    }
    const events = readMessagesEvents(text);
    const { annotations } = events.find(({ type }) => type === 'message_delta') ?? {};
    return { ...shown, ...buildMessage(events), annotations };
  }

  /** The messages of a model's request, as one text. */
  const readBy = (upstream: Upstream, index = 0): string =>
    JSON.stringify(upstream.requests[index]?.json.messages ?? upstream.requests[index]?.json.input);
  const stagesIn = (text: string): JsonBody[] =>
    [...text.matchAll(/\{"type":"plugin","name":"file-parser".*?\}(?:,"cost_usd":[^}]*)?\}/g)].map(([stage]) =>
      JSON.parse(stage),
    );

  /** The account's charges, once nothing is held. */
  async function paid(): Promise<number> {
    await bench.ledger.rest();
    const { used, held } = await bench.ledger.account();
    expect([held, await bench.ledger.openHolds()]).toEqual([0, 0]);
    return used;
  }

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    const report = messagesWith(file(route, REPORT));
    const parsed = {
      type: 'file',
      file: {
        hash: sha256(REPORT),
        name: 'report.pdf',
        content: [
          { type: 'text', text: '[Page 1 of 2]\nSales rose.' },
          { type: 'text', text: '[Page 2 of 2]\nCosts fell.' },
        ],
      },
    };

    it.each([
      ['test/words', () => bench.upstreams.adviser],
      ['test/chat-words', () => chat],
      ['test/responses-words', () => responses],
    ])('sends %s the text, without a request and free of charge', async (model, upstream) => {
      const reply = await ask(route, { stream, model, messages: report });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(readBy(upstream())).toMatch(/Page 1 of 2.*Sales rose\..*Page 2 of 2.*Costs fell\./s);
      expect(readBy(upstream())).toContain('report.pdf');
      expect(readBy(upstream())).not.toContain(REPORT.toString('base64').slice(0, 40));
      expect(reply.annotations).toEqual([parsed]);
      expect(stagesIn(reply.text)[0]).toMatchObject({ summary: 'parsed', data: { engine: 'local', files: 1 } });
      expect(ocr.requests).toHaveLength(0);
      expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', tools_cost: 0 });
    });

    it('leaves it to a model that takes files', async () => {
      const reply = await ask(route, { stream, messages: report });
      expect(reply.status).toBe(200);
      expect(readBy(bench.upstreams.main)).toContain(REPORT.toString('base64'));
      expect([reply.annotations, stagesIn(reply.text)]).toEqual([undefined, []]);
    });

    it('sends a fallback model the text', async () => {
      bench.upstreams.main.script(() => json({ type: 'error', error: { type: 'api_error', message: 'no' } }, 500));
      const reply = await ask(route, { stream, models: ['test/chat-words'], messages: report });
      expect(reply.status).toBe(200);
      expect(readBy(bench.upstreams.main)).toContain(REPORT.toString('base64'));
      expect(readBy(chat)).toContain('Sales rose.');
    });

    it.each(['cloudflare-ai', 'pdf-text'])('sends any model the text where %s is requested', async (engine) => {
      const plugins = [{ id: 'file-parser', pdf: { engine } }];
      const reply = await ask(route, { stream, plugins, messages: report });
      expect(reply.status).toBe(200);
      expect(readBy(bench.upstreams.main)).toContain('Sales rose.');
      expect(readBy(bench.upstreams.main)).not.toContain(REPORT.toString('base64'));
      expect(reply.annotations).toEqual([parsed]);
    });

    it('reports that a scan has no text', async () => {
      const reply = await ask(route, { stream, model: 'test/words', messages: messagesWith(file(route, SCAN)) });
      expect(reply.status).toBe(200);
      expect(readBy(bench.upstreams.adviser)).toContain('[Pages 1 to 3 of 3 without any text: a scan or a drawing');
    });

    it('has the engine parse it where that is requested; the price is held, counted and charged', async () => {
      const { key: own } = await bench.gateway.newKey();
      const fields = {
        stream,
        plugins: [{ id: 'file-parser', ...OCR }],
        messages: messagesWith(file(route, fresh(3))),
      };
      const reply = await ask(route, fields, { key: own });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(ocr.requests[0]!.json).toMatchObject({ model: 'mistral-ocr-latest', pages: [0, 1, 2], image_limit: 8 });
      expect(readBy(bench.upstreams.main)).toMatch(
        /Page 1 of 3.*# One.*Page 2 of 3.*Two.*Page 3 of 3 without any text/,
      );
      expect(reply.annotations).toHaveLength(1);
      expect(stagesIn(reply.text)[0]).toMatchObject({
        summary: 'parsed',
        data: { engine: 'mistral-ocr', pages_charged: 3 },
        cost_usd: 0.006,
      });
      expect(microUsd(reply.usage.cost_details.server_tool_cost)).toBe(3 * PAGE);
      // No model called a tool.
      expect(reply.text).not.toContain('tool_calls_requested');
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL + 3 * PAGE, tools_cost: 3 * PAGE });
    });

    it('neither parses nor charges again what is sent back', async () => {
      const bytes = fresh(3);
      const messages = messagesWith(file(route, bytes));
      const annotations = [
        { type: 'file', file: { hash: sha256(bytes), name: 'x', content: [{ type: 'text', text: 'Read before.' }] } },
        { type: 'url_citation', url_citation: { url: 'https://one.example' } },
      ];
      const next = [
        ...messages,
        { role: 'assistant', content: 'I see.', annotations },
        { role: 'user', content: 'And?' },
      ];
      const reply = await ask(route, { stream, plugins: [{ id: 'file-parser', ...OCR }], messages: next });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(ocr.requests).toHaveLength(0);
      expect(readBy(bench.upstreams.main)).toContain('Read before.');
      expect(readBy(bench.upstreams.main)).not.toContain('annotations');
      expect(reply.annotations).toBeUndefined();
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL, tools_cost: 0 });
    });

    it('does not parse again what the account has sent before', async () => {
      const fields = { plugins: [{ id: 'file-parser', ...OCR }], messages: messagesWith(file(route, fresh(3))) };
      await ask(route, { stream, ...fields });
      const again = await ask(route, { stream, ...fields });
      expect([again.status, ocr.requests.length, again.annotations.length]).toEqual([200, 1, 1]);
      expect(await bench.row(again.id)).toMatchObject({ cost: CALL, tools_cost: 0 });
      const unkept = { provider: { zdr: true }, ...fields, messages: messagesWith(file(route, fresh(3))) };
      ocr.requests.length = 0;
      await ask(route, unkept);
      await ask(route, unkept);
      // No provider here satisfies the policy, so no model is called; what is parsed all the same is not cached.
      expect(ocr.requests.length).not.toBe(1);
    });

    it('leaves pages that the engine read beyond those requested to the operator', async () => {
      ocr.script(() => ocrAnswer([{ markdown: 'One' }], 4));
      const fields = {
        stream,
        plugins: [{ id: 'file-parser', ...OCR }],
        messages: messagesWith(file(route, fresh(1))),
      };
      const reply = await ask(route, fields);
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL + PAGE, tools_cost: PAGE, operator_cost: 3 * PAGE });
    });

    it('never charges more pages than it held for', async () => {
      ocr.script(() => ocrAnswer([{ markdown: 'One' }], 1_000_000));
      const fields = {
        stream,
        plugins: [{ id: 'file-parser', ...OCR }],
        messages: messagesWith(file(route, fresh(1))),
      };
      const reply = await ask(route, fields);
      // A figure that cannot be true costs no one anything.
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL + PAGE, tools_cost: PAGE, operator_cost: 0 });
    });

    it.each<[string, Answer]>([
      ['refuses the key', json({ detail: SECRET }, 401)],
      ['has too much to do', json({ detail: SECRET }, 429)],
      ['does not take it', json({ detail: SECRET }, 422)],
      ['breaks', json({ detail: SECRET }, 500)],
      ['answers in another form', json({ pages: SECRET })],
      ['returns a page that does not exist', ocrAnswer([{ markdown: 'a' }, { markdown: 'b' }, { markdown: 'c' }])],
      ['breaks off', cutAfter(json({ pages: [SECRET] }), 8)],
      ['resets', resets()],
      ['speaks no HTTP', garbage()],
      ['answers no JSON', { headers: { 'content-type': 'text/html' }, body: [SECRET] }],
    ])('fails where the engine %s: what was parsed is charged and comes with the error', async (_, answer) => {
      const [good, bad] = [fresh(1), fresh(2)];
      ocr.script(inTurn(ocrAnswer([{ markdown: 'Good.' }]), answer));
      const before = await paid();
      const messages = messagesWith(file(route, good, 'good.pdf'), file(route, bad));
      const reply = await ask(route, { stream, plugins: [{ id: 'file-parser', ...OCR }], messages });
      expect(reply.status).toBe(503);
      expect(reply.error.message).toMatch(/^(?:messages|input)\.0\.content\.2: could not be read by mistral-ocr: /);
      expect(reply.error.metadata.file_annotations).toMatchObject([{ file: { hash: sha256(good), name: 'good.pdf' } }]);
      expect(reply.text).not.toContain(SECRET);
      expect(bench.upstreams.main.requests).toHaveLength(0);
      expect(microUsd((await paid()) - before)).toBe(PAGE);
    });

    it.each<[string, Answer]>([
      ['is silent', neverAnswers()],
      ['is in mid-answer', { headers: { 'content-type': 'application/json' }, body: ['{"pages":[', HANG] }],
    ])('is left with its caller while the engine %s', async (_, answer) => {
      ocr.script(inTurn(answer));
      const before = await paid();
      const plugins = [{ id: 'file-parser', ...OCR }];
      const fields = { stream, tools: undefined, plugins, messages: messagesWith(file(route, fresh(1))) };
      const client = await bench.open(route, fields, key);
      const openCall = await ocr.request(0);
      client.destroy();
      expect(await leftWithin(openCall, Date.now())).toBeLessThan(1_000);
      expect(bench.upstreams.main.requests).toHaveLength(0);
      expect(await paid()).toBe(before);
    });

    it('calls nothing where it exceeds a limit', async () => {
      const { key: poor } = await bench.gateway.newKey({ limit: 0.03 });
      const fields = {
        stream,
        plugins: [{ id: 'file-parser', ...OCR }],
        messages: messagesWith(file(route, fresh(12))),
      };
      const reply = await ask(route, fields, { key: poor });
      expect([reply.status, ocr.requests.length, bench.upstreams.main.requests.length]).toEqual([402, 0, 0]);
    });

    it('sends pictures of a scan to models that take them, and to no other', async () => {
      const picture = `data:image/png;base64,${PNG}`;
      ocr.script(() => ocrAnswer([{ markdown: 'A chart', images: Array.from({ length: 9 }, () => picture) }]));
      const fields = {
        stream,
        plugins: [{ id: 'file-parser', ...OCR }],
        messages: messagesWith(file(route, fresh(1))),
      };
      const seen = await ask(route, { ...fields, model: 'test/sees' });
      expect({ status: seen.status, text: seen.text }).toMatchObject({ status: 200 });
      expect(readBy(chat).split(PNG)).toHaveLength(9);
      expect(seen.annotations[0].file.content.filter(({ type }: JsonBody) => type === 'image_url')).toHaveLength(8);
      const unseen = await ask(route, { ...fields, model: 'test/chat-words' });
      expect(unseen.status).toBe(200);
      expect(readBy(chat, 1)).not.toContain(PNG);
      expect(readBy(chat, 1)).toContain('A picture stands here');
    });

    it('fetches a file by address once, and sends its text', async () => {
      const { pages } = bench.upstreams;
      pages.script(() => ({ headers: { 'content-type': 'application/pdf' }, body: [REPORT] }));
      const url = `${pages.origin}/report.pdf`;
      const reply = await ask(route, { stream, model: 'test/words', messages: messagesWith(linked(route, url)) });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(readBy(bench.upstreams.adviser)).toContain('Sales rose.');
      expect(reply.annotations).toMatchObject([{ file: { hash: sha256(REPORT) } }]);
      expect(pages.requests).toHaveLength(1);
      pages.script(() => ({ headers: { 'content-type': 'text/html' }, body: ['<p>'] }));
      const wrong = await ask(route, { stream, model: 'test/words', messages: messagesWith(linked(route, url)) });
      expect([wrong.status, wrong.error.message]).toEqual([
        400,
        expect.stringMatching(/^(?:messages|input)\.0\.content\.1: /) as string,
      ]);
    });

    it.each([['native', /^plugins\.0\.pdf\.engine: native leaves PDFs to models that take files/]])(
      'refuses %s where no model takes files',
      async (engine, message) => {
        const plugins = [{ id: 'file-parser', pdf: { engine } }];
        const reply = await ask(route, { stream, model: 'test/words', plugins, messages: report });
        expect([reply.status, reply.error.message]).toEqual([400, expect.stringMatching(message) as string]);
      },
    );

    it('is off where it is turned off', async () => {
      const plugins = [{ id: 'file-parser', enabled: false }];
      const reply = await ask(route, { stream, model: 'test/words', plugins, messages: report });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(bench.upstreams.adviser.requests).toHaveLength(0);
    });

    it.each([
      ['a broken one', Buffer.from('%PDF-1.7\nnothing'), 'is a broken PDF'],
      ['no PDF', Buffer.from('just words'), 'is a broken PDF'],
      ['a docx', Buffer.from('PK\u0003\u0004word/document.xml'), 'is an office file, of which no text is read'],
    ])('refuses %s by its path, with what was parsed', async (_, bytes, reason) => {
      const messages = messagesWith(file(route, REPORT), file(route, bytes));
      const reply = await ask(route, { stream, model: 'test/words', messages });
      expect(reply.status).toBe(400);
      expect(reply.error.message).toMatch(
        new RegExp(`^(?:messages|input)\\.0\\.content\\.2((\\.file)?\\.file_data)?: ${reason}`),
      );
      if (reason.includes('broken')) {
        expect(reply.error.metadata.file_annotations).toMatchObject([{ file: { hash: sha256(REPORT) } }]);
      }
    });
  });

  it('spends money where the plugin is requested without an engine, and no model takes files', async () => {
    const fields = {
      model: 'test/words',
      plugins: [{ id: 'file-parser' }],
      messages: messagesWith(file('/messages', fresh(3))),
    };
    const reply = await ask('/messages', fields);
    expect([reply.status, ocr.requests.length]).toEqual([200, 1]);
    expect(readBy(bench.upstreams.adviser)).toContain('# One');
    expect(await bench.row(reply.id)).toMatchObject({ tools_cost: 3 * PAGE });
  });

  it('parses a file of several megabytes, by address too, and within its charge', async () => {
    const large = Buffer.concat([fresh(1), Buffer.alloc(3_000_000, '% padding\n')]);
    const { pages } = bench.upstreams;
    pages.script(() => ({ headers: { 'content-type': 'application/pdf' }, body: [large] }));
    ocr.script(() => ocrAnswer([{ markdown: 'Large.' }]));
    const plugins = [{ id: 'file-parser', ...OCR }];
    const messages = messagesWith(file('/messages', large), linked('/messages', `${pages.origin}/large.pdf`));
    const reply = await ask('/messages', { plugins, messages });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    // They are the same.
    expect([ocr.requests.length, pages.requests.length, reply.annotations.length]).toEqual([1, 1, 1]);
    expect(ocr.requests[0]!.json.document.document_url).toHaveLength(28 + Math.ceil(large.length / 3) * 4);
    expect(await bench.row(reply.id)).toMatchObject({ tools_cost: PAGE });
  });

  it("parses files in results of the caller's tools", async () => {
    const messages = [
      { role: 'user', content: 'Look it up.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [file('/messages', REPORT)] }],
      },
    ];
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const reply = await ask('/messages', { model: 'test/words', tools, messages });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(readBy(bench.upstreams.adviser)).toContain('Sales rose.');
    messages[2]!.content = [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: [file('/messages', Buffer.from('none'))] },
    ] as never;
    const broken = await ask('/messages', { model: 'test/words', tools, messages });
    expect(broken.error.message).toBe('messages.2.content.0.content.0: is a broken PDF');
  });

  it('parses at most 20 files', async () => {
    const messages = messagesWith(...Array.from({ length: 21 }, () => file('/messages', REPORT)));
    const reply = await ask('/messages', { model: 'test/words', messages });
    expect(reply.error.message).toBe('messages.0.content.21: at most 20 files of a request can be parsed');
  });

  it.each<[string, unknown, number]>([
    ['a wrong engine', { engine: 'guess' }, 400],
    ['null', null, 400],
    ['a text', 'native', 400],
    ['a null engine', { engine: null }, 400],
    ['nothing', {}, 200],
    ['more than is known', { engine: 'native', more: 1 }, 200],
  ])('checks pdf: %s', async (_, value, status) => {
    for (const route of ROUTES) {
      const reply = await ask(route, {
        plugins: [{ id: 'file-parser', pdf: value }],
        messages: messagesWith(file(route, REPORT)),
      });
      expect(reply.status).toBe(status);
      if (status === 400) expect(reply.error.message).toMatch(/^plugins\.0\.pdf/);
    }
  });

  it('counts the text where the model takes no files', async () => {
    const count = async (model: string): Promise<number> => {
      const body = {
        model,
        messages: messagesWith(file('/messages', paged(...Array.from({ length: 40 }, () => 'word '.repeat(10))))),
      };
      const response = await bench.gateway.request('/messages/count_tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as JsonBody).input_tokens;
    };
    expect(await count('test/chat-words')).toBeGreaterThan(450);
  });

  it('edits the context by the text of files where a model is sent the text', async () => {
    const book = paged(...Array.from({ length: 100 }, () => 'word '.repeat(15)));
    const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: `It is blue. ${'x'.repeat(400)}` };
    const fields = {
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [
        ...messagesWith(file('/messages', book)),
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
      context_management: {
        edits: [
          {
            type: 'clear_tool_uses_20250919',
            trigger: { type: 'input_tokens', value: 1_700 },
            keep: { type: 'tool_uses', value: 0 },
          },
        ],
      },
    };
    // A model that takes files reads no text: a file counts as one item there, of any length.
    chat.script(openaiText('I see.'));
    await ask('/messages', { ...fields, model: 'test/chat-files' });
    expect(readBy(chat)).toContain('It is blue.');
    bench.upstreams.main.script(() => json({ type: 'error', error: { type: 'api_error', message: 'no' } }, 500));
    const reply = await ask('/messages', { ...fields, models: ['test/chat-words'] });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(readBy(chat, 1)).toContain(CLEARED_RESULT);
    expect(readBy(chat, 1)).not.toContain('It is blue.');
  });

  it.each([
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a.bin', 'x'],
    ['application/octet-stream', 'table.xlsx', 'x'],
    ['application/pdf', 'a.pdf', 'PK\u0003\u0004'],
    ['text/plain', 'a.txt', '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'],
  ])('refuses office files on chat: %s, %s', async (mediaType, filename, bytes) => {
    const data = `data:${mediaType};base64,${Buffer.from(bytes, 'latin1').toString('base64')}`;
    const messages = messagesWith({ type: 'file', file: { filename, file_data: data } });
    const reply = await ask('/chat/completions', { messages });
    expect([reply.status, reply.error.message]).toEqual([
      400,
      'messages.0.content.1.file.file_data: is an office file, of which no text is read: only PDFs are parsed; send a PDF or its text',
    ]);
  });

  it.each(['redact', 'block'])('has content filters read the text before a model does: %s', async (action) => {
    const content_filters = [{ pattern: 'PRJ-\\d+', action, label: 'project' }];
    const { key: held } = await bench.gateway.guardedKey({ content_filters });
    const local = { model: 'test/words', messages: messagesWith(file('/messages', paged(`It is ${SECRET}.`))) };
    ocr.script(() => ocrAnswer([{ markdown: `It is ${SECRET}.` }]));
    const scanned = { plugins: [{ id: 'file-parser', ...OCR }], messages: messagesWith(file('/messages', fresh(1))) };
    for (const fields of [local, scanned]) {
      const reply = await ask('/messages', fields, { key: held });
      expect(reply.status).toBe(action === 'block' ? 403 : 200);
    }
    const read = [...bench.upstreams.adviser.requests, ...bench.upstreams.main.requests];
    expect(read).toHaveLength(action === 'block' ? 0 : 2);
    for (const { json: body } of read) expect(JSON.stringify(body)).not.toContain(SECRET);
  });
});

let made = 0;
/** A scan of this many pages that was never sent before. */
const fresh = (pages: number): Buffer =>
  Buffer.concat([paged(...Array.from({ length: pages }, () => '')), Buffer.from(`% ${made++}\n`)]);

describeOnEmbedded('the plugin file-parser without an engine', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { models: [{ id: 'test/words', ...TEXT_ONLY }] });
  }, 240_000);
  afterAll(() => bench?.close());

  it('names the setting that is missing, and parses locally where no engine is requested', async () => {
    bench.begin(ANSWER);
    const { key } = await bench.gateway.newKey();
    const fields = { model: 'test/words', tools: undefined, messages: messagesWith(file('/messages', REPORT)) };
    const refused = await bench.ask('/messages', { ...fields, plugins: [{ id: 'file-parser', ...OCR }] }, key);
    expect(refused.body.error.message).toBe(
      'plugins.0.pdf.engine: mistral-ocr is not set up, or lacks its credential; the setting is plugins.file-parser.mistral-ocr of the catalog file',
    );
    const read = await bench.ask('/messages', { ...fields, plugins: [{ id: 'file-parser' }] }, key);
    expect([read.status, bench.upstreams.adviser.requests.length]).toEqual([200, 1]);
  });
});
