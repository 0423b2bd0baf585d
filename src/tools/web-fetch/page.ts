import type { ExtensionContext } from '../../core/extension.js';
import { ExtensionFault, wasAsked } from '../../core/extension.js';
import type { ToolFailure } from '../../core/tool.js';
import type { PageWords } from './page-words.js';

/** A page that was read. */
export interface Page extends PageWords {
  /** As it was reached. */
  readonly url: string;
}

/** What is wanted of a page. */
export interface PageAsk {
  readonly url: string;
  readonly tokensMax: number;
  /** Of this use of the tool: where it redirects to is asked as well. */
  readonly allows: (url: string) => boolean;
}

/** Where pages come from. @throws PageFailure, or the signal's reason */
export type PageSource = (ask: PageAsk, context: ExtensionContext) => Promise<Page>;

interface PageFailureOptions extends ErrorOptions {
  /** Nothing was asked of the web. */
  readonly isUnasked?: boolean;
}

/** Why there is no page. Its message is for the model, and reads on after `The page `. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure';
  readonly isUnasked: boolean;

  constructor(
    readonly failure: ToolFailure,
    message: string,
    { isUnasked = false, ...options }: PageFailureOptions = {},
  ) {
    super(message, options);
    this.isUnasked = isUnasked;
  }
}

/** What a fault of something outside is told as. */
export type FailureTable = Readonly<Record<ExtensionFault['kind'], ToolFailure>>;

/** Waits for something outside. @throws PageFailure as the table says, or the signal's reason */
export const orFail = <T>(work: Promise<T>, table: FailureTable): Promise<T> =>
  orFailAs(work, table, (fault) => !wasAsked(fault));

/** The same of what the web has answered. */
export const orFailAnswered = <T>(work: Promise<T>, table: FailureTable): Promise<T> =>
  orFailAs(work, table, () => false);

async function orFailAs<T>(
  work: Promise<T>,
  table: FailureTable,
  isUnasked: (fault: ExtensionFault) => boolean,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    throw new PageFailure(table[error.kind], error.message, { cause: error, isUnasked: isUnasked(error) });
  }
}
