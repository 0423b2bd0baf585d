import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FormField } from '../../parts/form-field.js';
import { draftOf, valueOf, type Field } from '../../parts/form-fields.js';
import { FORMATS, type FormatId } from './formats.js';
import type { Request } from './playground.js';

const EXAMPLE = '{ "tools": [{ "type": "openrouter:datetime" }] }';

const FIELDS: readonly Field[] = [
  { name: 'key', label: 'Inference key', kind: 'secret', isRequired: true },
  {
    name: 'format',
    label: 'Format',
    kind: 'choice',
    options: FORMATS.map(({ id, title }) => ({ value: id, label: title })),
  },
  {
    name: 'model',
    label: 'Model',
    kind: 'text',
    description: 'sandbox/echo repeats the message, and sandbox/tools calls what its lines name, without a provider.',
    isRequired: true,
  },
  { name: 'system', label: 'System prompt', kind: 'text' },
  { name: 'message', label: 'Message', kind: 'lines', isRequired: true },
  { name: 'tokens', label: 'Output tokens at most', kind: 'number', isRequired: true },
  {
    name: 'more',
    label: 'Further fields of the body (JSON)',
    kind: 'json',
    description: `Such as tools, plugins or provider: ${EXAMPLE}`,
  },
];
const BEGIN = { format: 'messages', model: 'sandbox/echo', message: ['Say hello to Fairlead.'], tokens: 500 };

interface PlaygroundFormProps {
  readonly isUnderWay: boolean;
  readonly send: (request: Request) => void;
  readonly stop: () => void;
}

/** Form of a request to a model. Its values are not stored, and not part of the address. */
export function PlaygroundForm({ isUnderWay, send, stop }: PlaygroundFormProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(FIELDS, BEGIN));
  const [refusal, setRefusal] = useState<string>();
  const text = (name: string): string => draft[name] ?? '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const more = valueOf(FIELDS.at(-1)!, text('more')) ?? {};
    const isObject = typeof more === 'object' && !Array.isArray(more);
    setRefusal(isObject ? undefined : 'must be a JSON object');
    if (!isObject) return;
    send({
      format: text('format') as FormatId,
      key: text('key').trim(),
      model: text('model').trim(),
      system: text('system').trim(),
      message: text('message'),
      tokensMax: Number(text('tokens')),
      more: more as Readonly<Record<string, unknown>>,
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      <div class="form-fields">
        {FIELDS.map((field) => (
          <FormField
            key={field.name}
            field={field}
            text={text(field.name)}
            error={field.name === 'more' ? refusal : undefined}
            change={(value) => setDraft((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      <div class="buttons">
        <button type="submit" class="main" disabled={isUnderWay}>
          Send
        </button>
        <button type="button" disabled={!isUnderWay} onClick={stop}>
          Stop
        </button>
      </div>
    </form>
  );
}
