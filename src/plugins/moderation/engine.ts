import type { MediaSource } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { ModerationCategory } from '../../core/moderation/categories.js';
import type { PicoUsd } from '../../core/money/credits.js';

/** What is judged as one: the texts of a turn, or a window of a reply. */
export interface JudgedText {
  /** Of neighbouring blocks. */
  readonly parts: readonly string[];
  readonly by: 'system' | 'user' | 'assistant';
}

/** What is judged together. */
export interface Judged {
  readonly of: 'request' | 'reply';
  /** The newest first. */
  readonly texts: readonly JudgedText[];
  /** Pictures of users, the newest first. */
  readonly pictures: readonly MediaSource[];
}

/** Why something may not be. */
export interface Flag {
  readonly category: ModerationCategory;
  /** The piece that was flagged; empty for a picture. */
  readonly words: string;
}

/** Who judges. One file each; a request is judged by the one that the operator has set up. */
export interface ModerationEngine {
  readonly name: 'local' | 'openai' | 'model';
  /** Most pictures that it reads of one request. */
  readonly picturesMax: number;
  /** Of one request with its reply; models that it consults are charged as calls. */
  readonly price: PicoUsd;
  /**
   * @returns empty: it may be. At once where nobody outside is asked and there is little of it
   * @throws ExtensionFault where it did not serve; GatewayError `too-large` for more than it reads, or as `infer`; the
   *   signal's reason
   */
  judge(judged: Judged, context: ExtensionContext): readonly Flag[] | Promise<readonly Flag[]>;
  /** What it would ask models of the catalog for that, one after the other. Absent: nothing. */
  foresee?(judged: Judged, request: ModelRequest): readonly ModelRequest[];
}
