import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../api/transport.js';
import { Failure } from './states.js';

interface ActionButtonProps {
  readonly act: () => Promise<void>;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** Does something that needs no confirmation; if it fails, the message of the API is shown next to it. */
export function ActionButton({ act, class: className, disabled = false, children }: ActionButtonProps): JSX.Element {
  const [isUnderWay, setUnderWay] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const run = async (): Promise<void> => {
    setUnderWay(true);
    setFailure(undefined);
    try {
      await act();
    } catch (error) {
      setFailure(asFailure(error));
    }
    setUnderWay(false);
  };
  return (
    <>
      <button type="button" class={className} disabled={disabled || isUnderWay} onClick={() => void run()}>
        {children}
      </button>
      {failure && <Failure failure={failure} />}
    </>
  );
}
