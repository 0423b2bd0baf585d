import { countInputs, textOf, type TaskRequest } from '../conversation/task-request.js';
import { textTokens } from './text-tokens.js';

/** Documents of one unit of search, and tokens of a document, its query included, that count as one document. */
export const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_DOCUMENT = 500;
/** The part of those that a query takes at most: a longer one would leave nothing for the document. */
const QUERY_TOKENS_MAX = 250;

/** The values of `MeasuredPrompt` that a task changes. */
interface MeasuredTask {
  readonly textTokens: number;
  readonly inputs: number;
  readonly maxOutputTokens: 0;
  readonly searchUnits?: number;
}

/**
 * Computes the size of a task's request: each input has a separate context, and nothing is generated. Token ids are
 * counted. A ranking reads its query with every document, and is counted in units of search, by Cohere's rule
 * (docs.cohere.com/docs/how-does-cohere-pricing-work, read 2026-11-30).
 * @param tokens of the request's texts
 */
export function measureTask(request: TaskRequest, tokens: number): MeasuredTask {
  const { task, messages } = request;
  const inputs = countInputs(request);
  if (task.kind === 'embeddings') {
    let ids = 0;
    for (const input of task.tokens ?? NONE) ids += input.length;
    return { inputs, maxOutputTokens: 0, textTokens: tokens + ids };
  }
  const query = textTokens(textOf(messages[0]!) ?? '');
  const room = TOKENS_PER_DOCUMENT - Math.min(query, QUERY_TOKENS_MAX);
  let documents = 0;
  for (let index = 1; index < messages.length; index++) {
    const size = textTokens(textOf(messages[index]!) ?? '');
    documents += Math.max(1, Math.ceil(size / room));
  }
  const searchUnits = Math.ceil(documents / DOCUMENTS_PER_UNIT);
  return { inputs, maxOutputTokens: 0, searchUnits, textTokens: tokens + (inputs - 1) * query };
}

const NONE: readonly never[] = [];
