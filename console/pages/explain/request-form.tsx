import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { query } from '../../app/router.js';
import { FormField } from '../../parts/form-field.js';
import { newBody, type Draft, type Field } from '../../parts/form-fields.js';

export type Format = 'messages' | 'chat' | 'responses';

const FORMATS: readonly { readonly value: Format; readonly label: string }[] = [
  { value: 'messages', label: 'POST /messages' },
  { value: 'chat', label: 'POST /chat/completions' },
  { value: 'responses', label: 'POST /responses' },
];

const FIELDS: readonly Field[] = [
  { name: 'model', label: 'Model', kind: 'text', placeholder: 'anthropic/claude-sonnet-4.5', isRequired: true },
  { name: 'text', label: 'Prompt', kind: 'lines', placeholder: 'Hello' },
  { name: 'max_tokens', label: 'Tokens of the answer, at most', kind: 'number', placeholder: '1024' },
  {
    name: 'provider.sort',
    label: 'Order',
    kind: 'choice',
    options: [
      { value: '', label: 'by chance, weighted by price' },
      { value: 'price', label: 'cheapest first' },
      { value: 'throughput', label: 'fastest first' },
      { value: 'latency', label: 'soonest first' },
    ],
  },
  { name: 'provider.only', label: 'Only these providers', kind: 'lines', description: 'Slugs, one a line.' },
  { name: 'provider.ignore', label: 'Without these providers', kind: 'lines' },
  { name: 'provider.zdr', label: 'Only where nothing is kept', kind: 'toggle' },
];

const PASTED: Field = {
  name: 'body',
  label: 'Body of the request',
  kind: 'json',
  description: 'JSON, as a program would send it. What is pasted here is read in place of the fields.',
  placeholder: '{ "model": "sandbox/echo", "max_tokens": 64, "messages": [ … ] }',
};

const DEFAULT_TOKENS = 1_024;

interface RequestFormProps {
  readonly isUnderWay: boolean;
  readonly explain: (format: Format, body: Readonly<Record<string, unknown>>) => void;
}

/** A request by its fields, or as a pasted body of any of the formats. */
export function RequestForm({ isUnderWay, explain }: RequestFormProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({ model: query.value.get('model') ?? '' });
  const [pasted, setPasted] = useState('');
  const [format, setFormat] = useState<Format>('messages');
  const [error, setError] = useState<string>();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setError(undefined);
    if (pasted.trim() === '') return explain('messages', bodyOf(draft));
    const body = readBody(pasted);
    if (typeof body === 'string') setError(body);
    else explain(format, body);
  };
  return (
    <form class="form" onSubmit={submit}>
      <div class="form-fields">
        {FIELDS.map((field) => (
          <FormField
            key={field.name}
            field={pasted.trim() === '' ? field : { ...field, isRequired: false }}
            text={draft[field.name] ?? ''}
            change={(text) => setDraft({ ...draft, [field.name]: text })}
          />
        ))}
      </div>
      <details class="pasted">
        <summary>A pasted body</summary>
        <div class="form-fields">
          <FormField
            field={{ name: 'format', label: 'Its format', kind: 'choice', options: FORMATS }}
            text={format}
            change={(text) => setFormat(text as Format)}
          />
          <FormField field={PASTED} text={pasted} error={error} change={setPasted} />
        </div>
      </details>
      <div class="buttons">
        <button type="submit" class="main" disabled={isUnderWay}>
          Explain
        </button>
      </div>
    </form>
  );
}

function bodyOf(draft: Draft): Readonly<Record<string, unknown>> {
  const { text, max_tokens: tokens, ...rest } = newBody(FIELDS, draft);
  return {
    ...rest,
    max_tokens: tokens ?? DEFAULT_TOKENS,
    messages: [{ role: 'user', content: (text as readonly string[] | undefined)?.join('\n') ?? 'Hello' }],
  };
}

/** @returns what is wrong where it is no JSON object */
function readBody(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Readonly<Record<string, unknown>>)
      : 'The body must be a JSON object.';
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}
