import type { ExtensionContext } from '../../core/extension.js';
import { ExtensionFault, wasRequested } from '../../core/extension.js';
import type { ToolFailure } from '../../core/tool.js';
import type { PageText } from './page-text.js';

/** A page that was read. */
export interface Page extends PageText {
  /** The final address. */
  readonly url: string;
}

/** A request for a page. */
export interface PageRequest {
  readonly url: string;
  readonly tokensMax: number;
  /** The domain rules of this use of the tool; also applied to redirects. */
  readonly allows: (url: string) => boolean;
}

/** A source of pages. @throws PageFailure, or the signal's reason */
export type PageSource = (request: PageRequest, context: ExtensionContext) => Promise<Page>;

interface PageFailureOptions extends ErrorOptions {
  /** No request to the web was made. */
  readonly isUnsent?: boolean;
}

/** Why there is no page. Its message is for the model, and continues `The page `. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure';
  readonly isUnsent: boolean;

  constructor(
    readonly failure: ToolFailure,
    message: string,
    { isUnsent = false, ...options }: PageFailureOptions = {},
  ) {
    super(message, options);
    this.isUnsent = isUnsent;
  }
}

/** The failure that a fault of an outside service is reported as. */
export type FailureTable = Readonly<Record<ExtensionFault['kind'], ToolFailure>>;

/** Awaits an outside service. @throws PageFailure as the table maps it, or the signal's reason */
export const orFail = <T>(work: Promise<T>, table: FailureTable): Promise<T> =>
  orFailAs(work, table, (fault) => !wasRequested(fault));

/** `orFail` for work on what the web has answered. */
export const orFailAnswered = <T>(work: Promise<T>, table: FailureTable): Promise<T> =>
  orFailAs(work, table, () => false);

async function orFailAs<T>(
  work: Promise<T>,
  table: FailureTable,
  isUnsent: (fault: ExtensionFault) => boolean,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    throw new PageFailure(table[error.kind], error.message, { cause: error, isUnsent: isUnsent(error) });
  }
}
