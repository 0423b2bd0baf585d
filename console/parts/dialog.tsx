import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../api/transport.js';
import { Failure } from './states.js';

interface ConfirmProps {
  readonly title: string;
  /** What is lost by it. */
  readonly children: ComponentChildren;
  /** The word of the button that does it. */
  readonly action: string;
  /** Does it. */
  readonly act: () => Promise<void>;
  readonly close: () => void;
}

/** Names what is lost before something is done that cannot be undone. */
export function Confirm({ title, children, action, act, close }: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isUnderWay, setUnderWay] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  useEffect(() => dialog.current!.showModal(), []);
  const run = async (): Promise<void> => {
    setUnderWay(true);
    try {
      await act();
      dialog.current?.close();
    } catch (error) {
      setFailure(asFailure(error));
      setUnderWay(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      <div>{children}</div>
      {failure && <Failure failure={failure} />}
      <div class="buttons">
        <button type="button" onClick={() => dialog.current!.close()}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={isUnderWay} onClick={() => void run()}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
