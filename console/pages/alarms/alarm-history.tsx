import type { JSX } from 'preact';
import { AlarmEvents } from './alarm-events.js';
import { AlarmParts } from './alarm-list.js';

/** Page with the reports of all alarms, deleted ones included. */
export const AlarmHistory = (): JSX.Element => (
  <>
    <h1 tabIndex={-1}>What alarms have reported</h1>
    <AlarmParts current="history" />
    <p>Of the last 30 days, with how each report was delivered.</p>
    <AlarmEvents />
  </>
);
