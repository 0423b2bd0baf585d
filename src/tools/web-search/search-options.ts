import { isJsonObject, type Json } from '../../core/json/json.js';
import type { AskedTool } from '../../core/tool.js';
import { readDomains } from '../domain-list.js';
import type { SearchPlace } from './search-engine.js';

/** Of one search, and of all searches of a generation together, where the caller says nothing. */
const RESULTS = 5;
const RESULTS_TOTAL = 50;
/** Searches of a generation where the caller says nothing: as many as results. */
const USES = 50;
/** Of one result, where the caller says nothing. Chosen: about what engines give by themselves. */
const CHARACTERS = 4_000;
/** Most of each, whoever has judged the request (docs/wire/tools-and-plugins.md#service-tools). */
const RESULTS_MAX = 25;
const CHARACTERS_MAX = 100_000;
/** Of one result by `search_context_size`, as OpenRouter publishes it for Exa. */
const CHARACTERS_OF: ReadonlyMap<Json | undefined, number> = new Map([
  ['low', 5_000],
  ['medium', 15_000],
  ['high', 30_000],
]);

/** What a caller says of the tool, whichever of its types he uses. */
export interface SearchOptions {
  /** A name of an engine, `auto` or `native`. */
  readonly engine: string;
  /** Where that stands, for errors. */
  readonly enginePath: string;
  readonly results: number;
  readonly resultsTotal: number;
  readonly uses: number;
  /** Of one result. */
  readonly characters: number;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  readonly place: SearchPlace;
}

const OWN_TYPE = 'openrouter:web_search';

/** @throws GatewayError `invalid-request` for a domain that cannot be held to */
export function readOptions({ type, parameters, path, bound }: AskedTool): SearchOptions {
  const at = type === OWN_TYPE ? `${path}.parameters` : path;
  const engine = parameters['engine'];
  const number = (name: string, otherwise: number): number => {
    const value = parameters[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const domains = (name: string): readonly string[] => readDomains(parameters[name], `${at}.${name}`);
  const allowedDomains = domains('allowed_domains');
  // The gateway's own word, and the vendor's.
  const blockedDomains = [...domains('excluded_domains'), ...domains('blocked_domains')];
  const usual = CHARACTERS_OF.get(parameters['search_context_size']) ?? CHARACTERS;
  return {
    engine: typeof engine === 'string' ? engine : 'auto',
    enginePath: typeof engine === 'string' ? `${at}.engine` : path,
    results: Math.min(number('max_results', RESULTS), RESULTS_MAX),
    resultsTotal: number('max_total_results', RESULTS_TOTAL),
    uses: number('max_uses', USES),
    characters: Math.min(number('max_characters', usual), CHARACTERS_MAX),
    allowedDomains: bound?.allowedDomains ?? allowedDomains,
    blockedDomains: bound?.blockedDomains ?? blockedDomains,
    place: readPlace(parameters['user_location']),
  };
}

const COUNTRY = /^[a-z]{2}$/i;

function readPlace(value: Json | undefined): SearchPlace {
  if (!isJsonObject(value)) return {};
  const { city, region, country } = value;
  return {
    ...(isSaid(city) && { city }),
    ...(isSaid(region) && { region }),
    // Engines take its code alone.
    ...(isSaid(country) && COUNTRY.test(country) && { country: country.toUpperCase() }),
  };
}

const isSaid = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== '';
