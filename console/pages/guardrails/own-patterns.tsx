import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Guardrail } from '../../api/schema.js';
import { Confirm } from '../../parts/dialog.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { Empty } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { ACTIONS, actionWords } from './guardrail-fields.js';

type Pattern = NonNullable<Guardrail['content_filters']>[number];

const FIELDS: readonly Field[] = [
  {
    name: 'pattern',
    label: 'Pattern',
    kind: 'text',
    description: 'In the syntax of RE2, without look-around.',
    placeholder: 'project-[0-9]{4}',
    isRequired: true,
  },
  { name: 'action', label: 'What it does', kind: 'choice', options: ACTIONS },
  { name: 'label', label: 'Label', kind: 'text', description: 'It stands for the match in texts and errors.' },
];

interface OwnPatternsProps {
  readonly of: Guardrail;
  readonly renew: (guardrail: Guardrail) => void;
}

const isSame = (one: Pattern, other: Pattern): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The patterns of an administrator. A change begins at what is stored then, so that none of another person is lost. */
export function OwnPatterns({ of: guardrail, renew }: OwnPatternsProps): JSX.Element {
  const [leaving, setLeaving] = useState<Pattern>();
  const { id } = guardrail;
  const change = async (next: (stored: readonly Pattern[]) => readonly Pattern[]): Promise<void> => {
    const { data: stored } = await call('guardrailsShow', { path: { id } });
    const patterns = next(stored.content_filters ?? []);
    const body = { content_filters: patterns.length === 0 ? null : patterns };
    renew((await call('guardrailsUpdate', { path: { id }, body })).data);
  };
  return (
    <section aria-labelledby="patterns">
      <h2 id="patterns">Own patterns</h2>
      {guardrail.content_filters === null ? (
        <Empty>It has none.</Empty>
      ) : (
        <Table
          caption="Own patterns"
          hidesCaption
          columns={columnsWith(setLeaving)}
          rows={guardrail.content_filters}
          csv="patterns.csv"
          keyOf={(pattern) => JSON.stringify(pattern)}
        />
      )}
      <details>
        <summary>Add a pattern</summary>
        <NewForm
          fields={FIELDS}
          begin={{ action: 'redact' }}
          action="Add"
          submit={(body) => change((stored) => [...stored, body as unknown as Pattern])}
        />
      </details>
      {leaving && (
        <Confirm
          title="Remove this pattern?"
          action="Remove the pattern"
          act={() => change((stored) => stored.filter((one) => !isSame(one, leaving)))}
          close={() => setLeaving(undefined)}
        >
          <p>
            Within seconds requests with a match of <code>{leaving.pattern}</code> go on to providers unchanged.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const columnsWith = (leave: (pattern: Pattern) => void): readonly Column<Pattern>[] => [
  { name: 'pattern', title: 'Pattern', isHeader: true, wraps: true, cell: ({ pattern }) => <code>{pattern}</code> },
  {
    name: 'action',
    title: 'What it does',
    cell: ({ action }) => actionWords(action),
    sortBy: ({ action }) => action,
  },
  {
    name: 'label',
    title: 'Label',
    cell: ({ label }) => (label === null ? '–' : <bdi class="name">{label}</bdi>),
    sortBy: ({ label }) => label,
  },
  {
    name: 'remove',
    title: 'Action',
    cell: (pattern) => (
      <button type="button" class="quiet" onClick={() => leave(pattern)}>
        Remove<span class="unseen"> {pattern.label ?? pattern.pattern}</span>
      </button>
    ),
  },
];
