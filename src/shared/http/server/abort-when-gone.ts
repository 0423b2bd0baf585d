import type { Response } from 'express';
import { Cancellation } from '../../../core/cancellation.js';
import { CallerGone } from '../../../core/errors.js';

/** A controller that aborts when the client closes before the reply is complete. */
export function abortWhenGone(response: Response): Cancellation {
  const abort = new Cancellation();
  const gone = (): void => {
    if (!response.writableFinished) abort.abort(new CallerGone());
  };
  // The client may have disconnected during the key look-up or the body: then `close` is not emitted again.
  if (response.destroyed) gone();
  else response.once('close', gone);
  return abort;
}
