import { chat, OF_REASONING } from './openai-chat.js';
import type { RuleCase } from './rule-case.js';

/** Rules that only OpenAI has. */
const OTHERS = new Set([...OF_REASONING, 'the older name of the limit', 'an unknown modality']);

export const drawing: RuleCase = {
  model: 'google/gemini-2.5-flash-image',
  body: { ...chat.body, model: 'google/gemini-2.5-flash-image', modalities: ['image', 'text'] },
  breaches: [
    ...chat.breaches.filter(([what]) => !OTHERS.has(what)),
    ['an unknown modality', (b) => (b.modalities = ['audio']), 'modalities[0]'],
  ],
};
