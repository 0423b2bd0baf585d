import { chat } from './openai-chat.js';
import type { RuleCase } from './rule-case.js';

/** What is so at OpenAI alone. */
const OTHERS = new Set(['the older name of the limit', 'an unknown modality']);

export const drawing: RuleCase = {
  model: 'google/gemini-2.5-flash-image',
  body: { ...chat.body, model: 'google/gemini-2.5-flash-image', modalities: ['image', 'text'] },
  breaches: [
    ...chat.breaches.filter(([what]) => !OTHERS.has(what)),
    ['an unknown modality', (b) => (b.modalities = ['audio']), 'modalities[0]'],
  ],
};
