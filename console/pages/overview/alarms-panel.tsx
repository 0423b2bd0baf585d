import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Empty } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';

const SHOWN_MAX = '5';

/** Panel with the newest reports of alarms. */
export function AlarmsPanel(): JSX.Element {
  const loaded = useData(
    'alarms',
    async (signal) => (await call('alarmsHistory', { query: { limit: SHOWN_MAX } }, signal)).data,
    PANEL_EVERY_MS,
  );
  return (
    <Panel title="Alarms" note="the last 30 days" of={loaded}>
      {(events) =>
        events.length === 0 ? (
          <Empty>No alarm has reported anything.</Empty>
        ) : (
          <ul class="events">
            {events.map(({ id, type, occurred_at: at, data }) => (
              <li key={id}>
                <Time at={at} withZone /> {typeof data['message'] === 'string' ? data['message'] : type}
              </li>
            ))}
          </ul>
        )
      }
    </Panel>
  );
}
