import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { DesignatedPreset } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { Copy } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { BODY_FIELDS, CHANGEABLE_FIELDS, save, shownWorkspace } from './preset-fields.js';
import { PresetStatus } from './preset-status.js';
import { PresetVersions } from './preset-versions.js';

/** A preset as its form has it: the version in use by its number. */
type FormPreset = Omit<DesignatedPreset, 'designated_version'> & { readonly designated_version: number };

const formOf = (preset: DesignatedPreset): FormPreset => ({
  ...preset,
  designated_version: preset.designated_version.version,
});

/** Page of one preset: its settings, its versions, and its deletion. */
export function OnePreset({ slug }: { readonly slug: string }): JSX.Element {
  const show = async (signal?: AbortSignal): Promise<DesignatedPreset> =>
    (await call('presetsShow', { path: { slug }, query: shownWorkspace() }, signal)).data;
  const loaded = useData(slug, show);
  const [changed, setChanged] = useState<DesignatedPreset>();
  const [versionsSaved, setVersionsSaved] = useState(0);
  return (
    <>
      <p>
        <Link to="presets">Presets</Link>
      </p>
      <Shown of={loaded} title="Preset">
        {(read) => {
          const one = changed ?? read;
          const update = async (body: object): Promise<FormPreset> => {
            const { data } = await call('presetsUpdate', { path: { slug }, query: shownWorkspace(), body });
            setChanged(data);
            return formOf(data);
          };
          return (
            <>
              <h1 tabIndex={-1}>
                Preset <bdi>{one.name}</bdi>
              </h1>
              <Facts of={one} />
              <section aria-labelledby="settings">
                <h2 id="settings">Settings</h2>
                <EditForm
                  // A new version changes what the form began with.
                  key={versionsSaved}
                  fields={CHANGEABLE_FIELDS}
                  of={formOf(one)}
                  name={`the preset “${one.slug}”`}
                  read={async () => formOf(await show())}
                  save={update}
                  saved={() => undefined}
                />
              </section>
              <PresetVersions key={one.updated_at} slug={slug} inUse={one.designated_version_id} />
              <section aria-labelledby="new-version">
                <h2 id="new-version">New version</h2>
                <p class="hint">Requests use it from then on. Earlier versions stay.</p>
                <NewForm
                  fields={BODY_FIELDS}
                  begin={{ format: one.designated_version.api }}
                  action="Save the version"
                  submit={async (entered) => {
                    setChanged(await save(slug, entered));
                    setVersionsSaved((count) => count + 1);
                  }}
                />
              </section>
              <End of={one} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: one }: { readonly of: DesignatedPreset }): JSX.Element {
  const name = `@preset/${one.slug}`;
  return (
    <>
      <dl class="facts columns">
        <div>
          <dt>Status</dt>
          <dd>
            <PresetStatus of={one.status} />
          </dd>
        </div>
        <div>
          <dt>Requests name it</dt>
          <dd>
            <code>{name}</code>
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={one.created_at} withZone />
          </dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <Time at={one.updated_at} withZone />
          </dd>
        </div>
      </dl>
      <Copy text={name}>Copy its name</Copy>
    </>
  );
}

function End({ of: { slug } }: { readonly of: DesignatedPreset }): JSX.Element {
  return (
    <Deletion
      kind="preset"
      list="presets"
      remove={() => call('presetsRemove', { path: { slug }, query: shownWorkspace() })}
    >
      <p>
        All versions of <code>{slug}</code> are lost, and requests that name it get 404. To stop its use and keep it,
        set its status to “archived”.
      </p>
    </Deletion>
  );
}
