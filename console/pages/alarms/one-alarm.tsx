import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { useDestinationNames } from '../../api/destination-names.js';
import { useKeyNames } from '../../api/key-names.js';
import type { Alarm } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { ActionButton } from '../../parts/action-button.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { AlarmEvents } from './alarm-events.js';
import { bodyOf, ENABLED, fieldsOf, formOf } from './alarm-fields.js';
import { AlarmState } from './alarm-list.js';
import { KINDS, ruleOf, ruleWords } from './alarm-words.js';

/** Page of one alarm: its rule, its reports, and a test of its destinations. */
export function OneAlarm({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(id, async (signal) => (await call('alarmsShow', { path: { id } }, signal)).data);
  const [changed, setChanged] = useState<Alarm>();
  return (
    <>
      <p>
        <Link to="alarms">Alarms</Link>
      </p>
      <Shown of={loaded} title="Alarm">
        {(read) => {
          const alarm = changed ?? read;
          return (
            <>
              <h1 tabIndex={-1}>
                Alarm <bdi>{alarm.name}</bdi>
              </h1>
              <Facts of={alarm} />
              <Test of={alarm} />
              <section aria-labelledby="reports">
                <h2 id="reports">What it has reported</h2>
                <AlarmEvents alarmId={id} />
              </section>
              <Terms of={alarm} renew={setChanged} />
              <End of={alarm} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: alarm }: { readonly of: Alarm }): JSX.Element {
  const keys = useKeyNames();
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <AlarmState of={alarm} />
        {alarm.status_reason !== null && `: ${alarm.status_reason}`}
      </dd>
      <dt>Watches</dt>
      <dd>
        <bdi>{ruleWords(ruleOf(alarm), keys)}</bdi>
      </dd>
      <dt>Last judged</dt>
      <dd>
        <Time at={alarm.judged_at} withZone />
      </dd>
    </dl>
  );
}

function Test({ of: { id, destination_ids: destinations } }: { readonly of: Alarm }): JSX.Element {
  const [sent, setSent] = useState('');
  return (
    <div class="buttons">
      <ActionButton
        act={async () => {
          setSent('');
          const { data } = await call('alarmsTest', { path: { id } });
          const count = data.destination_ids.length;
          setSent(
            count === 0
              ? 'It is in the list below. The alarm has no destination.'
              : `On its way to ${count === 1 ? 'a destination' : `${count} destinations`}: the list below shows how it arrives.`,
          );
        }}
      >
        {destinations.length === 0 ? 'Report a test' : 'Send a test'}
      </ActionButton>
      <span role="status" class="hint">
        {sent}
      </span>
    </div>
  );
}

interface TermsProps {
  readonly of: Alarm;
  readonly renew: (alarm: Alarm) => void;
}

function Terms({ of: alarm, renew }: TermsProps): JSX.Element {
  const [keys, destinations] = [useKeyNames(), useDestinationNames()];
  const rule = ruleOf(alarm);
  // A key or destination whose name is not known is listed as well.
  const known = rule.kind === 'limit' && rule.key !== '*' ? new Map([[rule.key, rule.key], ...keys]) : keys;
  const reached = new Map([...alarm.destination_ids.map((id) => [id, id] as const), ...destinations]);
  const path = { id: alarm.id };
  return (
    <section aria-labelledby="terms">
      <h2 id="terms">{KINDS[rule.kind]}</h2>
      <EditForm
        key={`${keys.size} ${destinations.size}`}
        fields={[ENABLED, ...fieldsOf(rule.kind, known, reached)]}
        of={formOf(alarm)}
        name={`the alarm “${alarm.name}”`}
        read={async () => formOf((await call('alarmsShow', { path })).data)}
        save={async (body) => {
          const { data } = await call('alarmsUpdate', { path, body: bodyOf(rule.kind, body) });
          renew(data);
          return formOf(data);
        }}
        saved={() => undefined}
      />
    </section>
  );
}

function End({ of: { id, name } }: { readonly of: Alarm }): JSX.Element {
  return (
    <Deletion kind="alarm" list="alarms" remove={() => call('alarmsRemove', { path: { id } })}>
      <p>
        What <bdi>{name}</bdi> watches is no longer reported. What it has reported stays for 30 days.
      </p>
    </Deletion>
  );
}
