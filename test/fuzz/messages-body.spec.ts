// See `fuzzBodies`, here for bodies of `POST /messages` with every field and block.
import { CONVERSATION_FIELDS } from '../../src/faces/common/self-contained.js';
import { FULL_BODY } from '../support/message-body.js';
import { fuzzBodies, type Body, type Value } from './fuzz-bodies.js';

const ASK = { model: 'sandbox/echo', max_tokens: 50, messages: [{ role: 'user', content: 'Hello there' }] };
const FULL = structuredClone(FULL_BODY) as unknown as Record<string, Value> & {
  messages: { role: string; content: Value[] }[];
  tools: Value[];
  plugins: Value[];
};
const BODIES: readonly Body[] = [
  ...Object.keys(FULL)
    .filter((field) => field !== 'model' && field !== 'messages')
    .map((field) => ({ ...ASK, [field]: FULL[field]! })),
  ...FULL.messages.flatMap(({ role, content }) =>
    content.map((block) => ({ ...ASK, messages: [...ASK.messages, { role, content: [block] }, ...ASK.messages] })),
  ),
  ...FULL.tools.map((tool) => ({ ...ASK, tools: [tool] })),
  ...FULL.plugins.map((plugin) => ({ ...ASK, plugins: [plugin] })),
  { ...FULL, ...ASK },
];
const PLACES = new Set([...Object.keys(FULL), ...CONVERSATION_FIELDS.keys(), 'body', '__proto__']);

fuzzBodies({ path: '/messages', ask: ASK, bodies: BODIES, fieldPaths: PLACES, runs: 1_500 });
