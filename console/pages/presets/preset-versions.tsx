import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { shownWorkspace } from './preset-fields.js';

const PAGE = 10;

interface PresetVersionsProps {
  readonly slug: string;
  /** Id of the version that requests use. */
  readonly inUse: string;
}

/** The saved versions, newest first, each with what it holds. */
export function PresetVersions({ slug, inUse }: PresetVersionsProps): JSX.Element {
  /** Offsets of the pages up to this one: a page of large versions is shorter. */
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const offset = starts.at(-1)!;
  const page = { ...shownWorkspace(), offset: String(offset), limit: String(PAGE) };
  const loaded = useData(`${slug} ${offset}`, (signal) =>
    call('presetsListVersions', { path: { slug }, query: page }, signal),
  );
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            {data.map((version) => (
              <details key={version.id} open={version.id === inUse}>
                <summary>
                  Version {version.version}
                  {version.id === inUse && ', in use'}, saved <Time at={version.created_at} /> from{' '}
                  <code>/{version.api === 'chat' ? 'chat/completions' : version.api}</code>
                </summary>
                {version.system_prompt !== null && (
                  <>
                    <h3>System prompt</h3>
                    <pre class="wrapped" dir="auto" tabIndex={0}>
                      {version.system_prompt}
                    </pre>
                  </>
                )}
                <h3>Fields</h3>
                <pre class="wrapped" tabIndex={0}>
                  {JSON.stringify(version.config, null, 2)}
                </pre>
              </details>
            ))}
            {total > data.length && (
              <div class="buttons">
                <button type="button" disabled={offset === 0} onClick={() => setStarts(starts.slice(0, -1))}>
                  Newer
                </button>
                <button
                  type="button"
                  disabled={offset + data.length >= total}
                  onClick={() => setStarts([...starts, offset + data.length])}
                >
                  Older
                </button>
              </div>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
