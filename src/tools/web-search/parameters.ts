import { SEARCH_ENGINES } from '../../core/routing/catalog.js';
import { domainList } from '../../shared/http/maxima.js';
import { integer, object, oneOf, optional, refused, when, type TProperties } from '../../shared/http/schema.js';
import { count, domains } from '../parameter-fields.js';
import { userLocation } from './user-location.js';

export const searchFields = {
  engine: optional(oneOf(['auto', 'native', ...SEARCH_ENGINES])),
  max_results: optional(integer({ min: 1, max: 25 })),
  max_total_results: count,
  max_uses: count,
  max_characters: optional(integer({ min: 1, max: 100_000 })),
  search_context_size: optional(oneOf(['low', 'medium', 'high'])),
  allowed_domains: domains,
  excluded_domains: domains,
  user_location: optional(userLocation),
};

// Only Exa takes both lists; without a named engine, Exa is chosen.
const bothDomainLists = object({
  engine: oneOf(['native', ...SEARCH_ENGINES.filter((engine) => engine !== 'exa')]),
  allowed_domains: domainList(),
});

/** An object with the options of a web search, and others besides them. */
export function webSearchFields<Fields extends TProperties>(others: Fields) {
  const anyEngine = object({ ...searchFields, ...others });
  const searched = when(
    object({ engine: oneOf(['perplexity']) }),
    object({ ...searchFields, ...others, max_results: optional(integer({ min: 1, max: 20 })) }),
    anyEngine,
  );
  return when(
    bothDomainLists,
    when(
      object({ excluded_domains: domainList() }),
      object({ ...others, excluded_domains: refused('cannot be combined with allowed_domains at this engine') }),
      searched,
    ),
    searched,
  );
}

export const webSearchParameters = webSearchFields({});
