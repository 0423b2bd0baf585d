import type { JsonBody } from '../recorded-request.js';
import type { Refusal, WireCall, WireDialect } from './double.js';
import {
  bracketed,
  boolean,
  chosen,
  constant,
  integer,
  list,
  object,
  oneOf,
  string,
  text,
  textOr,
  type Shape,
  type ShapeFault,
} from './wire-shape.js';

// Vectors and rankings. Fields and bounds: platform.openai.com/docs/api-reference/embeddings,
// docs.cohere.com/reference/embed and /rerank (versions 1 and 2), jina.ai/reranker,
// docs.voyageai.com/reference/reranker-api, ai.google.dev/api/embeddings, and of docs.aws.amazon.com/bedrock the pages
// model-parameters-titan-embed-text, -embed and -rerank; read on 2026-11-30.

export type TaskName = 'embeddings' | 'rerank';

/** What a vendor computes, and what it refuses. */
export interface TaskDouble {
  /** All rules of `refuse`: `rules.spec.ts` has a breach of each. */
  readonly rules: readonly string[];
  refuse(call: WireCall): Refusal | undefined;
  reply(call: WireCall): { readonly body: JsonBody; readonly headers?: Readonly<Record<string, string>> };
}

/** A vector that follows from its input alone; float32 holds its numbers exactly. */
export function doubleVector(input: unknown, dimensions = 4): number[] {
  const words = typeof input === 'string' ? input : JSON.stringify(input);
  return Array.from({ length: dimensions }, (_, position) => {
    const code = words.charCodeAt(position % Math.max(1, words.length)) || 0;
    return ((words.length * 31 + code * (position + 1)) % 512) / 256 - 1;
  });
}

/** A score that follows from the document alone. */
export const doubleScore = (document: unknown): number => (JSON.stringify(document).length % 64) / 64;

export const doubleTokens = (input: unknown): number =>
  Array.isArray(input)
    ? input.length
    : Math.ceil((typeof input === 'string' ? input : JSON.stringify(input)).length / 4);

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const base64Of = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');

interface Rule {
  readonly name: string;
  readonly message: string;
  breaks(call: WireCall): boolean;
}

function taskDouble(shape: Shape, rules: readonly Rule[], reply: TaskDouble['reply']): TaskDouble {
  return {
    rules: [...new Set([...shape.rules, ...rules.map(({ name }) => name)])],
    refuse(call) {
      const fault = shape(call.body);
      if (fault) return misshapen(fault);
      const broken = rules.find((rule) => rule.breaks(call));
      return broken && { rule: broken.name, message: broken.message };
    },
    reply,
  };
}

const misshapen = ({ path, problem, wanted, rule }: ShapeFault): Refusal => ({
  rule,
  message: problem === 'invalid' ? `${bracketed(path)}: should be ${wanted}` : `${bracketed(path)}: is ${problem}`,
});

const entries = (rule: string, max: number) => ({ rule, min: 1, max });
const words = string({ rule: 'an empty text', min: 1 });
const tokens = list(integer());

const openai = taskDouble(
  object({
    model: text,
    input: textOr(
      list(
        chosen([words, tokens], (value) => (Array.isArray(value) ? tokens : words)),
        entries('more than 2048 inputs', 2_048),
      ),
      words,
    ),
    'encoding_format?': oneOf('an unknown encoding', 'float', 'base64'),
    'dimensions?': integer({ rule: 'no dimension', min: 1 }),
  }),
  [],
  ({ body: { input, dimensions, encoding_format: encoding, model } }) => {
    const inputs: unknown[] = Array.isArray(input) ? input : [input];
    const data = inputs.map((one, index) => {
      const vector = doubleVector(one, dimensions);
      return { object: 'embedding', index, embedding: encoding === 'base64' ? base64Of(vector) : vector };
    });
    const used = sum(inputs.map(doubleTokens));
    return { body: { object: 'list', data, model, usage: { prompt_tokens: used, total_tokens: used } } };
  },
);

const ranked = (documents: readonly unknown[], top = documents.length): JsonBody[] =>
  documents
    .map((document, index) => ({ index, relevance_score: doubleScore(document) }))
    .sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index)
    .slice(0, top);

const docs = list(words, entries('no documents', 10_000));
const picture = object({ image: text });
const top = integer({ rule: 'none of the best', min: 1 });

/** The name of the model decides whose form it is. */
const STYLES: Readonly<Record<string, { readonly shape: Shape; reply(body: JsonBody): JsonBody }>> = {
  jina: {
    shape: object({
      model: text,
      query: words,
      documents: list(textOr(picture, words), entries('no documents', 10_000)),
      'top_n?': top,
      'return_documents?': boolean,
    }),
    reply: ({ model, query, documents, top_n: best }) => ({
      model,
      results: ranked(documents, best),
      usage: { total_tokens: sum(documents.map((document: unknown) => doubleTokens(query) + doubleTokens(document))) },
    }),
  },
  voyage: {
    shape: object({ model: text, query: words, documents: docs, 'top_k?': top, 'return_documents?': boolean }),
    reply: ({ model, query, documents, top_k: best }) => ({
      object: 'list',
      data: ranked(documents, best),
      model,
      usage: { total_tokens: sum(documents.map((document: unknown) => doubleTokens(query) + doubleTokens(document))) },
    }),
  },
  cohere: {
    shape: object({ model: text, query: words, documents: docs, 'top_n?': top, 'return_documents?': boolean }),
    reply: ({ documents, top_n: best }) => ({
      id: 'reply-double',
      results: ranked(documents, best),
      meta: { billed_units: { search_units: Math.ceil(documents.length / 100) } },
    }),
  },
};

const styleOf = (model: unknown): string =>
  Object.keys(STYLES).find((one) => String(model).startsWith(one)) ?? 'cohere';

const openaiRerank = taskDouble(
  chosen(
    Object.values(STYLES).map(({ shape }) => shape),
    (body) => STYLES[styleOf(body?.model)]!.shape,
  ),
  [],
  ({ body, model }) => ({ body: STYLES[styleOf(model)]!.reply(body) }),
);

const part = chosen(
  [
    object({ type: constant('text'), text: words }),
    object({ type: constant('image_url'), image_url: object({ url: text }) }),
  ],
  (value) =>
    value?.type === 'text'
      ? object({ type: constant('text'), text: words })
      : object({ type: constant('image_url'), image_url: object({ url: text }) }),
);
const inputTypes = oneOf('no use', 'search_document', 'search_query', 'classification', 'clustering', 'image');
const embedFields = {
  'texts?': list(words, entries('more than 96 texts', 96)),
  'inputs?': list(object({ content: list(part) }), entries('more than 96 inputs', 96)),
  input_type: inputTypes,
  embedding_types: list(oneOf('an unknown type', 'float', 'int8', 'uint8', 'binary', 'ubinary', 'base64')),
  'output_dimension?': oneOf('a dimension that it does not have', 256, 512, 1_024, 1_536),
};
const ONE_OF_TWO: Rule = {
  name: 'texts and inputs, or neither',
  message: 'exactly one of texts and inputs must be set',
  breaks: ({ body }) => (body.texts === undefined) === (body.inputs === undefined),
};

const cohereVectors = ({ texts, inputs, output_dimension: length }: JsonBody): number[][] =>
  (texts ?? inputs).map((one: unknown) => doubleVector(one, length));

const cohere = taskDouble(object({ model: text, ...embedFields }), [ONE_OF_TWO], ({ body }) => ({
  body: {
    id: 'reply-double',
    embeddings: { float: cohereVectors(body) },
    meta: { billed_units: { input_tokens: sum((body.texts ?? body.inputs).map(doubleTokens)) } },
  },
}));

const rankFields = { query: words, documents: docs, 'top_n?': top };
const cohereRerank = taskDouble(object({ model: text, ...rankFields }), [], ({ body }) => ({
  body: STYLES['cohere']!.reply(body),
}));

const content = object({
  parts: list(object({ 'text?': text, 'inlineData?': object({ mimeType: text, data: text }) })),
});
const options = {
  content,
  'taskType?': oneOf(
    'an unknown task',
    'RETRIEVAL_QUERY',
    'RETRIEVAL_DOCUMENT',
    'SEMANTIC_SIMILARITY',
    'CLASSIFICATION',
    'CLUSTERING',
  ),
  'outputDimensionality?': integer({ rule: 'no dimension', min: 1 }),
};
const single = object(options);
const batch = object({ requests: list(object({ model: text, ...options }), entries('more than 100 requests', 100)) });

const wordsOf = ({ parts }: JsonBody): unknown =>
  parts.length === 1 && parts[0].text !== undefined ? parts[0].text : parts;
const geminiVector = ({ content: own, outputDimensionality: length }: JsonBody): JsonBody => ({
  values: doubleVector(wordsOf(own), length),
});

const gemini = taskDouble(
  chosen([single, batch], (body) => (body?.requests === undefined ? single : batch)),
  [
    {
      name: 'a model other than that of the address',
      message: 'the model of each request must be that of the batch',
      breaks: ({ body, model }) => body.requests?.some((one: JsonBody) => one.model !== `models/${model}`) === true,
    },
  ],
  ({ body }) => {
    const requests: JsonBody[] = body.requests ?? [body];
    const usageMetadata = { promptTokenCount: sum(requests.map(({ content: own }) => doubleTokens(wordsOf(own)))) };
    const vectors = requests.map(geminiVector);
    return { body: { ...(body.requests ? { embeddings: vectors } : { embedding: vectors[0] }), usageMetadata } };
  },
);

const titanBody = object({
  inputText: words,
  'dimensions?': oneOf('a length that it does not have', 1_024, 512, 256),
  'normalize?': boolean,
});
const bedrockBody = object(embedFields);

const bedrock = taskDouble(
  chosen([titanBody, bedrockBody], (body) =>
    body?.inputText === undefined && body?.input_type !== undefined ? bedrockBody : titanBody,
  ),
  [{ ...ONE_OF_TWO, breaks: (call) => call.body.inputText === undefined && ONE_OF_TWO.breaks(call) }],
  ({ body, model }) =>
    model.includes('titan')
      ? {
          body: {
            embedding: doubleVector(body.inputText, body.dimensions),
            inputTextTokenCount: doubleTokens(body.inputText),
          },
        }
      : {
          headers: { 'x-amzn-bedrock-input-token-count': String(sum(body.texts.map(doubleTokens))) },
          body: { id: 'reply-double', response_type: 'embeddings_by_type', embeddings: { float: cohereVectors(body) } },
        },
);

const bedrockRerank = taskDouble(
  object({ api_version: constant(2), ...rankFields }),
  [],
  ({ body: { documents, top_n: best } }) => ({ body: { results: ranked(documents, best) } }),
);

/** By dialect. */
export const TASK_DOUBLES: Readonly<Partial<Record<WireDialect, Readonly<Partial<Record<TaskName, TaskDouble>>>>>> = {
  'openai-chat': { embeddings: openai, rerank: openaiRerank },
  'cohere-chat': { embeddings: cohere, rerank: cohereRerank },
  'google-gemini': { embeddings: gemini },
  'bedrock-converse': { embeddings: bedrock, rerank: bedrockRerank },
};
