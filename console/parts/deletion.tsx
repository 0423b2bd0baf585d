import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, navigate } from '../app/router.js';
import { ActionButton } from './action-button.js';
import { Confirm } from './dialog.js';

/** How a thing is taken out of use for a time. */
interface Disabling {
  readonly isDisabled: boolean;
  readonly set: (disabled: boolean) => Promise<void>;
  /** What stops. */
  readonly loss: ComponentChildren;
}

interface DeletionProps {
  /** The kind of the object, as one word: `guardrail`. */
  readonly kind: string;
  /** The path of the list that is shown afterwards. */
  readonly list: string;
  readonly remove: () => Promise<unknown>;
  /** Absent: it cannot be disabled, or a field of its form does so. */
  readonly disabling?: Disabling;
  /** Description of what the deletion removes. */
  readonly children: ComponentChildren;
}

/** The last section of a thing's page: disables or deletes it, once what is lost was named and confirmed. */
export function Deletion({ kind, list, remove, disabling, children }: DeletionProps): JSX.Element {
  const [question, setQuestion] = useState<'disable' | 'delete'>();
  const close = (): void => setQuestion(undefined);
  return (
    <section aria-labelledby="end">
      <h2 id="end">Out of use</h2>
      <div class="buttons">
        {disabling?.isDisabled && <ActionButton act={() => disabling.set(false)}>Enable</ActionButton>}
        {disabling?.isDisabled === false && (
          <button type="button" onClick={() => setQuestion('disable')}>
            Disable
          </button>
        )}
        <button type="button" class="danger" onClick={() => setQuestion('delete')}>
          Delete
        </button>
      </div>
      {disabling && question === 'disable' && (
        <Confirm title={`Disable this ${kind}?`} action="Disable" act={() => disabling.set(true)} close={close}>
          {disabling.loss}
        </Confirm>
      )}
      {question === 'delete' && (
        <Confirm
          title={`Delete this ${kind}?`}
          action={`Delete the ${kind}`}
          act={async () => {
            await remove();
            navigate(addressOf(list));
          }}
          close={close}
        >
          {children}
        </Confirm>
      )}
    </section>
  );
}
