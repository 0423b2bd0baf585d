import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../api/transport.js';
import { Failure } from './states.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the dialog ends: by a button, or by Escape. */
  readonly close: () => void;
}

/** Stands above the page. The focus goes back to where it was when it is over. */
export function Dialog({ title, children, close }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const shown = dialog.current!;
    shown.showModal();
    return () => {
      // While it is open nothing behind it can have the focus.
      isOver.current = true;
      shown.close();
      before?.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => isOver.current || close()}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  /** The label of the button that confirms. */
  readonly action: string;
  /** Runs when confirmed. */
  readonly act: () => Promise<void>;
}

/** Names what is lost before something is done that cannot be undone. */
export function Confirm({ title, children, action, act, close }: ConfirmProps): JSX.Element {
  const [isUnderWay, setUnderWay] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const run = async (): Promise<void> => {
    setUnderWay(true);
    try {
      await act();
      close();
    } catch (error) {
      setFailure(asFailure(error));
      setUnderWay(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <div>{children}</div>
      {failure && <Failure failure={failure} />}
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={isUnderWay} onClick={() => void run()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
