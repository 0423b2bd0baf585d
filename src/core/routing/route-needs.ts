import type { ContentBlock, DocumentSource, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import { requiredFields } from '../conversation/present-fields.js';
import type { Task } from '../conversation/task.js';
import { hasOnlyFunctions } from '../conversation/tools.js';
import type { Opaque } from '../json/json.js';
import { measurePrompt } from '../money/measure-prompt.js';
import { MODALITIES, type CatalogSnapshot, type Modality } from './catalog.js';
import { readModelName } from './model-name.js';
import { preparedModel } from './prepared-model.js';
import { modelId } from './resolve-model.js';
import type { ServiceTier } from './plan.js';
import { pricedOptions, searchFields } from './priced-options.js';
import type { NamedChoice, NamedModel, RouteNeeds, RoutingPolicy } from './route-inputs.js';

/** The part of the catalog that is needed to look up model names. */
type KnownModels = Pick<CatalogSnapshot, 'models'>;

const IMAGES: readonly Modality[] = ['image'];

/**
 * The parts of a request that routing needs. Reads lengths of texts, never the texts.
 * @param choice the models chosen for the name in the request
 * @param shortensTo longest context in tokens that the request is shortened for
 */
export function routeNeeds(
  request: ModelRequest,
  catalog: KnownModels,
  choice?: MadeChoice,
  shortensTo?: number,
): RouteNeeds {
  const { preferences, extras, tools, maxOutputTokens, serviceTier, speed, inferenceGeo, betas, task } = request;
  const size = task ? sizeInputs(request, task) : sizePrompt(request);
  const tokensMin = Math.floor(size.characters / CHARACTERS_PER_TOKEN_MAX);
  const mayHaveOptions =
    (serviceTier ?? speed ?? inferenceGeo) !== undefined || betas.length > 0 || extras !== undefined;
  const options = mayHaveOptions ? pricedOptions(request) : NONE;
  const maySearch = extras !== undefined || (tools.length > 0 && !hasOnlyFunctions(tools));
  const webSearches = maySearch ? countSearches(request) : 0;
  const models = listModels(request, catalog, choice);
  const needed = tokensMin + (maxOutputTokens ?? 0);
  return {
    requested: request.model,
    models,
    choice: choice && { by: choice.by, strategy: choice.strategy, data: choice.data },
    movesOnRefusal: request.fallbackModels?.onRefusal ?? false,
    preferences,
    parameters: requiredFields(request),
    modalities: size.modalities ? inOneOrder(size.modalities) : NONE,
    outputs: request.modalities?.includes('image') ? IMAGES : undefined,
    task: task?.kind,
    promptTokensMin: tokensMin,
    maxOutputTokens,
    fieldNames: request.fieldNames,
    shortensTo: shortensTo === undefined ? undefined : contextsFor(needed, shortensTo, models, catalog),
    images: size.images || undefined,
    webSearches: webSearches || undefined,
    measured: preferences.maxPrice && measurePrompt(request),
    // `speed: fast` means the same as `service_tier: fast`; an explicit tier takes precedence
    // (docs/use/messages.md#speed-and-tier).
    tier: (serviceTier && TIERS.get(serviceTier)) || (speed === 'fast' ? 'fast' : 'standard'),
    pricedOptions: options.length > 0 ? options : undefined,
    undeclared: extras && preferences.requireParameters === true ? requestedFields(extras) : undefined,
  };
}

/**
 * Names of the fields that no face declares; null values are ignored. Names beyond the limit do not change the outcome
 * where all are required.
 */
const requestedFields = ({ value }: Opaque): readonly string[] =>
  Object.keys(value)
    .filter((field) => value[field] !== null)
    .slice(0, UNDECLARED_MAX);

/** Limit of the names that are read. */
const UNDECLARED_MAX = 64;

/**
 * From half of what the request needs, to the largest context there is
 * (docs/use/plugins/context-compression.md). Undefined where one of them can hold all of it: then
 * nothing is lost for the others.
 */
function contextsFor(
  needed: number,
  max: number,
  models: readonly NamedModel[],
  catalog: KnownModels,
): RouteNeeds['shortensTo'] {
  let largest = 0;
  let least = Infinity;
  for (const { id } of models) {
    const model = catalog.models.get(id);
    if (!model) continue;
    const { contextMin, contextMax } = preparedModel(model);
    largest = Math.max(largest, contextMax);
    least = Math.min(least, contextMin);
  }
  if (needed <= largest || least > max) return undefined;
  return [Math.min(Math.ceil(needed / 2), largest), Math.min(max, largest)];
}

const NONE: readonly never[] = [];

/** A policy's sort applies where the request sets no order. */
export function withDefaultSort(needs: RouteNeeds, policies: readonly RoutingPolicy[]): RouteNeeds {
  if (needs.preferences.sort || needs.preferences.order?.length) return needs;
  const sort = policies.find((policy) => policy.sort)?.sort;
  return sort ? { ...needs, preferences: { ...needs.preferences, sort } } : needs;
}

/** The parts of a choice that decide. */
type MadeChoice = Pick<NamedChoice, 'by' | 'strategy' | 'models' | 'data'>;

/** Models by their ids. A name that is unknown or ambiguous is kept as given, and is then missing in the catalog. */
function listModels(
  { model, fallbackModels }: ModelRequest,
  catalog: KnownModels,
  choice: MadeChoice | undefined,
): readonly NamedModel[] {
  // Most requests name one model by its id.
  const plain = fallbackModels || choice ? undefined : catalog.models.get(model);
  if (plain) return preparedModel(plain).named;
  const named = new Map<string, NamedModel>();
  // A sort suffix of a router's name applies to the endpoints of the models it chose.
  const sort = choice && readModelName(model).sort;
  for (const id of choice?.models ?? NONE) named.set(id, { id, ...(sort && { sort }) });
  for (const name of [...(choice ? NONE : [model]), ...(fallbackModels?.models ?? NONE)]) {
    const { id: requestedId, sort } = readModelName(name);
    const id = modelId(catalog, requestedId) ?? requestedId;
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
 * Vocabularies in use average four or five characters per token in prose and fewer elsewhere. One more, since this
 * gives a lower bound of tokens: an endpoint wrongly excluded is worse than one that refuses the prompt itself.
 */
const CHARACTERS_PER_TOKEN_MAX = 6;

function sizePrompt(request: ModelRequest): Found {
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
  return found;
}

/**
 * The longest of the inputs, each of which has a separate context. A ranking reads its query with every document;
 * longer documents than its context are cut into pieces by vendors, so that only the query counts.
 */
function sizeInputs({ messages }: ModelRequest, task: Task): Found {
  const found: Found = { characters: 0, images: 0, modalities: undefined, isModels: false, countsResults: true };
  let longest = 0;
  for (const ids of (task.kind === 'embeddings' && task.tokens) || NONE)
    longest = Math.max(longest, ids.length * CHARACTERS_PER_TOKEN_MAX);
  for (let index = 0; index < messages.length; index++) {
    found.characters = 0;
    addBlocks(messages[index]!.content, found);
    if (task.kind === 'embeddings' || index === 0) longest = Math.max(longest, found.characters);
  }
  found.characters = longest;
  return found;
}

const inOneOrder = (found: ReadonlySet<Modality>): readonly Modality[] =>
  MODALITIES.filter((modality) => found.has(modality));

/** Contents of a prompt that are certain without reading its text. */
interface Found {
  characters: number;
  images: number;
  /** Besides text. */
  modalities: Set<Modality> | undefined;
  /**
   * The block comes from the model itself: for models without image input, an image that a model drew is replaced by
   * text.
   */
  isModels: boolean;
  /** Context management may clear the results of tools before the model receives them. */
  readonly countsResults: boolean;
}

/** Thinking of earlier turns and opaque blocks are not counted: the provider may leave them out. */
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
        // For a model without file input it is replaced by text.
        if (!block.inWords) addDocument(block.source, found);
        break;
      case 'image':
        found.images++;
        if (!found.isModels && !block.isOfFile) (found.modalities ??= new Set()).add('image');
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
 * The number of searches to expect of the vendor: one for each way in which the request lets it search. The allowed
 * maximum is no estimate of it.
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
