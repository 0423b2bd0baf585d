import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { Copy } from './named-id.js';

interface SecretOnceProps {
  readonly title: string;
  readonly secret: string;
  /** Use of the secret, such as lines to copy. */
  readonly children?: ComponentChildren;
  readonly close: () => void;
}

/** A secret that is shown this once. It is kept nowhere: neither in the address nor after the dialog is closed. */
export function SecretOnce({ title, secret, children, close }: SecretOnceProps): JSX.Element {
  const [isKept, setKept] = useState(false);
  return (
    <Dialog title={title} close={close}>
      <p>Keep it now: it is never shown again.</p>
      <pre class="secret" tabIndex={0} aria-label="The secret">
        {secret}
      </pre>
      <Copy text={secret}>Copy the secret</Copy>
      {children}
      <label class="switch">
        <input type="checkbox" checked={isKept} onChange={({ currentTarget }) => setKept(currentTarget.checked)} />I
        have kept it
      </label>
      <div class="buttons">
        <button type="button" class="main" disabled={!isKept} onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
