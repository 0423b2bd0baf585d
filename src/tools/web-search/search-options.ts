import { isJsonObject, type Json } from '../../core/json/json.js';
import { parameterPath, type RequestedTool } from '../../core/tool.js';
import { readDomains } from '../domain-list.js';
import type { SearchLocation } from './search-engine.js';

/** Default results of one search, and of all searches of a generation together. */
const RESULTS = 5;
const RESULTS_TOTAL = 50;
/** Default searches of a generation: as many as results. */
const USES = 50;
/** Default characters of one result. Chosen: about what engines return by default. */
const CHARACTERS = 4_000;
/** Upper limits, also where the schema of the request sets none (docs/use/tools-and-plugins.md#service-tools). */
const RESULTS_MAX = 25;
const CHARACTERS_MAX = 100_000;
/** Characters of one result by `search_context_size`, as OpenRouter publishes it for Exa. */
const CHARACTERS_OF: ReadonlyMap<Json | undefined, number> = new Map([
  ['low', 5_000],
  ['medium', 15_000],
  ['high', 30_000],
]);

/** The settings of the tool, for each of its types. */
export interface SearchOptions {
  /** A name of an engine, `auto` or `native`. */
  readonly engine: string;
  /** Path of the field, for errors. */
  readonly enginePath: string;
  readonly results: number;
  readonly resultsTotal: number;
  readonly uses: number;
  /** Characters of one result. */
  readonly characters: number;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  readonly location: SearchLocation;
}

/** @throws GatewayError `invalid-request` for a domain that cannot be enforced */
export function readOptions(requested: RequestedTool): SearchOptions {
  const { parameters, path, bound } = requested;
  const engine = parameters['engine'];
  const number = (name: string, otherwise: number): number => {
    const value = parameters[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const domains = (name: string): readonly string[] => readDomains(parameters[name], parameterPath(requested, name));
  const allowedDomains = domains('allowed_domains');
  // The gateway's own name, and the vendor's.
  const blockedDomains = [...domains('excluded_domains'), ...domains('blocked_domains')];
  const usual = CHARACTERS_OF.get(parameters['search_context_size']) ?? CHARACTERS;
  return {
    engine: typeof engine === 'string' ? engine : 'auto',
    enginePath: typeof engine === 'string' ? parameterPath(requested, 'engine') : path,
    results: Math.min(number('max_results', RESULTS), RESULTS_MAX),
    resultsTotal: number('max_total_results', RESULTS_TOTAL),
    uses: number('max_uses', USES),
    characters: Math.min(number('max_characters', usual), CHARACTERS_MAX),
    allowedDomains: bound?.allowedDomains ?? allowedDomains,
    blockedDomains: bound?.blockedDomains ?? blockedDomains,
    location: readLocation(parameters['user_location']),
  };
}

const COUNTRY = /^[a-z]{2}$/i;

function readLocation(value: Json | undefined): SearchLocation {
  if (!isJsonObject(value)) return {};
  const { city, region, country } = value;
  return {
    ...(isText(city) && { city }),
    ...(isText(region) && { region }),
    // Engines take only the country code.
    ...(isText(country) && COUNTRY.test(country) && { country: country.toUpperCase() }),
  };
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== '';
