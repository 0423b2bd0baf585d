/** Bytes of the file, counted from 1, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A node of `@swc/core`: `type` is its kind. A `key: value` of an object has no `span` of its own. */
export interface SyntaxNode {
  readonly type: string;
  readonly span: Span;
  // eslint-disable-next-line typescript/no-explicit-any -- the members of a kind, by their names in the tree
  readonly [member: string]: any;
}

export interface Source {
  readonly program: SyntaxNode;
  /** @param position of a span */
  readonly lineAt: (position: number) => number;
  /** The source text of a span. */
  readonly textOf: (span: Span) => string;
}

export function parseSource(file: string): Source;

/** Visits a node and its descendants, in the order of the file. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void;
