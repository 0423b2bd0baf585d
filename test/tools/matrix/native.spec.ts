/**
 * Uses of Anthropic's own tools are sent back to Anthropic unchanged, and to the models of every other dialect as tool
 * calls with their results, whether or not the turn has tools; the same holds for uses of the gateway's tools.
 * Histories are those of the vendor's pages and recordings, with strict doubles.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOnEmbedded } from '../../support/database.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { FACES, type TestFace } from '../../http/translation-bench.js';
import { DIALECTS, resultsIn, ToolMatrixBench } from './bench.js';
import { call, Talk, text } from './matrix-client.js';

const [MESSAGES] = FACES as [TestFace];
const ANTHROPIC = 'anthropic-messages';
const RECORDING = join(__dirname, '../../providers/recordings/anthropic-messages/web-search.json');

const use = (id: string, name: string, input: object): JsonBody => ({ type: 'server_tool_use', id, name, input });
const result = (type: string, tool_use_id: string, content: object): JsonBody => ({ type, tool_use_id, content });
const textBlock = (words: string): JsonBody => ({ type: 'text', text: words });
const page = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'High water is at noon.' } };

/** A turn with several tools, and the result of each for a model of another vendor. */
const TURNS: readonly (readonly [string, readonly JsonBody[], readonly RegExp[]])[] = [
  [
    'side by side',
    [
      textBlock('Let me see.'),
      use('srvtoolu_01', 'web_search', { query: 'tides' }),
      use('srvtoolu_02', 'web_fetch', { url: 'https://tides.example/' }),
      result('web_search_tool_result', 'srvtoolu_01', [
        {
          type: 'web_search_result',
          url: 'https://tides.example/',
          title: 'Tides',
          encrypted_content: 'x',
          page_age: null,
        },
      ]),
      result('web_fetch_tool_result', 'srvtoolu_02', {
        type: 'web_fetch_result',
        url: 'https://tides.example/',
        content: page,
      }),
      textBlock('At noon.'),
    ],
    [/Tides \(https:\/\/tides\.example\/\)/, /High water is at noon/],
  ],
  [
    'one after the other, one of which failed',
    [
      use('srvtoolu_01', 'web_search', { query: 'tides' }),
      result('web_search_tool_result', 'srvtoolu_01', {
        type: 'web_search_tool_result_error',
        error_code: 'unavailable',
      }),
      textBlock('Otherwise then.'),
      use('srvtoolu_02', 'bash_code_execution', { command: 'date' }),
      result('bash_code_execution_tool_result', 'srvtoolu_02', {
        type: 'bash_code_execution_result',
        stdout: 'noon',
        stderr: '',
        return_code: 0,
        content: [],
      }),
    ],
    [/failed: unavailable/, /noon/],
  ],
];

describeOnEmbedded('uses of vendors’ own tools', (database) => {
  let bench: ToolMatrixBench;
  let talk: Talk;
  beforeAll(async () => {
    bench = await ToolMatrixBench.start(database);
    talk = new Talk(bench);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.forget());

  const histories = (content: readonly JsonBody[]): JsonBody[] => [
    ...MESSAGES.user('When do we sail?'),
    { role: 'assistant', content },
    ...MESSAGES.user('Surely?'),
  ];
  async function sent(dialect: (typeof DIALECTS)[number], fields: object): Promise<JsonBody> {
    talk.script(dialect, { parts: [text('Aye.')] });
    const { seen } = await talk.ask(MESSAGES, dialect, { thinking: { type: 'disabled' }, ...fields }, true);
    expect({ dialect, violations: bench.violations }).toEqual({ dialect, violations: [] });
    expect(seen.text).toBe('Aye.');
    return talk.sentTo(dialect)[0];
  }
  const TOOLS = [MESSAGES.tool('look', { type: 'object' })];

  it.each(TURNS)('are sent back %s', async (_, content, read) => {
    const messages = histories(content);
    const native = await sent(ANTHROPIC, { messages });
    expect(native.messages).toEqual(messages);
    for (const dialect of DIALECTS.filter((one) => one !== ANTHROPIC)) {
      for (const tools of [undefined, TOOLS]) {
        bench.forget();
        const results = resultsIn(dialect, await sent(dialect, { messages, ...(tools && { tools }) }));
        expect({ dialect, results }).toEqual({ dialect, results: read.map((words) => expect.stringMatching(words)) });
      }
    }
  });

  it('are sent back as they were recorded', async () => {
    const { content } = JSON.parse(await readFile(RECORDING, 'utf8'));
    const messages = histories(content);
    expect((await sent(ANTHROPIC, { messages })).messages).toEqual(messages);
    const uses = content.filter(({ type }: JsonBody) => type === 'server_tool_use');
    for (const dialect of DIALECTS.filter((one) => one !== ANTHROPIC)) {
      bench.forget();
      expect(resultsIn(dialect, await sent(dialect, { messages }))).toHaveLength(uses.length);
    }
  });

  it('are sent as text where an earlier turn calls the caller’s tools', async () => {
    const id = 'toolu_01';
    const content = [
      { type: 'tool_use', id, name: 'look', input: {} },
      use('srvtoolu_01', 'web_search', { query: 'tides' }),
      result('web_search_tool_result', 'srvtoolu_01', []),
    ];
    const answer = { type: 'tool_result', tool_use_id: id, content: 'seen' };
    const messages = [
      ...MESSAGES.user('When do we sail?'),
      { role: 'assistant', content },
      { role: 'user', content: [answer] },
    ];
    for (const dialect of DIALECTS.filter((one) => one !== ANTHROPIC)) {
      bench.forget();
      const body = await sent(dialect, { messages, tools: TOOLS });
      expect(resultsIn(dialect, body)).toEqual(['seen']);
      expect(JSON.stringify(body)).toContain('[Called tool web_search');
    }
  });

  it('are sent back of the gateway’s tools too where the next turn has none', async () => {
    talk.script(ANTHROPIC, { parts: [call('call_a', 'datetime', {})] }, { parts: [text('At noon.')] });
    const request = { messages: MESSAGES.user('When?'), tools: [{ type: 'openrouter:datetime' }] };
    const { seen } = await talk.ask(MESSAGES, ANTHROPIC, request, true);
    for (const dialect of DIALECTS) {
      bench.forget();
      const messages = [...request.messages, seen.turn, ...MESSAGES.user('Surely?')];
      expect(resultsIn(dialect, await sent(dialect, { messages }))).toHaveLength(1);
    }
  });
});
