// The requests that `npm run path` measures: the most common ones, each to a model of the loopback provider with the
// Messages format.
const KILOBYTE = 1000;
const HISTORY_TURNS = 200;
const SENTENCE = 'Write one paragraph about foxes and dogs, please. ';
const TURN = SENTENCE.repeat(KILOBYTE / SENTENCE.length);

const text = (words) => [{ type: 'text', text: words }];
const marked = (words) => [{ type: 'text', text: words, cache_control: { type: 'ephemeral' } }];
const HELLO = [{ role: 'user', content: text('Hello') }];

const tool = (name, property) => ({
  name,
  description: `Looks up ${property}.`,
  input_schema: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
});

/**
 * Alternating turns, ending with the caller's; cache markers at the system prompt and at the caller's last two turns.
 */
function history() {
  return Array.from({ length: HISTORY_TURNS + 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index === HISTORY_TURNS || index === HISTORY_TURNS - 2 ? marked(TURN) : text(TURN),
  }));
}

const CALL = { type: 'tool_use', id: 'toolu_path_1', name: 'weather', input: { city: 'Paris' } };
const RESULT = { type: 'tool_result', tool_use_id: CALL.id, content: text('Sunny, 21 degrees.') };

/** Models of the upstream that the requests name (`bench/upstream.mjs`). */
export const MODELS = ['whole', 'stream-40-1'];

/**
 * The requests by name: the path below `/api/v1`, the body, and the number of requests of a part of the measurement.
 * The heap has space for the allocations of a whole part.
 */
export const REQUESTS = {
  whole: {
    path: 'messages',
    count: 40,
    body: { model: 'bench/whole', max_tokens: 1024, messages: HELLO },
  },
  stream: {
    path: 'messages',
    count: 20,
    body: { model: 'bench/stream-40-1', max_tokens: 1024, stream: true, messages: HELLO },
  },
  tools: {
    path: 'messages',
    count: 40,
    body: {
      model: 'bench/whole',
      max_tokens: 1024,
      tools: [tool('weather', 'city'), tool('time', 'zone'), tool('rate', 'currency')],
      messages: [
        { role: 'user', content: text('How is the weather in Paris?') },
        { role: 'assistant', content: [CALL] },
        { role: 'user', content: [RESULT] },
      ],
    },
  },
  history: {
    path: 'messages',
    count: 12,
    body: { model: 'bench/whole', max_tokens: 1024, system: marked(TURN), messages: history() },
  },
  chat: {
    path: 'chat/completions',
    count: 40,
    body: { model: 'bench/whole', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
  },
};
