import type { JsonObject } from '../../core/json/json.js';

const ask: JsonObject = {
  model: 'sandbox/echo',
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Say hello.' }],
};

/** Bodies of `POST /messages` and its neighbours. The sandbox answers without any account at a provider. */
export const MESSAGE_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  minimal: ask,
  streamed: { ...ask, stream: true },
  tools: {
    ...ask,
    model: 'sandbox/tools',
    system: 'Answer with the weather.',
    tools: [
      {
        name: 'get_weather',
        description: 'The weather at a place.',
        input_schema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
      },
    ],
    tool_choice: { type: 'auto' },
  },
  routed: {
    ...ask,
    temperature: 0.5,
    stop_sequences: ['END'],
    fallbacks: [{ model: 'sandbox/thinking' }],
    provider: { sort: 'price', data_collection: 'deny' },
    session_id: 'conversation-1',
  },
};
