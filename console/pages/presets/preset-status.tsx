import type { JSX } from 'preact';
import type { Preset } from '../../api/schema.js';

/** Whether requests can use a preset. */
export const PresetStatus = ({ of: status }: { readonly of: Preset['status'] }): JSX.Element => (
  <span class={status === 'active' ? 'good' : 'warn'}>{status}</span>
);
