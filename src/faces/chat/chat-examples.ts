import type { JsonObject } from '../../core/json/json.js';

const ask: JsonObject = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Say hello.' }] };

/** Bodies of `POST /chat/completions`. The sandbox answers without any account at a provider. */
export const CHAT_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  minimal: ask,
  streamed: { ...ask, stream: true, stream_options: { include_usage: true } },
  debugged: { ...ask, stream: true, debug: { echo_upstream_body: true } },
  tools: {
    ...ask,
    model: 'sandbox/tools',
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'The weather at a place.',
          parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
        },
      },
    ],
    tool_choice: 'auto',
  },
  routed: {
    ...ask,
    max_completion_tokens: 256,
    temperature: 0.5,
    models: ['sandbox/thinking'],
    provider: { sort: 'price', data_collection: 'deny' },
  },
};
