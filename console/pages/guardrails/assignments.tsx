import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { useKeyNames } from '../../api/key-names.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { Confirm } from '../../parts/dialog.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { Link } from '../../parts/link.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** Keys and members that are shown; the others are counted. */
const SHOWN_MAX = '100';

/** A key or a member that a guardrail is for. */
interface Subject {
  readonly kind: 'key' | 'member';
  readonly id: string;
  readonly name: string;
  readonly since: string;
}

/** Keys and members to which a guardrail is assigned. */
export function Assignments({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(`assignments of ${id}`, async (signal) => {
    const inputs = { path: { id }, query: { limit: SHOWN_MAX } };
    const [keys, members] = await Promise.all([
      call('assignmentsListKeys', inputs, signal),
      call('assignmentsListMembers', inputs, signal),
    ]);
    const subjects: readonly Subject[] = [
      ...keys.data.map(
        (one) => ({ kind: 'key', id: one.key_hash, name: one.key_name, since: one.created_at }) as const,
      ),
      ...members.data.map(
        (one) => ({ kind: 'member', id: one.user_id, name: one.user_id, since: one.created_at }) as const,
      ),
    ];
    return { subjects, total: keys.total_count + members.total_count };
  });
  const [leaving, setLeaving] = useState<Subject>();
  return (
    <section aria-labelledby="assignments">
      <h2 id="assignments">Whom it is for</h2>
      <Shown of={loaded}>
        {({ subjects, total }) =>
          subjects.length === 0 ? (
            <Empty>No key and no member. It is in force only in workspaces whose rules name it.</Empty>
          ) : (
            <>
              <Subjects of={subjects} guardrail={id} leave={setLeaving} />
              {total > subjects.length && (
                <p class="hint">
                  The newest {subjects.length} of {total.toLocaleString('en')}.
                </p>
              )}
            </>
          )
        }
      </Shown>
      <details>
        <summary>Assign it</summary>
        <Assign id={id} done={loaded.reload} />
      </details>
      {leaving && (
        <Confirm
          title={`Take the guardrail from this ${leaving.kind}?`}
          action="Take it away"
          act={async () => {
            await unassign(id, leaving);
            loaded.reload();
          }}
          close={() => setLeaving(undefined)}
        >
          <p>
            Within seconds requests of <bdi>{leaving.name}</bdi> are no longer judged by it, and what was counted toward
            its limit is lost.
          </p>
        </Confirm>
      )}
    </section>
  );
}

async function unassign(id: string, { kind, id: subject }: Subject): Promise<void> {
  const path = { id };
  if (kind === 'key') await call('assignmentsUnassignKeys', { path, body: { key_hashes: [subject] } });
  else await call('assignmentsUnassignMembers', { path, body: { member_user_ids: [subject] } });
}

interface SubjectsProps {
  readonly of: readonly Subject[];
  /** Id of the guardrail. */
  readonly guardrail: string;
  readonly leave: (subject: Subject) => void;
}

const Subjects = ({ of, guardrail, leave }: SubjectsProps): JSX.Element => (
  <Table
    caption="Keys and members"
    hidesCaption
    columns={[
      {
        name: 'name',
        title: 'Name',
        isHeader: true,
        cell: ({ kind, id, name }) => (
          <Link to="generations" parameters={{ [kind]: id }}>
            <bdi class="name" title={id}>
              {name}
            </bdi>
          </Link>
        ),
        sortBy: ({ name }) => name,
      },
      { name: 'kind', title: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind },
      { name: 'since', title: 'Since', cell: ({ since }) => <Time at={since} />, sortBy: ({ since }) => since },
      {
        name: 'remove',
        title: 'Action',
        cell: (subject) => (
          <button type="button" class="quiet" onClick={() => leave(subject)}>
            Take away<span class="unseen"> from {subject.name}</span>
          </button>
        ),
      },
    ]}
    rows={of}
    keyOf={({ kind, id }) => `${kind} ${id}`}
    csv={
      <>
        <CsvLink operation="assignmentsListKeys" path={{ id: guardrail }} file="guardrail-keys.csv">
          Export the keys as CSV
        </CsvLink>{' '}
        <CsvLink operation="assignmentsListMembers" path={{ id: guardrail }} file="guardrail-members.csv">
          Export the members as CSV
        </CsvLink>
      </>
    }
  />
);

interface AssignProps {
  readonly id: string;
  readonly done: () => void;
}

function Assign({ id, done }: AssignProps): JSX.Element {
  const keys = useKeyNames();
  const fields: readonly Field[] = [
    {
      name: 'key',
      label: 'Key',
      kind: 'choice',
      options: [
        { value: '', label: 'none of these' },
        ...[...keys].map(([hash, name]) => ({ value: hash, label: name })),
      ],
      description: 'The last used ones. Another guardrail of the key is replaced.',
    },
    { name: 'key_hashes', label: 'Keys by their hashes', kind: 'lines', description: 'One a line.' },
    { name: 'member_user_ids', label: 'Members', kind: 'lines', description: 'A user id a line.' },
  ];
  const submit = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    const {
      key,
      key_hashes: more = [],
      member_user_ids: members = [],
    } = body as {
      readonly key?: string;
      readonly key_hashes?: readonly string[];
      readonly member_user_ids?: readonly string[];
    };
    const hashes = [...(key ? [key] : []), ...more];
    const path = { id };
    if (hashes.length > 0) await call('assignmentsAssignKeys', { path, body: { key_hashes: hashes } });
    if (members.length > 0) await call('assignmentsAssignMembers', { path, body: { member_user_ids: members } });
  };
  return <NewForm fields={fields} action="Assign" submit={submit} done={done} />;
}
