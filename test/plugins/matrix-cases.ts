import type { ConsultationKind } from '../../src/core/conversation/usage.js';
import { paged } from '../support/engines/ocr-engine.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CALL, PRICES, type Route } from '../tools/faults-bench.js';

/** The content of a model's turn, in any format. */
export type ModelTurn = { readonly text: string } | { readonly call: string; readonly input: object };

/** The outcome of one request. */
export interface Outcome {
  /** The caller's reply, of either face. */
  readonly reply: JsonBody;
  /** The last request to the answering model, as one text. */
  readonly sent: string;
  /** The stages of the plugin, in order. */
  readonly stages: readonly JsonBody[];
}

/** One plugin in a request on which it has an effect. */
export interface PluginCase {
  /** The name of its stages. */
  readonly id: string;
  /** Faces that have it; both by default. */
  readonly routes?: readonly Route[];
  /** Fields of a request that enables it, beside the common ones. @param words the user's text */
  fields(route: Route, words: string): JsonBody;
  /** The model's turn, depending on its request, as one text. */
  answer(sent: string, pages: string): ModelTurn;
  /** The text for the caller. */
  readonly shownText: string;
  /** Checks the effect for the model and the caller. */
  shows(outcome: Outcome): void;
  /** The members of each stage beside its time. */
  readonly stages: readonly JsonBody[];
  /** Calls of the answering model. */
  readonly calls?: number;
  /** The purposes of the consulted models, in order: one call each. */
  readonly consulted?: readonly ConsultationKind[];
  /** The cost of tools and engines, in millionths of a USD. */
  readonly tools?: number;
  /** Expected in an explanation. */
  readonly explained: JsonBody;
  /** Expected in the stored decision. */
  readonly kept?: JsonBody;
  /** Fields in which a session's next request differs: without the session another model would answer. */
  readonly otherwise?: JsonBody;
}

export const ANSWER = 'The answer.';
export const SECRET = 'PRJ-4711';
export const PAGE = 'https://one.example/a';
/** The texts that its sources contain. */
export const BROUGHT = { found: 'Found on the web.', fetched: 'A page.', file: 'Sales rose.', panel: 'At nine.' };
export const ANALYSIS = JSON.stringify({
  consensus: ['It is late.'],
  contradictions: [],
  partial_coverage: [],
  unique_insights: [],
  blind_spots: [],
});
/** Precedes the answers of a panel in the request of the answering model. */
const PANEL = '<answer model=';

const user = (content: unknown): object => ({ role: 'user', content });
const answerTurn = (): ModelTurn => ({ text: ANSWER });
const on = (id: string): JsonBody => ({ plugins: [{ id, enabled: true, set_by: 'request' }] });
const count = (text: string, word: string): number => text.split(word).length - 1;

/** 24 turns of 1,200 characters, too many for the models' 9,000 tokens. */
const talk = (words: string): object[] => [
  ...Array.from({ length: 48 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `${turn}: ${'word '.repeat(240)}`,
  })),
  user(words),
];

/** A PDF in the form of either face. */
export function pdfOf(route: Route, ...pages: readonly string[]): object {
  const data = paged(...pages).toString('base64');
  return route === '/messages'
    ? { type: 'document', title: 'report.pdf', source: { type: 'base64', media_type: 'application/pdf', data } }
    : { type: 'file', file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${data}` } };
}

const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

/** Four uses of a tool, of which the edit keeps two. */
const used = (words: string): object[] => [
  user('Look.'),
  ...[0, 1, 2, 3].flatMap((at) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${at}`, name: 'look', input: {} }] },
    user([{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: `result ${at} ${'x'.repeat(400)}` }]),
  ]),
  { role: 'assistant', content: 'I have.' },
  user(words),
];
const CLEAR = 'clear_tool_uses_20250919';

const withWords = (_route: Route, words: string): JsonBody => ({ messages: [user(words)] });

export const CASES: readonly PluginCase[] = [
  {
    id: 'auto-router',
    fields: (route, words) => ({
      ...withWords(route, words),
      model: 'openrouter/auto',
      plugins: [{ id: 'auto-router', allowed_models: ['test/best', 'test/next'], cost_quality_tradeoff: 0 }],
    }),
    otherwise: {
      plugins: [{ id: 'auto-router', allowed_models: ['test/best', 'test/next'], cost_quality_tradeoff: 10 }],
    },
    answer: answerTurn,
    shownText: ANSWER,
    shows: ({ reply }) => expect(reply.metadata).toMatchObject({ requested: 'openrouter/auto', strategy: 'auto' }),
    stages: [{ type: 'plugin', summary: expect.stringMatching(/^test\/best of 2 models/), cost_usd: 0 }],
    explained: { ...on('auto-router'), choice: { by: 'auto-router' }, models: ['test/best', 'test/next'] },
    kept: { choice: { by: 'auto-router', strategy: 'auto', data: { tradeoff: 0 } } },
  },
  {
    id: 'pareto-router',
    fields: (route, words) => ({
      ...withWords(route, words),
      model: 'openrouter/pareto',
      plugins: [{ id: 'pareto-router' }],
    }),
    answer: answerTurn,
    shownText: ANSWER,
    shows: ({ reply }) => expect(reply.metadata).toMatchObject({ requested: 'openrouter/pareto', strategy: 'pareto' }),
    stages: [{ type: 'plugin', data: { tier: 'high', by: 'price of prompt' }, cost_usd: 0 }],
    explained: { ...on('pareto-router'), choice: { by: 'pareto-router' }, models: ['test/best'] },
    kept: { choice: { by: 'pareto-router', strategy: 'pareto', data: { tier: 'high' } } },
  },
  {
    id: 'file-parser',
    fields: (route, words) => ({
      messages: [user([{ type: 'text', text: words }, pdfOf(route, BROUGHT.file)])],
      plugins: [{ id: 'file-parser' }],
    }),
    answer: answerTurn,
    shownText: ANSWER,
    shows: ({ reply, sent }) => {
      expect(sent).toContain(BROUGHT.file);
      expect(JSON.stringify(reply.annotations)).toContain(BROUGHT.file);
    },
    stages: [{ type: 'plugin', summary: 'parsed', data: { engine: 'local', files: 1 }, cost_usd: 0 }],
    explained: { ...on('file-parser'), candidates: [{ tag: 'p3' }, { tag: 'p4' }] },
  },
  {
    id: 'web-fetch',
    fields: (route, words) => ({ ...withWords(route, words), plugins: [{ id: 'web-fetch' }] }),
    answer: (sent, pages) =>
      sent.includes('toolu_') || sent.includes('call_0')
        ? { text: ANSWER }
        : { call: 'web_fetch', input: { url: `${pages}/page` } },
    shownText: ANSWER,
    shows: ({ sent }) => expect(sent).toContain(BROUGHT.fetched),
    stages: [{ type: 'plugin', summary: 'offered', cost_usd: 0 }],
    calls: 2,
    tools: PRICES.fetch,
    explained: { ...on('web-fetch'), tools: [{ type: 'openrouter:web_fetch', runs_at: 'gateway', price: '0.002' }] },
  },
  {
    id: 'context-compression',
    fields: (_route, words) => ({ messages: talk(words), plugins: [{ id: 'context-compression' }] }),
    answer: answerTurn,
    shownText: ANSWER,
    shows: ({ sent }) => {
      expect(sent).toContain('"0: word');
      expect(sent).not.toContain('"24: word');
    },
    stages: [{ type: 'context_compression', summary: 'middle-out', cost_usd: 0 }],
    explained: { ...on('context-compression'), candidates: [{ tag: 'p3' }, { tag: 'p4' }] },
  },
  {
    id: 'context-management',
    routes: ['/messages'],
    fields: (_route, words) => ({
      messages: used(words),
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      context_management: {
        edits: [{ type: CLEAR, trigger: { type: 'tool_uses', value: 3 }, keep: { type: 'tool_uses', value: 2 } }],
      },
    }),
    answer: answerTurn,
    shownText: ANSWER,
    shows: ({ reply, sent }) => {
      expect([0, 1, 2, 3].map((at) => count(sent, `result ${at}`))).toEqual([0, 0, 1, 1]);
      expect(reply.context_management.applied_edits).toMatchObject([{ type: CLEAR, cleared_tool_uses: 2 }]);
    },
    stages: [{ type: 'context_compression', summary: CLEAR, data: { cleared_tool_uses: 2 }, cost_usd: 0 }],
    explained: {
      candidates: [
        { tag: 'p3', dropped: [] },
        { tag: 'p4', dropped: [] },
      ],
    },
  },
  {
    id: 'response-healing',
    fields: (route, words) => ({
      ...withWords(route, words),
      plugins: [{ id: 'response-healing' }],
      ...(route === '/messages'
        ? { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }
        : { response_format: { type: 'json_schema', json_schema: { name: 'it', schema: SCHEMA } } }),
    }),
    answer: () => ({ text: 'Here it is:\n```json\n{a: 1,}\n```' }),
    shownText: '{"a": 1}',
    shows: () => undefined,
    stages: [{ type: 'plugin', summary: 'healed', cost_usd: 0 }],
    explained: on('response-healing'),
  },
  {
    id: 'moderation',
    fields: (route, words) => ({ ...withWords(route, words), plugins: [{ id: 'moderation' }] }),
    answer: answerTurn,
    shownText: ANSWER,
    shows: () => undefined,
    stages: ['request', 'reply'].map((judged) => ({
      type: 'guardrail',
      summary: 'passed',
      data: { judged, engines: ['model'] },
      cost_usd: CALL / 1e6,
    })),
    consulted: ['moderation', 'moderation'],
    explained: { ...on('moderation'), consulted: [{ type: 'moderation', model: 'test/guard' }] },
  },
  {
    id: 'web',
    fields: (route, words) => ({ ...withWords(route, words), plugins: [{ id: 'web' }] }),
    answer: () => ({ text: `As [One](${PAGE}) has it.` }),
    shownText: `As [One](${PAGE}) has it.`,
    shows: ({ reply, sent }) => {
      expect(sent).toContain(BROUGHT.found);
      expect(reply.cited).toEqual([PAGE]);
    },
    stages: [{ type: 'plugin', summary: 'searched', data: { results: 1 }, cost_usd: PRICES.search / 1e6 }],
    tools: PRICES.search,
    explained: on('web'),
  },
  {
    id: 'fusion',
    fields: (route, words) => ({
      ...withWords(route, words),
      plugins: [{ id: 'fusion', analysis_models: ['test/one', 'test/two'], model: 'test/judge', tools: [] }],
    }),
    answer: (sent) => ({ text: sent.includes(PANEL) ? ANSWER : 'Unasked.' }),
    shownText: ANSWER,
    shows: ({ sent }) => {
      expect(sent).toContain(BROUGHT.panel);
      expect(sent).toContain('It is late.');
    },
    stages: [
      {
        type: 'plugin',
        summary: '2 of 2 answered',
        data: { judge: { outcome: 'judged' } },
        cost_usd: (3 * CALL) / 1e6,
      },
    ],
    consulted: ['fusion-panel', 'fusion-panel', 'fusion-judge'],
    explained: {
      ...on('fusion'),
      consulted: [
        { type: 'fusion_panel', model: 'test/one' },
        { type: 'fusion_panel', model: 'test/two' },
        { type: 'fusion_judge', model: 'test/judge' },
      ],
    },
  },
];
