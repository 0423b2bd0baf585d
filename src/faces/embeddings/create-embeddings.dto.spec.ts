// Goal: every field of docs/use/embeddings.md#request is validated exactly, and refused with its path and reason.
// Method: each field null, of wrong types, at and past its limits; every kind of input, mixed and too many.
import 'reflect-metadata';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateRerankDto } from '../rerank/create-rerank.dto.js';
import { readRequest as readRerank } from '../rerank/read-request.js';
import { CreateEmbeddingsDto } from './create-embeddings.dto.js';
import { readRequest } from './read-request.js';

const HEADERS = { betas: [] };
const read = (body: object) => readRequest(readBody(body, CreateEmbeddingsDto), HEADERS);
const readRanking = (body: object) => readRerank(readBody(body, CreateRerankDto), HEADERS);
function refusalOf(reading: () => unknown): string | undefined {
  try {
    reading();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const many = (length: number, entry: unknown = 'a'): unknown[] => Array.from({ length }, () => entry);
const words = (length: number): string => 'x'.repeat(length);
const mixed = (...content: object[]): object => ({ content });
const TEXT = { type: 'text', text: 'a' };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'JVBERi0=';

const BODY = { model: 'm', input: 'a' };
const RANK = { model: 'm', query: 'q', documents: ['d'] };

/** Fields that both bodies have. */
const COMMON: readonly [field: string, value: unknown, refusal: string | undefined][] = [
  ['model', undefined, 'model: is required'],
  ['model', null, 'model: must be a string'],
  ['model', words(256), undefined],
  ['model', words(257), 'model: must be at most 256 characters'],
  ['models', null, undefined],
  ['models', many(64), undefined],
  ['models', many(65), 'models: must have at most 64 entries'],
  ['models', 'a', 'models: must be an array'],
  ['provider', null, undefined],
  ['provider', {}, undefined],
  ['provider', { sort: 'price', only: ['a'] }, undefined],
  ['provider', { nothing: 1 }, 'provider.nothing: is not a known field'],
  ['provider', 'a', 'provider: must be an object or null'],
  ['user', null, undefined],
  ['user', words(16_384), undefined],
  ['user', words(16_385), 'user: must be at most 16384 characters'],
  ['user', 5, 'user: must be a string'],
  ['session_id', null, undefined],
  ['session_id', words(256), undefined],
  ['session_id', words(257), 'session_id: must be at most 256 characters'],
  ['session_id', {}, 'session_id: must be a string'],
  ['trace', null, undefined],
  ['trace', { trace_id: 'a', other: [1] }, undefined],
  ['trace', [], 'trace: must be an object'],
  ['preset', null, undefined],
  ['preset', 'a', 'preset: is not supported here: a preset completes requests of messages, chat and responses'],
];

const EMBEDDINGS: typeof COMMON = [
  ['input', undefined, 'input: is required'],
  ['input', null, 'input: must be a string or an array'],
  ['input', 5, 'input: must be a string or an array'],
  ['input', {}, 'input: must be a string or an array'],
  ['input', '', 'input: must be at least 1 character'],
  ['input', words(100_000), undefined],
  ['input', [], 'input: must have at least 1 entry'],
  ['input', [''], 'input.0: must be at least 1 character'],
  ['input', many(2_048), undefined],
  ['input', many(2_049), 'input: must have at most 2048 entries'],
  ['input', many(1_000_000), 'input: must have at most 200000 entries'],
  ['input', many(200_000, 1), undefined],
  ['input', many(200_001, 1), 'input: must have at most 200000 entries'],
  ['input', [null], 'input.0: must be a string, an integer, an array or an object'],
  ['input', [true], 'input.0: must be a string, an integer, an array or an object'],
  ['input', [1.5], 'input.0: must be a string, an integer, an array or an object'],
  ['input', [-1], 'input.0: must be at least 0'],
  ['input', [2_147_483_648], 'input.0: must be at most 2147483647'],
  ['input', [[1], [2, 3]], undefined],
  ['input', [[]], 'input.0: must have at least 1 entry'],
  ['input', [['a']], 'input.0.0: must be an integer'],
  ['input', many(2_049, [1]), 'input: must have at most 2048 entries'],
  ['input', ['a', 1], 'input.1: must be of the same kind as the entries before it'],
  ['input', [1, 2, [3]], 'input.2: must be of the same kind as the entries before it'],
  ['input', ['a', mixed(TEXT)], 'input.1: must be of the same kind as the entries before it'],
  ['input', [mixed(TEXT, { type: 'image_url', image_url: { url: PNG } })], undefined],
  ['input', [mixed({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } })], undefined],
  ['input', [mixed({ type: 'input_video', input_video: { data: 'AAAA', format: 'mp4' } })], undefined],
  ['input', [mixed({ type: 'input_file', input_file: { data: PDF, format: 'pdf' } })], undefined],
  ['input', [mixed()], 'input.0.content: must have at least 1 entry'],
  ['input', [{}], 'input.0.content: is required'],
  ['input', [mixed({ type: 'text', text: '' })], 'input.0.content.0.text: must be at least 1 character'],
  ['input', [mixed({ type: 'image_url', image_url: { url: 'ftp://a' } })], 'input.0.content.0.image_url.url: must be an http or https address, or a data URL in base64'],
  ['input', [mixed({ type: 'input_file', input_file: { data: PDF, format: 'zip' } })], 'input.0.content.0.input_file.data: must be a PDF or a text, not application/zip'],
  ['input', [mixed({ type: 'other' })], 'input.0.content.0.type: must be one of text, image_url, input_audio, input_video, input_file'],
  ['dimensions', null, undefined],
  ['dimensions', 1, undefined],
  ['dimensions', 65_536, undefined],
  ['dimensions', 65_537, 'dimensions: must be at most 65536'],
  ['dimensions', 0, 'dimensions: must be at least 1'],
  ['dimensions', 1.5, 'dimensions: must be an integer'],
  ['dimensions', '5', 'dimensions: must be an integer'],
  ['encoding_format', null, undefined],
  ['encoding_format', 'float', undefined],
  ['encoding_format', 'base64', undefined],
  ['encoding_format', 'int8', 'encoding_format: must be one of float, base64'],
  ['encoding_format', 5, 'encoding_format: must be one of float, base64'],
  ['input_type', null, undefined],
  ['input_type', words(64), undefined],
  ['input_type', words(65), 'input_type: must be at most 64 characters'],
  ['input_type', '', 'input_type: must be at least 1 character'],
  ['input_type', 'a b', 'input_type: must be a word of letters, digits, "_", "." and "-"'],
  ['input_type', 5, 'input_type: must be a string'],
]; // oxfmt-ignore

const RERANK: typeof COMMON = [
  ['query', undefined, 'query: is required'],
  ['query', null, 'query: must be a string'],
  ['query', '', 'query: must be at least 1 character'],
  ['query', ['a'], 'query: must be a string'],
  ['documents', undefined, 'documents: is required'],
  ['documents', null, 'documents: must be an array'],
  ['documents', [], 'documents: must have at least 1 entry'],
  ['documents', many(2_048), undefined],
  ['documents', many(2_049), 'documents: must have at most 2048 entries'],
  ['documents', [''], 'documents.0: must be at least 1 character'],
  ['documents', ['a', { text: 'b' }, { image: PNG }, { text: 'c', image: PNG }], undefined],
  ['documents', [5], 'documents.0: must be a string or an object'],
  ['documents', [{}], 'documents.0: must have text or image'],
  ['documents', [{ text: '' }], 'documents.0.text: must be at least 1 character'],
  ['documents', [{ image: 'a' }], 'documents.0.image: must be an http or https address, or a data URL in base64'],
  ['top_n', null, undefined],
  ['top_n', 1, undefined],
  ['top_n', 9_007_199_254_740_991, undefined],
  ['top_n', 0, 'top_n: must be at least 1'],
  ['top_n', 1.5, 'top_n: must be an integer'],
]; // oxfmt-ignore

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 40);

describe.each([
  ['embeddings', BODY, read, [...COMMON, ...EMBEDDINGS]],
  ['rerank', RANK, readRanking, [...COMMON, ...RERANK]],
] as const)('the body of %s', (_name, whole, reading, rows) => {
  it.each(rows.map((row) => [row[0], shown(row[1]), row] as const))(
    '%s: %s',
    (_field, _shown, [field, value, refusal]) => {
      expect(refusalOf(() => reading({ ...whole, [field]: value }))).toBe(refusal);
    },
  );

  it('ignores unknown fields', () => {
    expect(refusalOf(() => reading({ ...whole, nothing: { a: 1 }, stream: true }))).toBeUndefined();
  });
});

it('reads one message for each input, and token ids beside them', () => {
  expect(read({ ...BODY, input: ['a', 'b'] }).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'user', content: [{ type: 'text', text: 'b' }] },
  ]);
  expect(read({ ...BODY, input: [1, 2] })).toMatchObject({ messages: [], task: { tokens: [[1, 2]] } });
  expect(read({ ...BODY, input: [[1], [2]] })).toMatchObject({ messages: [], task: { tokens: [[1], [2]] } });
});

it('reads the query, and then the documents', () => {
  const { messages, task } = readRanking({ ...RANK, documents: ['d', { text: 't', image: PNG }], top_n: 1 });
  expect(messages.map(({ content }) => content.map(({ type }) => type))).toEqual([
    ['text'],
    ['text'],
    ['text', 'image'],
  ]);
  expect(task).toEqual({ kind: 'rerank', topN: 1 });
});
