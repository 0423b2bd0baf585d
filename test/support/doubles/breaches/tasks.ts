import { TASK_DOUBLES } from '../task-doubles.js';
import type { TaskDouble } from '../task-doubles.js';
import type { RightCall } from './rule-case.js';

// Vectors and rankings: a valid call of each vendor's, and one breach for each rule.

/** A valid call of a task, and one breach for each rule. */
export interface TaskCase extends RightCall {
  readonly name: string;
  readonly model: string;
  readonly judge: TaskDouble;
}

const openai = TASK_DOUBLES['openai-chat']!;
const cohere = TASK_DOUBLES['cohere-chat']!;
const gemini = TASK_DOUBLES['google-gemini']!;
const bedrock = TASK_DOUBLES['bedrock-converse']!;
const many = (count: number): string[] => Array.from({ length: count }, () => 'a');

export const TASK_CASES: readonly TaskCase[] = [
  {
    name: 'openai-chat, embeddings',
    model: 'text-embedding-3-small',
    judge: openai.embeddings!,
    body: { model: 'text-embedding-3-small', input: ['a', [1, 2]], encoding_format: 'base64', dimensions: 4 },
    breaches: [
      ['an unknown field', (b) => (b.input_type = 'query'), 'input_type: is unknown'],
      ['no input', (b) => delete b.input, 'input: is missing'],
      ['an empty input', (b) => (b.input = ['']), 'input[0]'],
      ['2,049 inputs', (b) => (b.input = many(2_049)), 'input: should be'],
      ['another type', (b) => (b.input = 5), 'input: should be'],
      ['an unknown encoding', (b) => (b.encoding_format = 'int8'), 'encoding_format'],
      ['no dimension', (b) => (b.dimensions = 0), 'dimensions'],
    ],
  },
  {
    name: 'openai-chat, rerank',
    model: 'jina-reranker-m0',
    judge: openai.rerank!,
    body: { model: 'jina-reranker-m0', query: 'a', documents: ['b', { image: 'https://a.test/a.png' }], top_n: 1, return_documents: false },
    breaches: [
      ['an unknown field', (b) => (b.top_k = 1), 'top_k: is unknown'],
      ['no query', (b) => delete b.query, 'query: is missing'],
      ['an empty query', (b) => (b.query = ''), 'query: should be'],
      ['no documents', (b) => (b.documents = []), 'documents: should be'],
      ['none of the best', (b) => (b.top_n = 0), 'top_n: should be'],
      ['another type', (b) => (b.return_documents = 1), 'return_documents: should be'],
    ],
  },
  {
    name: 'cohere-chat, embeddings',
    model: 'embed-v4.0',
    judge: cohere.embeddings!,
    body: { model: 'embed-v4.0', texts: ['a'], input_type: 'search_query', embedding_types: ['float'], output_dimension: 256 },
    breaches: [
      ['an unknown field', (b) => (b.dimensions = 256), 'dimensions: is unknown'],
      ['no use', (b) => (b.input_type = 'query'), 'input_type: should be'],
      ['a use that is missing', (b) => delete b.embedding_types, 'embedding_types: is missing'],
      ['97 texts', (b) => (b.texts = many(97)), 'texts: should be'],
      ['97 inputs', (b) => { delete b.texts; b.inputs = many(97).map((text) => ({ content: [{ type: 'text', text }] })); }, 'inputs: should be'],
      ['both', (b) => (b.inputs = [{ content: [{ type: 'text', text: 'a' }] }]), 'exactly one of'],
      ['an empty text', (b) => (b.texts = ['']), 'texts[0]'],
      ['an unknown type', (b) => (b.embedding_types = ['double']), 'embedding_types[0]'],
      ['another type', (b) => (b.texts = 'a'), 'texts: should be'],
      ['a dimension that it does not have', (b) => (b.output_dimension = 300), 'output_dimension'],
    ],
  },
  {
    name: 'cohere-chat, rerank',
    model: 'rerank-v4.0-pro',
    judge: cohere.rerank!,
    body: { model: 'rerank-v4.0-pro', query: 'a', documents: ['b'], top_n: 1 },
    breaches: [
      ['an unknown field', (b) => (b.return_documents = false), 'return_documents: is unknown'],
      ['no query', (b) => delete b.query, 'query: is missing'],
      ['an empty query', (b) => (b.query = ''), 'query: should be'],
      ['no documents', (b) => (b.documents = []), 'documents: should be'],
      ['none of the best', (b) => (b.top_n = 0), 'top_n: should be'],
      ['another type', (b) => (b.documents = 'b'), 'documents: should be'],
    ],
  },
  {
    name: 'google-gemini, embeddings',
    model: 'gemini-embedding-001',
    judge: gemini.embeddings!,
    body: {
      requests: [{ model: 'models/gemini-embedding-001', content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 4 }],
    },
    breaches: [
      ['an unknown field', (b) => (b.input = 'a'), 'input: is unknown'],
      ['no content', (b) => delete b.requests[0].content, 'content: is missing'],
      ['101 requests', (b) => (b.requests = many(101).map(() => b.requests[0])), 'requests: should be'],
      ['another type', (b) => (b.requests[0].content.parts = 'a'), 'parts: should be'],
      ['an unknown task', (b) => (b.requests[0].taskType = 'QUERY'), 'taskType'],
      ['no dimension', (b) => (b.requests[0].outputDimensionality = 0), 'outputDimensionality'],
      ['another model', (b) => (b.requests[0].model = 'models/other'), 'must be that of the batch'],
    ],
  },
  {
    name: 'bedrock-converse, embeddings',
    model: 'amazon.titan-embed-text-v2:0',
    judge: bedrock.embeddings!,
    body: { inputText: 'a', dimensions: 512, normalize: true },
    breaches: [
      ['an unknown field', (b) => (b.texts = ['a']), 'texts: is unknown'],
      ['no text', (b) => delete b.inputText, 'inputText: is missing'],
      ['an empty text', (b) => (b.inputText = ''), 'inputText: should be'],
      ['another type', (b) => (b.normalize = 1), 'normalize: should be'],
      ['a length that it does not have', (b) => (b.dimensions = 300), 'dimensions'],
      ['97 texts', (b) => toCohere(b, { texts: many(97) }), 'texts: should be'],
      ['97 inputs', (b) => toCohere(b, { inputs: many(97).map((text) => ({ content: [{ type: 'text', text }] })) }), 'inputs: should be'],
      ['neither', (b) => toCohere(b, {}), 'exactly one of'],
      ['no use', (b) => toCohere(b, { texts: ['a'], input_type: 'query' }), 'input_type'],
      ['an unknown type', (b) => toCohere(b, { texts: ['a'], embedding_types: ['double'] }), 'embedding_types[0]'],
      ['a dimension that it does not have', (b) => toCohere(b, { texts: ['a'], output_dimension: 300 }), 'output_dimension'],
    ],
  },
  {
    name: 'bedrock-converse, rerank',
    model: 'cohere.rerank-v3-5:0',
    judge: bedrock.rerank!,
    body: { api_version: 2, query: 'a', documents: ['b'], top_n: 1 },
    breaches: [
      ['an unknown field', (b) => (b.model = 'm'), 'model: is unknown'],
      ['no version', (b) => delete b.api_version, 'api_version: is missing'],
      ['another version', (b) => (b.api_version = 1), 'api_version: should be'],
      ['an empty query', (b) => (b.query = ''), 'query: should be'],
      ['no documents', (b) => (b.documents = []), 'documents: should be'],
      ['none of the best', (b) => (b.top_n = 0), 'top_n: should be'],
    ],
  },
]; // oxfmt-ignore

/** The body of Cohere's models there. */
function toCohere(body: Record<string, unknown>, fields: object): void {
  for (const field of Object.keys(body)) delete body[field];
  Object.assign(body, { input_type: 'search_document', embedding_types: ['float'] }, fields);
}
