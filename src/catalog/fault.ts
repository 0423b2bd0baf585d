import { oneLine } from '../core/text/one-line.js';

/** One fault in a catalog file, with its position. */
export interface CatalogFault {
  readonly file: string;
  /** Number of the line, from 1. */
  readonly line: number;
  /** `models.3.endpoints.0.pricing.prompt`; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

/** `catalog.yaml:42: models.3.name: is required`. Contains no value that could be a secret. */
export function describeFault(fault: CatalogFault): string {
  const field = fault.field === '' ? '' : `${fault.field}: `;
  return oneLine(`${fault.file}:${fault.line}: ${field}${fault.message}`);
}

/**
 * The catalog cannot be used. The message names the variable that selects the file, and lists every fault on a line of
 * its own.
 */
export class CatalogRefused extends Error {
  override readonly name = 'CatalogRefused';

  constructor(readonly faults: readonly CatalogFault[]) {
    super(
      ['The catalog cannot be used (FAIRLEAD_CATALOG):', ...faults.map((fault) => `  ${describeFault(fault)}`)].join(
        '\n',
      ),
    );
  }
}
