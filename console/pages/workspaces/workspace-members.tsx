import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Member, MembersBody } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { Confirm } from '../../parts/dialog.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { Link } from '../../parts/link.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

const PAGE = 50;

const FIELDS: readonly Field[] = [
  {
    name: 'user_ids',
    label: 'Users',
    kind: 'lines',
    description: 'One a line, by the ids that your own system has. At most 100 at once.',
    placeholder: 'user-1',
    isRequired: true,
  },
];

/** The users who belong to a workspace. */
export function WorkspaceMembers({ reference }: { readonly reference: string }): JSX.Element {
  const page = { offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(`members of ${reference} ${page.offset}`, (signal) =>
    call('membersList', { path: { reference }, query: page }, signal),
  );
  const [leaving, setLeaving] = useState<Member>();
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            {data.length === 0 ? (
              <Empty>It has none. Members are users who own keys of it.</Empty>
            ) : (
              <Table
                caption="Members"
                hidesCaption
                columns={columnsWith(setLeaving)}
                rows={data}
                keyOf={({ id }) => id}
                csv={<CsvLink operation="membersList" path={{ reference }} file="members.csv" />}
              />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
      <details>
        <summary>Add members</summary>
        <NewForm
          fields={FIELDS}
          action="Add"
          submit={async (body) => {
            await call('membersAdd', { path: { reference }, body: body as unknown as MembersBody });
          }}
          done={loaded.reload}
        />
      </details>
      {leaving && (
        <Confirm
          title="Remove this member?"
          action="Remove the member"
          act={async () => {
            await call('membersRemove', { path: { reference }, body: { user_ids: [leaving.user_id] } });
            loaded.reload();
          }}
          close={() => setLeaving(undefined)}
        >
          <p>
            <bdi class="name">{leaving.user_id}</bdi> no longer belongs to the workspace. Generations and charges stay.
            A member who has keys in use here stays.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const columnsWith = (leave: (member: Member) => void): readonly Column<Member>[] => [
  {
    name: 'user',
    title: 'User',
    isHeader: true,
    cell: ({ user_id: user }) => (
      <Link to="generations" parameters={{ member: user }}>
        <bdi class="name">{user}</bdi>
      </Link>
    ),
    sortBy: ({ user_id: user }) => user,
  },
  {
    name: 'since',
    title: 'Since',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    name: 'remove',
    title: 'Action',
    cell: (member) => (
      <button type="button" class="quiet" onClick={() => leave(member)}>
        Remove<span class="unseen"> {member.user_id}</span>
      </button>
    ),
  },
];
