import type { KeyKind } from '../core/caller.js';
import type { DescribedReply } from '../shared/http/answers.decorator.js';

/** A decorated class that a body or a query becomes. */
export type Dto = new () => object;

/** A route of the application, as its decorators have it. */
export interface DescribedRoute {
  /** Of the operation, unique: `keysCreate`. */
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  /** Below the base path, or from the root: `/keys/{hash}`. */
  readonly path: string;
  readonly isBelowBasePath: boolean;
  readonly isAtRoot: boolean;
  /** Answers without a key. */
  readonly isOpen: boolean;
  /** The one kind of key it takes; undefined is either. */
  readonly keyKind: KeyKind | undefined;
  /** Of success. */
  readonly status: number;
  readonly pathParameters: readonly string[];
  readonly query: Dto | undefined;
  /** Any of them; none where no body is read. */
  readonly bodies: readonly Dto[];
  readonly answer: DescribedReply;
}
