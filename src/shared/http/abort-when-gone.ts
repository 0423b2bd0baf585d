import type { Response } from 'express';
import { Cancellation } from '../../core/cancellation.js';
import { CallerGone } from '../../core/errors.js';

/** A controller that aborts when the client closes before the reply is out. */
export function abortWhenGone(response: Response): Cancellation {
  const abort = new Cancellation();
  const gone = (): void => {
    if (!response.writableFinished) abort.abort(new CallerGone());
  };
  // It may have gone while its key was looked up or its body read: then `close` is not told again.
  if (response.destroyed) gone();
  else response.once('close', gone);
  return abort;
}
