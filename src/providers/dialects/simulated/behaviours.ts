import { isJsonObject, type JsonObject } from '../../../core/json/json.js';
import { countTokens, type Answer, type AnswerBlock, type Message, type Refusal } from './answer.js';
import { drawPicture } from './picture.js';
import type { SandboxRequest } from './sandbox-request.js';
import { sampleObject } from './sample.js';
import { splitWords } from './words.js';

/** Behaviour of one sandbox model. Pure: equal requests have equal answers. */
export type Behaviour = (request: SandboxRequest) => Answer;

const SLOW_FIRST_MS = 2000;
const SLOW_NEXT_MS = 200;
const LONG_WORDS = 2000;
const MAX_TOKENS_WORDS = 3;
/** Maximum number of parallel calls: enough to show more than one. */
const PARALLEL_CALLS = 2;
const SENTENCE = 'The fairlead leads the rope where it should run. ';
const SIGNATURE = Buffer.from('A signature of the sandbox: no vendor knows it.').toString('base64');

/** Every sandbox model by its name. A new one is a line here and one in `models.ts`. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  echo: (request) => textMessage(request, repeatedText(request)),
  tools: callTools,
  thinking: think,
  slow: (request) => ({
    ...textMessage(request, SENTENCE.repeat(2)),
    delays: { firstMs: SLOW_FIRST_MS, nextMs: SLOW_NEXT_MS },
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
  malformed: (request) => ({ ...textMessage(request, SENTENCE), flaw: 'malformed' }),
  cut: (request) => ({ ...textMessage(request, SENTENCE), flaw: 'cut' }),
  'error-event': (request) => ({ ...textMessage(request, SENTENCE), flaw: 'error' }),
  refusal: () => ({
    kind: 'message',
    blocks: [],
    stopReason: 'refusal',
    stopDetails: { type: 'refusal', category: null, explanation: 'This sandbox model declines every request.' },
  }),
  'max-tokens': (request) =>
    textMessage({ ...request, maxTokens: Math.min(request.maxTokens, MAX_TOKENS_WORDS) }, SENTENCE),
  long: (request) => {
    const sentence = splitWords(SENTENCE);
    const words = Array.from({ length: LONG_WORDS }, (_, index) => sentence[index % sentence.length]!);
    return limit(request, [{ type: 'text', words }]);
  },
  image: (request) =>
    limit(request, [
      { type: 'text', words: splitWords('Here it is.') },
      { type: 'image', mediaType: 'image/png', data: drawPicture(request.lastText) },
    ]),
  json: (request) => {
    const { outputSchema } = request;
    const value = outputSchema ? sampleObject(outputSchema, 'all') : { text: request.lastText };
    return textMessage(request, JSON.stringify(value));
  },
  cache: (request) => ({
    ...textMessage(request, SENTENCE),
    cached: { read: Math.floor(request.inputTokens / 2), written: Math.floor(request.inputTokens / 4) },
  }),
};

/** A reply without an answer is a fault of its provider, so a message without text (an image alone) is answered too. */
const repeatedText = ({ lastText }: SandboxRequest): string => lastText || 'There is no text to repeat.';

function textMessage(request: SandboxRequest, text: string): Message {
  return limit(request, [{ type: 'text', words: splitWords(text) }]);
}

function think(request: SandboxRequest): Answer {
  const text: AnswerBlock = { type: 'text', words: splitWords(repeatedText(request)) };
  if (request.thinkingOff) return limit(request, [text]);
  const words = splitWords('The caller wrote something. I shall write it back.');
  return limit(request, [{ type: 'thinking', words, signature: SIGNATURE }, text]);
}

function callTools(request: SandboxRequest): Answer {
  const requested = requestedCalls(request.instructionText);
  const next = requested[request.steps];
  if (next && request.tools.length > 0) {
    const isThere = request.tools.some(({ name }) => name === next.name);
    return isThere ? calling(request, [next]) : textMessage(request, `There is no tool ${next.name}.`);
  }
  if (request.toolResult !== undefined) return textMessage(request, `The tool answered: ${request.toolResult}`);
  if (request.tools.length === 0) return textMessage(request, 'There is no tool to call.');
  const called = request.tools.slice(0, request.parallelTools ? PARALLEL_CALLS : 1);
  return calling(
    request,
    called.map(({ name, schema }) => ({ name, input: sampleObject(schema, 'required') })),
  );
}

interface RequestedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Matches `call web_search {"query":"boats"}`: one a line, and one a step. */
const CALL = /^call ([\w-]{1,128})(?: +(\{.*\}))? *$/gm;
/** Chosen: far more than a loop has. */
const CALLS_MAX = 100;

function requestedCalls(text: string): RequestedCall[] {
  const requested: RequestedCall[] = [];
  for (const [, name, json = '{}'] of text.matchAll(CALL)) {
    if (requested.length === CALLS_MAX) break;
    const input = readObject(json);
    if (input) requested.push({ name: name!, input });
  }
  return requested;
}

function readObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function calling(request: SandboxRequest, calls: readonly RequestedCall[]): Answer {
  const blocks = calls.map(({ name, input }, index): AnswerBlock => ({
    type: 'tool_use',
    // Unique within a conversation, as ids of calls must be.
    id: `toolu_sandbox_${request.turns}_${index + 1}`,
    name,
    input,
  }));
  const message = limit(request, blocks);
  return message.stopReason === 'max_tokens' ? message : { ...message, stopReason: 'tool_use' };
}

/** The blocks within the output limit: a word is a token. Blocks past the limit are not begun. */
function limit(request: SandboxRequest, blocks: readonly AnswerBlock[]): Message {
  let left = request.maxTokens;
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

/** The answer for an unknown model. */
export const unknownModel = (request: SandboxRequest): Refusal =>
  refuse(404, 'not_found_error', `model: ${request.model}`);
