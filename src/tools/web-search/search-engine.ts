import type { CancelSignal } from '../../core/cancellation.js';
import type { EngineClient } from '../../core/extension.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { ToolEngine } from '../../core/routing/catalog.js';

/** Where a search is made from, roughly. */
export interface SearchPlace {
  readonly city?: string;
  readonly region?: string;
  /** ISO 3166-1, two capital letters. */
  readonly country?: string;
}

/** A search as an engine is asked for it. */
export interface SearchQuery {
  readonly text: string;
  /** Most results, from 1 to the engine's `resultsMax`. */
  readonly results: number;
  /** Most text of one result. */
  readonly characters: number;
  /**
   * Host names that results may come from, with all below them; empty: any. As `blockedHosts` a hint, for engines to
   * bring something that is of use: what comes back is judged by the rules themselves.
   */
  readonly allowedHosts: readonly string[];
  readonly blockedHosts: readonly string[];
  readonly place: SearchPlace;
}

/** A result as the engine tells it, unchecked; '' for what it does not tell. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly date: string;
  readonly text: string;
}

/** What an engine is reached with. */
export interface EngineAccess {
  readonly settings: ToolEngine;
  readonly name: string;
  readonly engines: EngineClient;
  readonly signal: CancelSignal;
  /** The most that the search costs. */
  readonly price: PicoUsd;
}

/** A web search that somebody offers: one file and one line in `engines.ts`. */
export interface SearchEngine {
  readonly resultsMax: number;
  readonly queryCharactersMax: number;
  /** What it charges for results beyond those that its price covers. */
  readonly surcharge?: { readonly resultsCovered: number; readonly perResult: PicoUsd };
  /** @throws ExtensionFault, or the signal's reason */
  search(query: SearchQuery, access: EngineAccess): Promise<readonly FoundPage[]>;
}
