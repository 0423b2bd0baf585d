import { anthropicText } from '../support/anthropic-upstream.js';
import type { CatalogEntry } from '../support/app.js';
import { json, type Script } from '../support/upstream-answers.js';
import { askStream } from './messages-bench.js';

const INPUT = [{ role: 'user', content: 'Hello' }];

/** One request for each route that takes an idempotency key, and for each way in which it replies. */
export const STREAMS = [
  ['/messages', askStream('test/native')],
  ['/chat/completions', { model: 'test/native', messages: INPUT, stream: true }],
  ['/responses', { model: 'test/native', input: 'Hello', stream: true }],
] as const;
export const TASKS = [
  ['/embeddings', { model: 'test/vectors', input: 'Hello' }],
  ['/rerank', { model: 'test/ranks', query: 'Hello', documents: ['One.', 'Two.'] }],
] as const;
export const ALL: readonly (readonly [string, object])[] = [
  ...STREAMS.flatMap(([path, body]) => [[path, { ...body, stream: false }] as const, [path, body] as const]),
  ...TASKS,
];

/** The models of `TASKS`, at an upstream of the chat format that is not strict. */
export const taskEntries = (url: string): CatalogEntry[] => {
  const shared = { input_modalities: ['text'], max_completion_tokens: undefined };
  // One provider has one set of quirks.
  const at = [{ url, dialect: 'openai-chat' as const, quirks: { rerank: 'cohere' } }];
  return [
    {
      id: 'test/vectors',
      at,
      model: { ...shared, output_modalities: ['embeddings'] },
      endpoint: { pricing: { prompt: '3' } },
    },
    {
      id: 'test/ranks',
      at,
      model: { ...shared, output_modalities: ['rerank'] },
      endpoint: { pricing: { request: '0.001' } },
    },
  ];
};

const TASK_REPLIES: Readonly<Record<string, object>> = {
  '/embeddings': {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
    model: 'm',
    usage: { prompt_tokens: 4, total_tokens: 4 },
  },
  '/rerank': {
    id: 'r',
    results: [
      { index: 1, relevance_score: 0.75 },
      { index: 0, relevance_score: 0.25 },
    ],
    meta: { billed_units: { search_units: 1 } },
  },
};

/** A reply of the upstream to the request of that path. */
export function replyOf(path: string): Script {
  const task = TASK_REPLIES[path];
  return task ? () => json(task) : anthropicText('For all.');
}

/** Cost of that reply in millionths of a USD: 12 tokens at 3 USD and 7 at 15 USD for a million; 4 tokens; a search. */
export const costOf = (path: string): number => ({ '/embeddings': 12, '/rerank': 1000 })[path] ?? 141;
