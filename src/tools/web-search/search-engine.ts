import type { CancelSignal } from '../../core/cancellation.js';
import type { EngineClient } from '../../core/extension.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { ToolEngine } from '../../core/routing/catalog.js';

/** The approximate location a search is made from. */
export interface SearchLocation {
  readonly city?: string;
  readonly region?: string;
  /** ISO 3166-1, two capital letters. */
  readonly country?: string;
}

/** A search as an engine is sent it. */
export interface SearchQuery {
  readonly text: string;
  /** Maximum number of results, from 1 to the engine's `resultsMax`. */
  readonly results: number;
  /** Maximum text of one result. */
  readonly characters: number;
  /**
   * Host names that results may come from, subdomains included; empty: any. Like `blockedHosts` a hint that helps
   * engines return usable results: the rules themselves are applied to the results.
   */
  readonly allowedHosts: readonly string[];
  readonly blockedHosts: readonly string[];
  readonly location: SearchLocation;
}

/** A result as the engine returns it, unchecked; '' for what is absent. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly date: string;
  readonly text: string;
}

/** Dependencies and limits of a call of an engine. */
export interface EngineAccess {
  readonly settings: ToolEngine;
  readonly name: string;
  readonly engines: EngineClient;
  readonly signal: CancelSignal;
  /** The most that the search costs. */
  readonly price: PicoUsd;
}

/** A web search engine: one file and one line in `engines.ts`. */
export interface SearchEngine {
  readonly resultsMax: number;
  readonly queryCharactersMax: number;
  /** The engine's charge for results beyond those that its price covers. */
  readonly surcharge?: { readonly resultsCovered: number; readonly perResult: PicoUsd };
  /** @throws ExtensionFault, or the signal's reason */
  search(query: SearchQuery, access: EngineAccess): Promise<readonly FoundPage[]>;
}
