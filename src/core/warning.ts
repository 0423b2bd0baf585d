/** Something that a caller probably did not mean, although it is not an error. */
export interface Warning {
  /** The path of the field: `provider.only.0`. */
  readonly field: string;
  /** A sentence without a full stop; it contains names only, never content. */
  readonly message: string;
}

/** The form of the response header and of explanations. */
export const printWarning = ({ field, message }: Warning): string => `${field}: ${message}`;
