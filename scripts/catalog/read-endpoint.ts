import type { Field } from '../../src/catalog/field.js';
import { DIALECT_IDS, MODALITIES } from '../../src/core/routing/catalog.js';
import { TABLES, type Drawing, type TableModel, type TableName } from '../catalog-tables.js';
import type { EndpointEntry, EndpointFacts, Fact } from './author-file.js';
import { readFact, readTexts } from './read-model-facts.js';
import type { SourceNames } from './source-names.js';
import { readPricing, readTariffs } from './tariffs.js';

/** Facts of an endpoint that endpoints of one provider may share. */
export const ENDPOINT_FACTS = [
  'listed_as',
  'dialect',
  'context_length',
  'max_completion_tokens',
  'priced_by',
  'draws',
  'parameters_of',
  'also_takes',
  'refuses',
  'tariffs',
] as const;

/** The facts in a file that prices an endpoint by itself. */
const LISTING = ['pricing', 'source', 'input_modalities'] as const;

const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

type Members = ReadonlyMap<string, Field>;

const readFigure = (field: Field): number | undefined => field.positiveInteger();

/** @param members of an endpoint, or of shared facts of the endpoints of one provider */
export function readEndpointFacts(members: Members, sources: SourceNames): EndpointFacts {
  const isListed = members.has('pricing');
  const figure = (name: string): Fact<number> | undefined =>
    isListed ? undefined : readFact(members.get(name), sources, readFigure);
  const facts = {
    listedAs: members.get('listed_as')?.text(),
    dialect: members.get('dialect')?.oneOf(DIALECT_IDS),
    contextLength: figure('context_length'),
    maxCompletionTokens: figure('max_completion_tokens'),
    pricedBy: members.get('priced_by')?.oneOf(TABLE_NAMES),
    draws: readDrawing(members.get('draws')),
    parametersOf: members.get('parameters_of')?.slug(),
    alsoTakes: optionalTexts(members.get('also_takes')),
    refuses: optionalTexts(members.get('refuses')),
    tariffs: optionalTariffs(members.get('tariffs'), sources),
  };
  // An absent value must not replace a shared fact.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const optionalTexts = (field: Field | undefined): readonly string[] | undefined => field && readTexts(field);

const optionalTariffs = (field: Field | undefined, sources: SourceNames): EndpointFacts['tariffs'] =>
  field && readTariffs(field, sources);

function readDrawing(field: Field | undefined): Drawing | undefined {
  const members = field?.members(['priced_as', 'drawn_by']);
  const pricedAs = members?.get('priced_as')?.text();
  const drawnBy = members?.get('drawn_by')?.text();
  return pricedAs === undefined || drawnBy === undefined ? undefined : { pricedAs, drawnBy };
}

export function readEndpoint(field: Field, sources: SourceNames): EndpointEntry | undefined {
  const members = field.members(['provider', 'model'], ['variant', ...ENDPOINT_FACTS, ...LISTING]);
  if (!members) return undefined;
  const provider = members.get('provider')?.slug();
  const model = members.get('model')?.text();
  const variant = members.get('variant')?.slug();
  const listing = readListing(field, members, sources);
  const facts = readEndpointFacts(members, sources);
  if (provider === undefined || model === undefined) return undefined;
  return {
    ...facts,
    provider,
    model,
    ...(variant !== undefined && { variant }),
    ...(listing && { listing }),
  };
}

/** All figures of an endpoint that states its own price are of one source. */
function readListing(field: Field, members: Members, sources: SourceNames): EndpointEntry['listing'] {
  const pricing = members.get('pricing');
  if (!pricing) {
    const stray = LISTING.find((name) => members.has(name));
    return stray === undefined ? undefined : field.refuse(`needs pricing: ${stray} is stated with it alone`);
  }
  if (!members.has('context_length') || !members.has('source'))
    return field.refuse('needs context_length and source: no table lists what states its own pricing');
  const source = sources.find(members.get('source'));
  const prices = readPricing(pricing);
  const context = members.get('context_length')?.positiveInteger();
  const output = members.get('max_completion_tokens')?.positiveInteger();
  const input = members.get('input_modalities')?.items().flatMap((item) => item.oneOf(MODALITIES) ?? []);
  if (!source || !prices || context === undefined) return undefined;
  const value: TableModel = {
    context,
    ...(output !== undefined && { output }),
    input: input ?? ['text'],
    ...prices,
  };
  return { value, source };
}
