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

/** Message in place of an empty list, with the next step. */
export const Empty = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="empty">{children}</div>
);

interface LoadedProps<Data> {
  readonly of: Loaded<Data>;
  /** Title of the page, where its own heading is part of the data that cannot be loaded. */
  readonly title?: string;
  readonly children: (data: Data) => ComponentChildren;
}

/** Loaded data, or the failure of loading. Data that was loaded before stays visible while it is loaded again. */
export function Shown<Data>({ of, title, children }: LoadedProps<Data>): JSX.Element {
  return (
    <>
      {of.failure && of.data === undefined && title !== undefined && <h1 tabIndex={-1}>{title}</h1>}
      {of.failure && <Failure failure={of.failure} retry={of.reload} />}
      {of.data !== undefined ? children(of.data) : of.isLoading && <p class="loading">Loading …</p>}
    </>
  );
}
