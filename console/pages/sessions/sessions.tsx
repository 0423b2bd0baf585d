import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useKeyNames } from '../../api/key-names.js';
import { send } from '../../api/transport.js';
import { useData } from '../../api/use-data.js';
import { bySession, signOut, type Session } from '../../app/session.js';
import { Confirm } from '../../parts/dialog.js';
import { NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time, zone } from '../../parts/time.js';

const SHOWN_MAX = 100;

interface List {
  readonly data: readonly Session[];
  readonly total_count: number;
}

/** Page with the active sessions of the console. */
export function Sessions(): JSX.Element {
  const list = useData('sessions', listSessions);
  const names = useKeyNames();
  const [ending, setEnding] = useState<Session>();
  return (
    <>
      <h1 tabIndex={-1}>Sessions</h1>
      <p>
        A session ends after 30 minutes without a request, after 12 hours, and with its key, or with the group that gave
        it, in the settings.
      </p>
      <Shown of={list}>
        {({ data, total_count: total }) => (
          <>
            <Table
              caption="Sessions"
              hidesCaption
              columns={columnsWith(names, setEnding)}
              rows={data}
              csv="sessions.csv"
              keyOf={(one) => one.id}
            />
            {total > data.length && (
              <p>
                The newest {data.length} of {total}.
              </p>
            )}
          </>
        )}
      </Shown>
      {ending && (
        <Confirm
          title="End this session?"
          action="End the session"
          act={async () => {
            if (ending.current) return signOut();
            await endSession(ending.id);
            list.reload();
          }}
          close={() => setEnding(undefined)}
        >
          <p>
            {ending.current
              ? 'You sign yourself out.'
              : `${ending.label} is signed out at once. What was entered there and not saved is lost.`}
          </p>
        </Confirm>
      )}
    </>
  );
}

interface OwnerProps {
  readonly of: Session;
  readonly names: ReadonlyMap<string, string>;
}

function Owner({ of: { key, person }, names }: OwnerProps): JSX.Element {
  if (key !== null) return <NamedId id={key} name={names.get(key)} />;
  return <NamedId id={`${person!.subject} at ${person!.issuer}, by the group ${person!.group}`} name={person!.name} />;
}

const columnsWith = (
  names: ReadonlyMap<string, string>,
  end: (session: Session) => void,
): readonly Column<Session>[] => [
  {
    name: 'label',
    title: 'Browser',
    cell: (one) => (one.current ? `${one.label} (this one)` : one.label),
    sortBy: (one) => one.label,
  },
  {
    name: 'end',
    title: 'Action',
    cell: (one) => (
      <button type="button" class="quiet" onClick={() => end(one)}>
        End<span class="unseen"> the session of {one.label}</span>
      </button>
    ),
  },
  { name: 'key', title: 'Key or person', cell: (one) => <Owner of={one} names={names} /> },
  {
    name: 'created',
    title: `Signed in (${zone()})`,
    cell: (one) => <Time at={one.created_at} />,
    sortBy: (one) => one.created_at,
  },
  {
    name: 'seen',
    title: 'Last seen',
    cell: (one) => <Time at={one.last_seen_at} />,
    sortBy: (one) => one.last_seen_at,
  },
  { name: 'ends', title: 'Ends', cell: (one) => <Time at={one.expires_at} />, sortBy: (one) => one.expires_at },
];

const listSessions = (signal: AbortSignal): Promise<List> =>
  bySession(() => send<List>('GET', `console/sessions?limit=${SHOWN_MAX}`, { signal }));

const endSession = (id: string): Promise<unknown> => bySession(() => send('DELETE', `console/sessions/${id}`));
