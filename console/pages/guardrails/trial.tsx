import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { GuardrailTrial } from '../../api/schema.js';
import { asFailure, type ApiFailure } from '../../api/transport.js';
import { Fields } from '../../parts/form.js';
import { draftOf, newBody, type Field } from '../../parts/form-fields.js';
import { ACTIONS, actionWords, patternWords } from './guardrail-fields.js';

const FIELDS: readonly Field[] = [
  {
    name: 'text',
    label: 'Text of a user',
    kind: 'lines',
    placeholder: 'Write to ada@example.com about project-1234.',
  },
  {
    name: 'pattern',
    label: 'A pattern in place of its own ones',
    kind: 'text',
    description: 'Empty: those that are stored. What is tried here is neither saved nor sent.',
    placeholder: 'project-[0-9]{4}',
  },
  { name: 'action', label: 'What the pattern does', kind: 'choice', options: ACTIONS },
];

const OUTCOMES: Readonly<Record<GuardrailTrial['outcome'], readonly [words: string, look: string]>> = {
  passed: ['Passes unchanged', 'good'],
  flagged: ['Passes, and is reported', 'warn'],
  redacted: ['Passes without what is cut', 'warn'],
  blocked: ['Is blocked', 'bad'],
};

/** Form that runs the filters of a guardrail on a text and shows the result. */
export function Trial({ id }: { readonly id: string }): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(FIELDS, { action: 'redact' }));
  const [trial, setTrial] = useState<GuardrailTrial>();
  const [failure, setFailure] = useState<ApiFailure>();
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setFailure(undefined);
    setTrial(undefined);
    const { pattern, action } = newBody(FIELDS, draft) as { readonly pattern?: string; readonly action: 'redact' };
    // The text is sent unchanged: a filter may match blanks and line breaks.
    const body = { text: draft['text']!, ...(pattern !== undefined && { content_filters: [{ pattern, action }] }) };
    try {
      setTrial((await call('guardrailsTest', { path: { id }, body })).data);
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  return (
    <section aria-labelledby="trial">
      <h2 id="trial">Try a text</h2>
      <form class="form" onSubmit={(event) => void run(event)}>
        <Fields fields={FIELDS} draft={draft} change={setDraft} failure={failure} />
        <div class="buttons">
          <button type="submit" class="main">
            Try it
          </button>
        </div>
      </form>
      <div role="status">{trial && <Result of={trial} />}</div>
    </section>
  );
}

function Result({ of: { outcome, text, message, findings } }: { readonly of: GuardrailTrial }): JSX.Element {
  const [words, look] = OUTCOMES[outcome];
  return (
    <>
      <p>
        <strong class={look}>{words}</strong>
        {message !== null && <>: {message}</>}
      </p>
      {findings.length > 0 && (
        <ul class="events">
          {findings.map(({ name, action, patterns }) => (
            <li key={`${name} ${action}`}>
              <bdi>{patterns.map(patternWords).join(', ')}</bdi>: {actionWords(action)}
            </li>
          ))}
        </ul>
      )}
      {text !== null && outcome === 'redacted' && (
        <>
          <p class="hint">What a model reads:</p>
          <pre class="command" tabIndex={0} aria-label="What a model reads">
            <bdi>{text}</bdi>
          </pre>
        </>
      )}
    </>
  );
}
