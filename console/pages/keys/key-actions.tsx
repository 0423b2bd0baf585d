import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { RaiseBody, WholeKey } from '../../api/schema.js';
import { Deletion } from '../../parts/deletion.js';
import { NewForm } from '../../parts/form.js';
import { shortUsd } from '../../parts/money.js';
import { RAISE_FIELDS } from './key-fields.js';

interface KeyActionsProps {
  readonly of: WholeKey;
  readonly renew: (key: WholeKey) => void;
}

/** A raise of its limit, and what takes a key out of use. */
export function KeyActions({ of: key, renew }: KeyActionsProps): JSX.Element {
  const { hash, name, disabled } = key;
  return (
    <>
      {key.limit !== null && (
        <section aria-labelledby="raise">
          <h2 id="raise">Raise the limit for a time</h2>
          <NewForm
            fields={RAISE_FIELDS}
            action="Raise"
            submit={async (body) =>
              renew((await call('keysRaise', { path: { hash }, body: body as unknown as RaiseBody })).data)
            }
          />
        </section>
      )}
      <Deletion
        kind="key"
        list="keys"
        remove={() => call('keysRemove', { path: { hash } })}
        disabling={{
          isDisabled: disabled,
          set: async (off) => renew((await call('keysUpdate', { path: { hash }, body: { disabled: off } })).data),
          loss: (
            <p>
              Requests with <bdi>{name}</bdi> get 401 within seconds, until it is enabled again.
            </p>
          ),
        }}
      >
        <p>
          <bdi>{name}</bdi> and all its secrets stop working within seconds, and no one can bring them back. It has
          spent {shortUsd(key.usage)}; its generations and its charges stay.
        </p>
      </Deletion>
    </>
  );
}
