// See `fuzzBodies`, here for bodies of `POST /chat/completions` with every field and part.
import { CONVERSATION_FIELDS } from '../../src/faces/common/self-contained.js';
import { FULL_CHAT_BODY } from '../support/chat-body.js';
import { fuzzBodies, type Body, type Value } from './fuzz-bodies.js';

const HELLO = { role: 'user', content: 'Hello there' };
const ASK = { model: 'sandbox/echo', max_tokens: 50, messages: [HELLO] };
const FULL = structuredClone(FULL_CHAT_BODY) as unknown as Record<string, Value> & {
  messages: ({ role: string; content: Value } & Record<string, Value>)[];
  tools: Value[];
};
/** A call, and the message that answers it. */
const [CALLING] = FULL.messages.filter(({ role }) => role === 'assistant') as unknown as [Record<string, Value>];
const RESULTS = FULL.messages.filter(({ role }) => role === 'tool');
const BODIES: readonly Body[] = [
  ...Object.keys(FULL)
    .filter((field) => field !== 'model' && field !== 'messages')
    .map((field) => ({ ...ASK, [field]: FULL[field]! })),
  ...FULL.messages
    .filter(({ role }) => role !== 'assistant' && role !== 'tool')
    .flatMap(({ content, ...message }) =>
      (Array.isArray(content) ? content.map((part) => [part]) : [content]).map((contents) => ({
        ...ASK,
        messages: [HELLO, { ...message, content: contents }, HELLO],
      })),
    ),
  ...Object.keys(CALLING)
    .filter((field) => field !== 'role')
    .map((field) => ({
      ...ASK,
      messages: [
        HELLO,
        { role: 'assistant', content: 'a', [field]: CALLING[field]! },
        ...(field === 'tool_calls' ? RESULTS : []),
        HELLO,
      ],
    })),
  ...FULL.tools.map((tool) => ({ ...ASK, tools: [tool] })),
  { ...FULL, ...ASK },
];
const PLACES = new Set([...Object.keys(FULL), ...CONVERSATION_FIELDS.keys(), 'body', '__proto__']);

fuzzBodies({ path: '/chat/completions', ask: ASK, bodies: BODIES, fieldPaths: PLACES, runs: 1_000 });
