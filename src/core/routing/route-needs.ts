import type { ContentBlock, DocumentSource, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import { requiredFields } from '../conversation/said-fields.js';
import type { Opaque } from '../json/json.js';
import { measurePrompt } from '../money/measure-prompt.js';
import { MODALITIES, type CatalogSnapshot, type Modality } from './catalog.js';
import { readModelName } from './model-name.js';
import { modelId } from './resolve-model.js';
import type { ServiceTier } from './plan.js';
import { pricedWords, searchFields } from './priced-words.js';
import type { NamedChoice, NamedModel, RouteNeeds, RoutingPolicy } from './route-inputs.js';

/** The part of the catalog that names of models are looked up in. */
type KnownModels = Pick<CatalogSnapshot, 'models'>;

const IMAGES: readonly Modality[] = ['image'];

/**
 * What routing looks at in a request. Reads lengths of texts, never the texts.
 * @param choice of models in the place of the one that it names
 * @param shortensTo most tokens of the contexts that it is shortened for
 */
export function routeNeeds(
  request: ModelRequest,
  catalog: KnownModels,
  choice?: NamedChoice,
  shortensTo?: number,
): RouteNeeds {
  const { tokensMin, modalities, images } = sizePrompt(request);
  const words = pricedWords(request);
  const webSearches = countSearches(request);
  const models = listModels(request, catalog, choice);
  const needed = tokensMin + (request.maxOutputTokens ?? 0);
  const shortened = shortensTo === undefined ? undefined : contextsFor(needed, shortensTo, models, catalog);
  return {
    requested: request.model,
    models,
    ...(choice && { choice: { by: choice.by, strategy: choice.strategy, data: choice.data } }),
    movesOnRefusal: request.fallbackModels?.onRefusal ?? false,
    preferences: request.preferences,
    parameters: requiredFields(request),
    modalities,
    ...(request.modalities?.includes('image') && { outputs: IMAGES }),
    promptTokensMin: tokensMin,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(shortened && { shortensTo: shortened }),
    ...(images > 0 && { images }),
    ...(webSearches > 0 && { webSearches }),
    ...(request.preferences.maxPrice && { measured: measurePrompt(request) }),
    // `speed: fast` means what `service_tier: fast` means; a tier that is named is the more exact word
    // (docs/wire/messages.md#speed-and-tier).
    tier: TIERS.get(request.serviceTier ?? '') ?? (request.speed === 'fast' ? 'fast' : 'standard'),
    ...(words.length > 0 && { words }),
    ...(request.extras &&
      request.preferences.requireParameters === true && { undeclared: askedFields(request.extras) }),
  };
}

/**
 * Fields that no face declares, by name: what is null asks for nothing. More are as good as these where all are
 * required.
 */
const askedFields = ({ value }: Opaque): readonly string[] =>
  Object.keys(value)
    .filter((field) => value[field] !== null)
    .slice(0, UNDECLARED_MAX);

/** Most of them that are looked at. */
const UNDECLARED_MAX = 64;

/**
 * At least half of what it needs, or the largest there is (docs/wire/tools-and-plugins.md#context-compression). Where
 * one of them has room for all of it nothing is lost for another.
 */
function contextsFor(
  needed: number,
  max: number,
  models: readonly NamedModel[],
  catalog: KnownModels,
): RouteNeeds['shortensTo'] {
  const contexts = models.flatMap(({ id }) => catalog.models.get(id)?.endpoints ?? NO_ENDPOINTS);
  let largest = 0;
  let least = Infinity;
  for (const { contextLength } of contexts) {
    largest = Math.max(largest, contextLength);
    least = Math.min(least, contextLength);
  }
  if (needed <= largest || least > max) return undefined;
  return [Math.min(Math.ceil(needed / 2), largest), Math.min(max, largest)];
}
const NO_ENDPOINTS: readonly never[] = [];

/** A policy's order stands in where the request asks for none of its own. */
export function withDefaultSort(needs: RouteNeeds, policies: readonly RoutingPolicy[]): RouteNeeds {
  if (needs.preferences.sort || needs.preferences.order?.length) return needs;
  const sort = policies.find((policy) => policy.sort)?.sort;
  return sort ? { ...needs, preferences: { ...needs.preferences, sort } } : needs;
}

/** Under their ids; one that nothing or too much is called so stands as it was named, and is not in the catalog. */
function listModels(
  { model, fallbackModels }: ModelRequest,
  catalog: KnownModels,
  choice: NamedChoice | undefined,
): readonly NamedModel[] {
  // One that is named plainly, as most are.
  if (!fallbackModels && !choice && catalog.models.has(model)) return [{ id: model }];
  const named = new Map<string, NamedModel>();
  for (const name of [...(choice?.models ?? [model]), ...(fallbackModels?.models ?? [])]) {
    const { id: asked, sort } = readModelName(name);
    const id = modelId(catalog, asked) ?? asked;
    if (!named.has(id)) named.set(id, { id, ...(sort && { sort }) });
  }
  return [...named.values()];
}

const TIERS: ReadonlyMap<string, ServiceTier> = new Map([
  ['fast', 'fast'],
  ['priority', 'priority'],
  ['flex', 'flex'],
]);

/**
 * Vocabularies in use come to four or five characters a token in prose and fewer elsewhere. One more, since this is a
 * bound from below: an endpoint wrongly left out is worse than one that refuses the prompt itself.
 */
const CHARACTERS_PER_TOKEN_MAX = 6;

/** What a prompt certainly holds, without reading any of it. */
interface PromptSize {
  /** At least so many, by the lengths of its texts. */
  readonly tokensMin: number;
  /** Besides text, in the order of `MODALITIES`. */
  readonly modalities: readonly Modality[];
  readonly images: number;
}

function sizePrompt(request: ModelRequest): PromptSize {
  const found: Found = {
    characters: 0,
    images: 0,
    modalities: undefined,
    isModels: false,
    countsResults: request.contextManagement === undefined,
  };
  for (const block of request.system) found.characters += block.text.length;
  for (const message of request.messages) {
    found.isModels = message.role === 'assistant';
    addBlocks(message.content, found);
  }
  const { characters, modalities, images } = found;
  return {
    images,
    tokensMin: Math.floor(characters / CHARACTERS_PER_TOKEN_MAX),
    modalities: modalities ? MODALITIES.filter((modality) => modalities.has(modality)) : [],
  };
}

interface Found {
  characters: number;
  images: number;
  modalities: Set<Modality> | undefined;
  /** The model itself said it: a picture that it drew is told in a word to who reads none. */
  isModels: boolean;
  /** Context management may clear the results of tools before the model sees them. */
  readonly countsResults: boolean;
}

/** Thinking of earlier turns and opaque blocks count nothing: the provider may leave them out. */
function addBlocks(blocks: readonly (ContentBlock | ToolReferenceBlock)[], found: Found): void {
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    switch (block.type) {
      case 'text':
        found.characters += block.text.length;
        break;
      case 'tool-use':
        if (typeof block.input === 'string') found.characters += block.input.length;
        break;
      case 'tool-result':
        addResult(block.content, found);
        break;
      case 'search-result':
        addBlocks(block.content, found);
        break;
      case 'document':
        addDocument(block.source, found);
        break;
      case 'image':
        found.images++;
        if (!found.isModels) (found.modalities ??= new Set()).add('image');
        break;
      case 'audio':
      case 'video':
        (found.modalities ??= new Set()).add(block.type);
        break;
      case 'thinking':
      case 'redacted-thinking':
      case 'tool-reference':
      case 'opaque':
        break;
    }
  }
}

function addResult(content: readonly (ContentBlock | ToolReferenceBlock)[], found: Found): void {
  const before = found.characters;
  addBlocks(content, found);
  if (!found.countsResults) found.characters = before;
}

function addDocument(source: DocumentSource, found: Found): void {
  switch (source.type) {
    case 'text':
      found.characters += source.text.length;
      return;
    case 'blocks':
      addBlocks(source.blocks, found);
      return;
    case 'base64':
    case 'url':
    case 'file':
      (found.modalities ??= new Set()).add('file');
  }
}

const WEB_SEARCH = /^web_search/;

/**
 * How many searches are expected of the vendor: one for each way in which the request lets it search. How many it may
 * make at most says nothing of that.
 */
function countSearches({ tools, extras }: ModelRequest): number {
  let searches = 0;
  for (const tool of tools) {
    if (tool.type !== 'vendor') continue;
    const { type, max_uses: usesMax } = tool.opaque.value;
    if (typeof type === 'string' && WEB_SEARCH.test(type) && usesMax !== 0) searches++;
  }
  return extras ? searches + searchFields(extras).length : searches;
}
