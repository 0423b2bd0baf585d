import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { AlarmHistory } from './alarm-history.js';
import { AlarmList } from './alarm-list.js';
import { NewAlarm } from './new-alarm.js';
import { OneAlarm } from './one-alarm.js';

/** The alarms: all of them, what they have reported, one, or the form of a new one. */
export function Alarms({ rest }: PageProps): JSX.Element {
  if (rest === '') return <AlarmList />;
  if (rest === 'history') return <AlarmHistory />;
  const [name, kind] = rest.split('/');
  return name === 'new' ? <NewAlarm key={kind} kind={kind} /> : <OneAlarm key={rest} id={rest} />;
}
