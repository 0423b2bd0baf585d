import type { JSX } from 'preact';
import { call } from '../api/client.js';
import { useData } from '../api/use-data.js';
import { Failure } from './states.js';
import { Time } from './time.js';

const EVERY_MS = 30_000;

/** Why the present catalog file is not in force, where it is not. */
export function CatalogFaults(): JSX.Element | null {
  const { data: loaded, failure } = useData('catalog', (signal) => call('catalogShow', {}, signal), EVERY_MS);
  if (failure) return <Failure failure={failure} />;
  if (!loaded || loaded.data.faults.length === 0) return null;
  const { faults, in_force_since: since } = loaded.data;
  return (
    <div class="failure" role="status">
      <p>
        The catalog file was changed and refused. What is shown is the catalog before it, in force since{' '}
        <Time at={since} />.
      </p>
      <ul>
        {faults.map(({ file, line, field, message }) => (
          <li key={`${file} ${line} ${field} ${message}`}>
            <code>
              {file}:{line}
            </code>{' '}
            {field !== '' && <code>{field}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
