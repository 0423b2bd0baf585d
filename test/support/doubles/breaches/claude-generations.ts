import type { JsonBody } from '../../recorded-request.js';
import type { Breach } from './rule-case.js';

/** Where a format has what the rules of generations are about. */
export interface GenerationForm {
  /** The model's name there. */
  readonly named: (model: string) => string;
  /** Fields of the Messages format, of a body without thinking of its own. */
  readonly set: (body: JsonBody, fields: JsonBody) => void;
  readonly push: (body: JsonBody, role: string) => void;
}

export function generationBreaches({ named, set, push }: GenerationForm): Breach[] {
  const fields = (what: string, words: string, model: string, parts: JsonBody): Breach => [
    what,
    (body) => set(body, parts),
    words,
    { model: named(model) },
  ];
  return [
    fields('a temperature of older models', 'deprecated for this model', 'claude-opus-4-7', { temperature: 0.2 }),
    fields('top_k of older models', 'deprecated for this model', 'claude-sonnet-5', { top_k: 3 }),
    fields('two samplers at once', 'cannot both be specified', 'claude-sonnet-4-5', { temperature: 1, top_p: 1 }),
    fields('a budget on a model that adapts', 'thinking.type.enabled', 'claude-opus-4-8', {
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }),
    fields('adaptive thinking on a model of budgets', 'thinking.type.adaptive', 'claude-haiku-4-5', {
      thinking: { type: 'adaptive' },
    }),
    fields('thinking off where it is always on', 'thinking.type.disabled', 'claude-fable-5', {
      thinking: { type: 'disabled' },
    }),
    fields('an effort on a model without', 'does not support the effort', 'claude-sonnet-4-5', {
      output_config: { effort: 'high' },
    }),
    fields('an effort of newer models', '"xhigh"', 'claude-opus-4-6', { output_config: { effort: 'xhigh' } }),
    fields('an effort without its beta', 'Extra inputs', 'claude-opus-4-5', { output_config: { effort: 'high' } }),
    fields('a high effort without thinking', 'with thinking off', 'claude-opus-5', {
      thinking: { type: 'disabled' },
      output_config: { effort: 'max' },
    }),
    [
      'a beginning of the answer',
      (body) => {
        set(body, {});
        push(body, 'assistant');
      },
      'does not support assistant message prefill',
      { model: named('claude-sonnet-4-6') },
    ],
  ];
}
