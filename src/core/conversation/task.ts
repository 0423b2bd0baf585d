import type { NumberList } from '../json/json.js';

/** Kinds of results that models compute instead of an answer, by the names of the catalog's output modalities. */
export const TASK_KINDS = ['embeddings', 'rerank'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** Forms in which vectors are sent: numbers, or the bytes of little-endian float32 in base64. */
export const VECTOR_ENCODINGS = ['float', 'base64'] as const;
export type VectorEncoding = (typeof VECTOR_ENCODINGS)[number];

/**
 * The task of a request that is no conversation. Its messages are the inputs: for embeddings one for each vector, for a
 * ranking the query and then the documents. Code that reads messages therefore reads inputs as well.
 */
export type Task =
  | {
      readonly kind: 'embeddings';
      readonly encoding: VectorEncoding;
      /** The requested length of each vector; absent: the model's own. */
      readonly dimensions?: number;
      /** The use of the vectors: `search_query`, `search_document`, a vendor's own word. */
      readonly inputType?: string;
      /** Inputs as token ids, instead of messages. */
      readonly tokens?: readonly (readonly number[])[];
      /** Number of the caller's inputs before these, where the request is a part of another. */
      readonly before?: number;
    }
  | {
      readonly kind: 'rerank';
      /** Number of results; absent: all. */
      readonly topN?: number;
    };

/** A vector in the encoding in which its provider sent it; a string is base64. */
export type Vector = readonly number[] | NumberList | string;

/** The result of a task. */
export type Computed =
  | { readonly kind: 'embeddings'; readonly vectors: readonly Vector[] }
  | { readonly kind: 'rerank'; readonly results: readonly RankedDocument[] };

/** A document by its path in the request. */
export interface RankedDocument {
  readonly index: number;
  readonly score: number;
}
