import type { ProviderFault } from '../../core/errors.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { countInputs, isTask } from '../../core/conversation/task-request.js';
import type { Computed, RankedDocument, Vector } from '../../core/conversation/task.js';
import type { Usage } from '../../core/conversation/usage.js';
import { floatVector } from '../../core/conversation/vectors.js';
import { base64Length } from '../../core/json/base64-text.js';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { DecodeContext, Dialect } from '../../core/provider.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { listOf, malformed, nonEmpty, readIndex } from './read-json.js';

/** Numbers that are read in one step. */
const STEP_NUMBERS = 50_000;

/**
 * The object of a whole reply.
 * @param findFault of an error instead of a reply
 * @throws ProviderFault that fault, or `malformed-reply`
 */
export function objectIn(body: unknown, findFault?: (body: JsonObject) => ProviderFault | undefined): JsonObject {
  if (!isJsonObject(body)) throw malformed('is no JSON object');
  const fault = findFault?.(body);
  if (fault) throw fault;
  return body;
}

/** The events of a reply that did its task. @param head where its id and its model are, if it has any */
export function computedReply(
  { vendor }: Pick<Dialect, 'vendor'>,
  computed: Computed,
  usage: Usage,
  head: JsonObject = {},
): ModelEvent[] {
  const id = nonEmpty(head['id']);
  const model = nonEmpty(head['model']);
  return [
    { type: 'reply-start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) },
    // Nothing is generated: the figure is known, though no vendor reports it.
    { type: 'usage', usage: { outputTokens: 0, ...usage } },
    { type: 'reply-end', stop: { unified: 'computed', raw: null, vendor }, computed },
  ];
}

/**
 * Checks vectors in the order of the inputs: one for each, all of one length, of finite numbers.
 * @throws ProviderFault `malformed-reply`
 */
export function* readVectors(found: readonly Json[], { request, numberLists }: DecodeContext): Steps<Computed> {
  if (!isTask(request, 'embeddings')) throw new Error('Vectors were read for a request without that task.');
  const count = countInputs(request);
  if (found.length !== count) throw malformed(`has ${found.length} vectors for ${count} inputs`);
  const vectors: Vector[] = [];
  let length = request.task.dimensions;
  let left = STEP_NUMBERS;
  for (const value of found) {
    const vector = numberLists?.find(value) ?? readVector(value);
    const own = dimensionsOf(vector);
    length ??= own;
    if (own > VECTOR_LENGTH_MAX) throw tooLong();
    if (own !== length || own === 0) throw malformed(`has a vector of ${own} numbers instead of ${length}`);
    vectors.push(vector);
    left -= own;
    if (left > 0) continue;
    left = STEP_NUMBERS;
    yield;
  }
  return { kind: 'embeddings', vectors };
}

const BYTES_PER_FLOAT = 4;
/** Longest vector. Chosen: several times the longest of any vendor. */
const VECTOR_LENGTH_MAX = 65_536;
const BASE64_LENGTH_MAX = base64Length(VECTOR_LENGTH_MAX * BYTES_PER_FLOAT);

const tooLong = (): ProviderFault => malformed(`has a vector of more than ${VECTOR_LENGTH_MAX} numbers`);

const dimensionsOf = (vector: Vector): number =>
  typeof vector === 'string' ? Buffer.byteLength(vector, 'base64') / BYTES_PER_FLOAT : vector.length;

function readVector(value: Json): Vector {
  if (typeof value === 'string') {
    const vector = value.length > BASE64_LENGTH_MAX ? undefined : floatVector(value);
    if (vector === undefined) throw malformed('has a vector that is not float32 in base64');
    return vector;
  }
  if (!Array.isArray(value)) throw malformed('has a vector that is no list');
  if (value.length > VECTOR_LENGTH_MAX) throw tooLong();
  const numbers = value as Json[];
  let exact: number[] | undefined;
  for (let index = 0; index < numbers.length; index++) {
    const entry = numbers[index];
    const figure = entry instanceof ExactNumber ? Number(entry.toJSON()) : entry;
    // Vectors are sent as float32: a number that it does not hold is none.
    if (typeof figure !== 'number' || !Number.isFinite(Math.fround(figure)))
      throw malformed('has a vector with an entry that is no number');
    if (entry instanceof ExactNumber) (exact ??= [...(numbers as number[])])[index] = figure;
  }
  return exact ?? (numbers as number[]);
}

/**
 * Entries with an index, in its order.
 * @param name of the member that has each value
 * @throws ProviderFault `malformed-reply` where one is missing or comes twice
 */
export function inOrder(entries: Json | undefined, name: string): Json[] {
  const list = listOf(entries);
  const values: Json[] = [];
  list.forEach((entry, position) => {
    const { index, [name]: value } = isJsonObject(entry) ? entry : {};
    const at = index === undefined ? position : readIndex(index);
    if (at === undefined || at >= list.length || value === undefined || values[at] !== undefined)
      throw malformed('does not have each index once');
    values[at] = value;
  });
  return values;
}

/**
 * Checks a ranking: each document at most once, the best first.
 * @throws ProviderFault `malformed-reply`
 */
export function* readRanking(entries: Json | undefined, { request }: DecodeContext): Steps<Computed> {
  if (!isTask(request, 'rerank')) throw new Error('A ranking was read for a request without that task.');
  const count = countInputs(request);
  const expected = Math.min(request.task.topN ?? count, count);
  const known = new Set<number>();
  const results: RankedDocument[] = [];
  const steps = new StepCounter();
  for (const entry of listOf(entries)) {
    const { index, relevance_score: score } = isJsonObject(entry) ? entry : {};
    const position = readIndex(index);
    const value = score instanceof ExactNumber ? Number(score.toJSON()) : score;
    if (position === undefined || position >= count || known.has(position))
      throw malformed('ranks a document that was not sent');
    if (typeof value !== 'number' || !Number.isFinite(value)) throw malformed('has a score that is no number');
    known.add(position);
    results.push({ index: position, score: value });
    if (steps.isOver()) yield;
  }
  if (results.length !== expected) throw malformed(`ranks ${results.length} documents instead of ${expected}`);
  results.sort((one, other) => other.score - one.score || one.index - other.index);
  return { kind: 'rerank', results };
}
