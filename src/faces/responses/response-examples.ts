import type { JsonObject } from '../../core/json/json.js';

const ask: JsonObject = { model: 'sandbox/echo', input: 'Say hello.' };

/** Bodies of `POST /responses`. The sandbox answers without any account at a provider. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  minimal: ask,
  streamed: { ...ask, stream: true },
  reasoning: { ...ask, model: 'sandbox/thinking', include: ['reasoning.encrypted_content'] },
  tools: {
    ...ask,
    model: 'sandbox/tools',
    instructions: 'Answer with the weather.',
    tools: [
      {
        type: 'function',
        name: 'get_weather',
        description: 'The weather at a place.',
        parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
      },
    ],
    tool_choice: 'auto',
  },
  routed: {
    ...ask,
    max_output_tokens: 256,
    temperature: 0.5,
    models: ['sandbox/thinking'],
    provider: { sort: 'price', data_collection: 'deny' },
  },
};
