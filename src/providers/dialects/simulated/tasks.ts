import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../core/json/json.js';
import { VECTOR_LENGTHS } from './models.js';

/** Tasks that the sandbox computes, by the end of the address. Pure: equal calls have equal answers. */
export const TASKS: Readonly<Record<string, (body: string) => string>> = {
  '/embeddings': (body) => JSON.stringify(embed(parse(body))),
  '/rerank': (body) => JSON.stringify(rank(parse(body))),
};

const BYTES_PER_TOKEN = 4;
const DOCUMENTS_PER_UNIT = 100;
const WORDS = /[\p{L}\p{N}]+/gu;

function embed({ model = null, input, dimensions, encoding_format: encoding }: JsonObject): JsonObject {
  const inputs = Array.isArray(input) ? (input as readonly Json[]) : [];
  const length = typeof dimensions === 'number' ? dimensions : VECTOR_LENGTHS[0];
  const data = inputs.map((text, index) => {
    const vector = vectorOf(wordsOf(text), length);
    return { object: 'embedding', index, embedding: encoding === 'base64' ? printed(vector) : [...vector] };
  });
  const tokens = inputs.reduce<number>((sum, text) => sum + tokensOf(text), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

function rank({ query = '', documents, top_n: topN }: JsonObject): JsonObject {
  const wanted = new Set(wordsOf(query));
  const list = Array.isArray(documents) ? (documents as readonly Json[]) : [];
  const results = list.map((document, index) => {
    const shared = new Set(wordsOf(document).filter((word) => wanted.has(word))).size;
    return { index, relevance_score: wanted.size === 0 ? 0 : shared / wanted.size };
  });
  results.sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index);
  const best = typeof topN === 'number' ? results.slice(0, topN) : results;
  return { results: best, meta: { billed_units: { search_units: Math.ceil(list.length / DOCUMENTS_PER_UNIT) } } };
}

/** Each word adds to one component; the vector has the length one. */
function vectorOf(words: readonly string[], length: number): Float32Array {
  const vector = new Float32Array(length);
  for (const word of words) {
    const hash = hashOf(word);
    vector[hash % length]! += 1 + (hash >>> 24) / 256;
  }
  const norm = Math.hypot(...vector);
  if (norm === 0) vector[0] = 1;
  else for (let index = 0; index < length; index++) vector[index]! /= norm;
  return vector;
}

const HASH_START = 2_166_136_261;
const HASH_PRIME = 16_777_619;

/** FNV-1a, of 32 bits. */
function hashOf(word: string): number {
  let hash = HASH_START;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), HASH_PRIME);
  return hash >>> 0;
}

function wordsOf(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).map((entry) => JSON.stringify(entry));
  return typeof value === 'string' ? (value.toLowerCase().match(WORDS) ?? []) : [];
}

const tokensOf = (value: Json): number =>
  Array.isArray(value)
    ? value.length
    : Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / BYTES_PER_TOKEN);

function printed(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.byteLength);
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * Float32Array.BYTES_PER_ELEMENT));
  return bytes.toString('base64');
}

function parse(body: string): JsonObject {
  const value = parseJson(body);
  return isJsonObject(value) ? value : {};
}
