import { countTokens, type Answer, type AnswerBlock, type Message, type Refusal } from './answer.js';
import type { Question } from './question.js';
import { sampleObject } from './sample.js';
import { splitWords } from './words.js';

/** How one sandbox model answers. Pure: equal questions have equal answers. */
export type Behaviour = (question: Question) => Answer;

const SLOW_FIRST_MS = 2000;
const SLOW_NEXT_MS = 200;
const LONG_WORDS = 2000;
const MAX_TOKENS_WORDS = 3;
/** Most parallel calls: enough to show that there can be more than one. */
const PARALLEL_CALLS = 2;
const SENTENCE = 'The fairlead leads the rope where it should run. ';
const SIGNATURE = Buffer.from('A signature of the sandbox: no vendor knows it.').toString('base64');

/** Every sandbox model by its name upstream. A new one is a line here and one in `models.ts`. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  echo: (question) => say(question, question.lastText),
  tools: callTools,
  thinking: think,
  slow: (question) => ({
    ...say(question, SENTENCE.repeat(2)),
    pace: { firstMs: SLOW_FIRST_MS, nextMs: SLOW_NEXT_MS },
  }),
  silent: () => ({ kind: 'silent' }),
  overloaded: () => refuse(529, 'overloaded_error', 'Overloaded'),
  'rate-limited': () => ({
    ...refuse(429, 'rate_limit_error', 'This sandbox model always exceeds its rate limit.'),
    headers: { 'retry-after': '2' },
  }),
  unavailable: () => refuse(503, 'api_error', 'This sandbox model is always unavailable.'),
  'server-error': () => refuse(500, 'api_error', 'Internal server error'),
  'bad-request': () => refuse(400, 'invalid_request_error', 'This sandbox model refuses every request.'),
  unauthorized: () => refuse(401, 'authentication_error', 'invalid x-api-key'),
  malformed: (question) => ({ ...say(question, SENTENCE), flaw: 'malformed' }),
  cut: (question) => ({ ...say(question, SENTENCE), flaw: 'cut' }),
  'error-event': (question) => ({ ...say(question, SENTENCE), flaw: 'error' }),
  refusal: () => ({
    kind: 'message',
    blocks: [],
    stopReason: 'refusal',
    stopDetails: { type: 'refusal', category: null, explanation: 'This sandbox model declines every request.' },
  }),
  'max-tokens': (question) => say({ ...question, maxTokens: Math.min(question.maxTokens, MAX_TOKENS_WORDS) }, SENTENCE),
  long: (question) => {
    const sentence = splitWords(SENTENCE);
    const words = Array.from({ length: LONG_WORDS }, (_, index) => sentence[index % sentence.length]!);
    return limit(question, [{ type: 'text', words }]);
  },
  json: (question) => {
    const { outputSchema } = question;
    const value = outputSchema ? sampleObject(outputSchema, 'all') : { text: question.lastText };
    return say(question, JSON.stringify(value));
  },
  cache: (question) => ({
    ...say(question, SENTENCE),
    cached: { read: Math.floor(question.inputTokens / 2), written: Math.floor(question.inputTokens / 4) },
  }),
};

function say(question: Question, text: string): Message {
  return limit(question, [{ type: 'text', words: splitWords(text) }]);
}

function think(question: Question): Answer {
  const text: AnswerBlock = { type: 'text', words: splitWords(question.lastText) };
  if (question.thinkingOff) return limit(question, [text]);
  const words = splitWords('The caller said something. I shall say it back.');
  return limit(question, [{ type: 'thinking', words, signature: SIGNATURE }, text]);
}

function callTools(question: Question): Answer {
  if (question.toolResult !== undefined) return say(question, `The tool answered: ${question.toolResult}`);
  if (question.tools.length === 0) return say(question, 'There is no tool to call.');
  const called = question.tools.slice(0, question.parallelTools ? PARALLEL_CALLS : 1);
  const blocks = called.map(({ name, schema }, index): AnswerBlock => ({
    type: 'tool_use',
    // Unique within a conversation, as ids of calls must be.
    id: `toolu_sandbox_${question.turns}_${index + 1}`,
    name,
    input: sampleObject(schema, 'required'),
  }));
  const message = limit(question, blocks);
  return message.stopReason === 'max_tokens' ? message : { ...message, stopReason: 'tool_use' };
}

/** The blocks within the output limit: a word is a token. Blocks past the limit are not begun. */
function limit(question: Question, blocks: readonly AnswerBlock[]): Message {
  let left = question.maxTokens;
  const kept: AnswerBlock[] = [];
  for (const block of blocks) {
    const count = countTokens(block);
    if (count > left) {
      if (block.type === 'text' && left > 0) kept.push({ ...block, words: block.words.slice(0, left) });
      return { kind: 'message', blocks: kept, stopReason: 'max_tokens' };
    }
    kept.push(block);
    left -= count;
  }
  return { kind: 'message', blocks: kept, stopReason: 'end_turn' };
}

function refuse(status: number, type: string, message: string): Refusal {
  return { kind: 'refusal', status, type, message };
}

/** The answer of a model nobody knows. */
export const unknownModel = (question: Question): Refusal => refuse(404, 'not_found_error', `model: ${question.model}`);
