import type { MediaSource } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { ModerationCategory } from './harm/categories.js';
import type { PicoUsd } from '../../core/money/credits.js';

/** Texts that are judged as one: those of a turn, or a window of a reply. */
export interface JudgedText {
  /** Texts of adjacent blocks. */
  readonly parts: readonly string[];
  readonly by: 'system' | 'user' | 'assistant';
}

/** Texts and pictures that one call of an engine judges. */
export interface ModerationInput {
  readonly of: 'request' | 'reply';
  /** The newest first. */
  readonly texts: readonly JudgedText[];
  /** Pictures of users, the newest first. */
  readonly pictures: readonly MediaSource[];
}

/** Why something is refused. */
export interface Flag {
  readonly category: ModerationCategory;
  /** The flagged piece; empty for a picture. */
  readonly words: string;
}

/** A moderation engine, one file each. The operator sets up one, which judges all requests. */
export interface ModerationEngine {
  readonly name: 'local' | 'openai' | 'model';
  /** Maximum number of pictures that it reads of one request. */
  readonly picturesMax: number;
  /** Price of a request with its reply. Models that it consults are charged as calls of their own. */
  readonly price: PicoUsd;
  /**
   * @returns empty where nothing is flagged. Synchronous for short texts of an engine that calls no outside service
   * @throws ExtensionFault where it did not serve; GatewayError `too-large` for more than it reads, or as `infer`; the
   * signal's reason
   */
  judge(judged: ModerationInput, context: ExtensionContext): readonly Flag[] | Promise<readonly Flag[]>;
  /** The calls of catalog models that it would make, one after the other. Absent: none. */
  planConsultations?(judged: ModerationInput, request: ModelRequest): readonly ModelRequest[];
}
