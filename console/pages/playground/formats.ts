/** The formats of the API that a request can be sent in. */
export type FormatId = 'messages' | 'chat' | 'responses';

/** Values of the form of the playground. */
export interface Entered {
  readonly model: string;
  readonly system: string;
  readonly message: string;
  readonly tokensMax: number;
  /** Further fields of the body, such as tools. */
  readonly more: Readonly<Record<string, unknown>>;
}

interface Format {
  readonly id: FormatId;
  readonly title: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly bodyOf: (entered: Entered) => Readonly<Record<string, unknown>>;
}

export const FORMATS: readonly Format[] = [
  {
    id: 'messages',
    title: 'Messages',
    path: 'messages',
    bodyOf: ({ model, system, message, tokensMax, more }) => ({
      model,
      max_tokens: tokensMax,
      ...(system !== '' && { system }),
      messages: [{ role: 'user', content: message }],
      ...more,
      stream: true,
    }),
  },
  {
    id: 'chat',
    title: 'Chat completions',
    path: 'chat/completions',
    bodyOf: ({ model, system, message, tokensMax, more }) => ({
      model,
      max_tokens: tokensMax,
      messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: message }],
      ...more,
      stream: true,
    }),
  },
  {
    id: 'responses',
    title: 'Responses',
    path: 'responses',
    bodyOf: ({ model, system, message, tokensMax, more }) => ({
      model,
      max_output_tokens: tokensMax,
      ...(system !== '' && { instructions: system }),
      input: message,
      ...more,
      stream: true,
    }),
  },
];
