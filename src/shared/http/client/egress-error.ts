export type EgressReason =
  | 'too-busy'
  | 'refused-url'
  | 'refused-address' // not public
  | 'refused-domain' // excluded by the caller's domain rules
  | 'unreachable'
  | 'bad-status'
  | 'too-many-redirects'
  | 'too-large'
  | 'wrong-type'
  | 'timed-out';

/** Why a URL from a caller was not fetched. The message is safe to show, and continues the text `<path>: `. */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly reason: EgressReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
