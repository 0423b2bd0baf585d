import type { ComponentChildren, JSX } from 'preact';
import type { ApiFailure } from '../api/transport.js';
import type { Loaded } from '../api/use-data.js';

/** A refusal or failure in the words of the API, with the id that its log has. */
export function Failure({
  failure,
  retry,
}: {
  readonly failure: ApiFailure;
  readonly retry?: () => void;
}): JSX.Element {
  return (
    <div role="alert" class="failure">
      <p>{failure.message}</p>
      {failure.requestId !== null && (
        <p class="detail">
          Request <code>{failure.requestId}</code>, status {failure.status}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What stands where there is nothing, and what to do. */
export const Empty = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="empty">{children}</div>
);

interface LoadedProps<Data> {
  readonly of: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** What is loaded, or why it is not. What was loaded before stays while it is loaded again. */
export function Shown<Data>({ of, children }: LoadedProps<Data>): JSX.Element {
  return (
    <>
      {of.failure && <Failure failure={of.failure} retry={of.reload} />}
      {of.data !== undefined ? children(of.data) : of.isLoading && <p class="loading">Loading …</p>}
    </>
  );
}
