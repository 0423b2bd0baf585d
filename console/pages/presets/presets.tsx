import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { NewPreset } from './new-preset.js';
import { OnePreset } from './one-preset.js';
import { PresetList } from './preset-list.js';

/** The presets of a workspace: all of them, one with its versions, or the form that saves one. */
export function Presets({ rest }: PageProps): JSX.Element {
  if (rest === '') return <PresetList />;
  return rest === 'new' ? <NewPreset /> : <OnePreset key={rest} slug={rest} />;
}
