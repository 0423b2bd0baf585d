export type EgressReason =
  | 'too-busy'
  | 'refused-url'
  | 'refused-address' // not public
  | 'refused-domain' // its caller is held to others
  | 'unreachable'
  | 'bad-status'
  | 'too-many-redirects'
  | 'too-large'
  | 'wrong-type'
  | 'timed-out';

/** Why a caller-named URL was not fetched. The message is safe to show, and reads on after `<path>: `. */
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
