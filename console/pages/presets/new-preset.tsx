import type { JSX } from 'preact';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { NEW_FIELDS, save } from './preset-fields.js';

/** The form that saves a preset from a body, then its page. */
export const NewPreset = (): JSX.Element => (
  <>
    <p>
      <Link to="presets">Presets</Link>
    </p>
    <h1 tabIndex={-1}>New preset</h1>
    <NewForm
      fields={NEW_FIELDS}
      begin={{ format: 'messages' }}
      action="Save the preset"
      submit={async ({ slug, ...entered }) => save(String(slug), entered)}
      done={({ slug }) => navigate(addressOf(`presets/${slug}`))}
      cancel={() => navigate(addressOf('presets'))}
    />
  </>
);
