import type { Modality, OutputModality } from '../../../core/routing/catalog.js';

/** Lengths of the vectors, the default first. */
export const VECTOR_LENGTHS = [64, 32, 16] as const;

/** A sandbox model in the catalog. */
export interface SandboxModel {
  /** Name of the model at the provider. The catalog id is `sandbox/` followed by this name. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly contextLength: number;
  /** Absent: it generates nothing. */
  readonly maxCompletionTokens?: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly OutputModality[];
  readonly dimensions?: readonly number[];
  readonly supportedParameters: readonly string[];
}

const PARAMETERS = ['max_tokens', 'temperature', 'top_p', 'top_k', 'tools', 'tool_choice', 'reasoning', 'structured_outputs', 'response_format']; // oxfmt-ignore

const model = (name: string, title: string, description: string): SandboxModel => ({
  name,
  title: `Sandbox: ${title}`,
  description,
  contextLength: 200_000,
  maxCompletionTokens: 8192,
  inputModalities: ['text', 'image', 'file'],
  outputModalities: ['text'],
  supportedParameters: PARAMETERS,
});

/** A model with a task. `tasks.ts` has what it computes. */
const taskModel = (name: 'embeddings' | 'rerank', title: string, description: string): SandboxModel => ({
  name,
  title: `Sandbox: ${title}`,
  description,
  contextLength: 8_192,
  inputModalities: ['text'],
  outputModalities: [name],
  supportedParameters: [],
});

/** Every model of the sandbox, as described to users. `behaviours.ts` has their behaviours under the same names. */
export const SANDBOX_MODELS: readonly SandboxModel[] = [
  model('echo', 'Echo', 'Repeats the last user text, word by word.'),
  model(
    'tools',
    'Tools',
    'Calls the tools that the last user text names, one a line and one a step (`call web_search {"query": "boats"}`), else the first one or two offered; then it answers in text.',
  ),
  model('thinking', 'Thinking', 'Thinks aloud with a signature, then repeats the last user text.'),
  model('slow', 'Slow', 'First word after two seconds, then one each fifth of a second.'),
  model('silent', 'Silent', 'Takes the request and never answers.'),
  model('overloaded', 'Overloaded', 'Always 529.'),
  model('rate-limited', 'Rate-limited', 'Always 429, with a retry hint of two seconds.'),
  model('unavailable', 'Unavailable', 'Always 503.'),
  model('server-error', 'Server error', 'Always 500.'),
  model('bad-request', 'Bad request', 'Always 400.'),
  model('unauthorized', 'Unauthorized', 'Refuses the credential of the gateway: always 401.'),
  model('malformed', 'Malformed', 'Answers 200 with broken JSON.'),
  model('cut', 'Cut', 'Breaks off after a few words.'),
  model('error-event', 'Error event', 'Reports an overload after a few words.'),
  model('refusal', 'Refusal', 'Declines: stop reason refusal, with details.'),
  model('max-tokens', 'Max tokens', 'Stops at three words: stop reason max_tokens.'),
  model('long', 'Long', 'Two thousand words.'),
  {
    ...model('image', 'Image', 'Draws a small picture that the last user text decides.'),
    outputModalities: ['text', 'image'],
  },
  model('json', 'JSON', 'An object made from the output schema.'),
  {
    ...taskModel('embeddings', 'Embeddings', 'Vectors by the words of a text: texts with common words are near.'),
    dimensions: VECTOR_LENGTHS,
    supportedParameters: ['dimensions', 'encoding_format', 'input_type'],
  },
  taskModel('rerank', 'Rerank', 'Ranks documents by the words that they share with the query.'),
  model('cache', 'Cache', 'Reports half of the prompt as read from a cache and a quarter as written to it.'),
];
