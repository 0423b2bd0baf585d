import type { KeyKind } from '../core/caller.js';
import type { DescribedReply } from '../shared/http/answers.decorator.js';

/** A decorated class of a body or a query. */
export type Dto = new () => object;

/** A route of the application, as its decorators define it. */
export interface DescribedRoute {
  /** Name of the operation, unique: `keysCreate`. */
  readonly name: string;
  /** Method in lower case. */
  readonly method: string;
  /** Below the base path, or from the root: `/keys/{hash}`. */
  readonly path: string;
  readonly isBelowBasePath: boolean;
  readonly isAtRoot: boolean;
  /** Needs no key. */
  readonly isOpen: boolean;
  /** The one kind of key it takes; undefined for either. */
  readonly keyKind: KeyKind | undefined;
  /** Status of success. */
  readonly status: number;
  readonly pathParameters: readonly string[];
  readonly query: Dto | undefined;
  /** Alternatives; empty where no body is read. */
  readonly bodies: readonly Dto[];
  readonly answer: DescribedReply;
}
