// See `fuzzBodies`, here for bodies of `POST /responses` with every field, item and part.
import { CONVERSATION_FIELDS } from '../../src/faces/common/self-contained.js';
import { FULL_RESPONSES_BODY } from '../support/response-body.js';
import { fuzzBodies, type Body, type Value } from './fuzz-bodies.js';

const HELLO = { role: 'user', content: 'Hello there' };
const ASK = { model: 'sandbox/echo', max_output_tokens: 50, input: [HELLO] };
type Item = Record<string, Value> & { readonly type?: string };
const FULL = structuredClone(FULL_RESPONSES_BODY) as unknown as Record<string, Value> & {
  input: Item[];
  tools: Value[];
};
const isOutputOf = ({ type: called, call_id: callId, id }: Item, output: Item): boolean =>
  output.type === `${called}_output` && (output['call_id'] === callId || output['id'] === id);
const isOutput = ({ type = '' }: Item): boolean => type.endsWith('_call_output');
const TURNS = FULL.input.filter((item) => !isOutput(item));
const BODIES: readonly Body[] = [
  ...Object.keys(FULL)
    .filter((field) => field !== 'model' && field !== 'input')
    .map((field) => ({ ...ASK, [field]: FULL[field]! })),
  ...TURNS.flatMap(({ content, ...item }) =>
    (Array.isArray(content) ? content.map((part) => [part]) : [content]).map((contents) => ({
      ...ASK,
      input: [
        HELLO,
        { ...item, ...(contents !== undefined && { content: contents }) },
        ...FULL.input.filter((output) => isOutput(output) && isOutputOf(item, output)),
        HELLO,
      ],
    })),
  ),
  ...FULL.tools.map((tool) => ({ ...ASK, tools: [tool] })),
  { ...ASK, input: FULL.input.filter(({ type }) => type !== 'compaction' && type !== 'web_search_call') },
  { ...FULL, ...ASK },
];
const PLACES = new Set([...Object.keys(FULL), ...CONVERSATION_FIELDS.keys(), 'body', '__proto__']);

fuzzBodies({ path: '/responses', ask: ASK, bodies: BODIES, fieldPaths: PLACES, runs: 1_500 });
