/** What a caller probably did not mean, though it is no error. */
export interface Warning {
  /** Where it stands: `provider.only.0`. */
  readonly field: string;
  /** A sentence without a full stop; it holds names only, never content. */
  readonly message: string;
}

/** As it stands in the header and in explanations. */
export const printWarning = ({ field, message }: Warning): string => `${field}: ${message}`;
