import { chatDouble } from './openai-chat.js';
import { list, oneOf, record, string } from './wire-shape.js';

/**
 * Chat completions of a gateway whose models draw: requested by `modalities`, returned as `images` of the message or
 * delta (openrouter.ai/docs/features/multimodal/image-generation, read 2026-11-24). Everything else is assumed to be as
 * at OpenAI.
 */
export const drawingChat = chatDouble({
  turn: {},
  fields: { 'modalities?': list(oneOf('an unknown modality', 'text', 'image')), 'image_config?': record },
  callId: string({ rule: 'a long id', max: 40 }),
  rules: [],
  refuse: () => undefined,
  emitsReasoning: false,
  draws: true,
});
