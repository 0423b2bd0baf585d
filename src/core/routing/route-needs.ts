import type { ContentBlock, DocumentSource, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest, Sampling } from '../conversation/request.js';
import { MODALITIES, type Modality } from './catalog.js';
import { readModelName } from './model-name.js';
import type { ServiceTier } from './plan.js';
import type { NamedModel, RouteNeeds, RoutingPolicy } from './route-inputs.js';

/** What routing looks at in a request. Reads lengths of texts, never the texts. */
export function routeNeeds(request: ModelRequest): RouteNeeds {
  const { tokensMin, modalities } = sizePrompt(request);
  return {
    requested: request.model,
    models: listModels(request),
    movesOnRefusal: request.fallbackModels?.onRefusal ?? false,
    preferences: request.preferences,
    parameters: listParameters(request),
    modalities,
    promptTokensMin: tokensMin,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    // `speed: fast` means what `service_tier: fast` means; a tier that is named is the more exact word
    // (docs/wire/messages.md#speed-and-tier).
    tier: TIERS.get(request.serviceTier ?? '') ?? (request.speed === 'fast' ? 'fast' : 'standard'),
  };
}

/** A policy's order stands in where the request asks for none of its own. */
export function withDefaultSort(needs: RouteNeeds, policies: readonly RoutingPolicy[]): RouteNeeds {
  if (needs.preferences.sort || needs.preferences.order?.length) return needs;
  const sort = policies.find((policy) => policy.sort)?.sort;
  return sort ? { ...needs, preferences: { ...needs.preferences, sort } } : needs;
}

function listModels({ model, fallbackModels }: ModelRequest): readonly NamedModel[] {
  // One that is named plainly, as most are.
  if (!fallbackModels && !model.includes(':')) return [{ id: model }];
  const named = new Map<string, NamedModel>();
  for (const name of fallbackModels ? [model, ...fallbackModels.models] : [model]) {
    const { id, sort } = readModelName(name);
    if (!named.has(id)) named.set(id, { id, ...(sort && { sort }) });
  }
  return [...named.values()];
}

/** Names as endpoints list them (docs/catalog.md#endpoints, `supported_parameters`). */
const SAMPLING_PARAMETERS: Readonly<Record<keyof Sampling, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  topA: 'top_a',
  minP: 'min_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  repetitionPenalty: 'repetition_penalty',
  seed: 'seed',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
};
const SAMPLING_FIELDS = Object.keys(SAMPLING_PARAMETERS) as readonly (keyof Sampling)[];

/** `false` asks for what every endpoint does anyway, as do thinking that is disabled and effort `none`. */
function listParameters(request: ModelRequest): readonly string[] {
  const names: string[] = [];
  if (request.maxOutputTokens !== undefined) names.push('max_tokens');
  for (const field of SAMPLING_FIELDS) {
    const value = request.sampling[field];
    if (value !== undefined && value !== false) names.push(SAMPLING_PARAMETERS[field]);
  }
  if (request.stopSequences?.length) names.push('stop');
  if (request.tools.length > 0) names.push('tools');
  if (request.toolChoice) names.push('tool_choice');
  const isThinking = request.thinking !== undefined && request.thinking.type !== 'disabled';
  if (isThinking || (request.effort !== undefined && request.effort !== 'none')) names.push('reasoning');
  if (request.verbosity !== undefined) names.push('verbosity');
  if (request.outputFormat) names.push(FORMAT_PARAMETERS[request.outputFormat.type]);
  return names;
}

const FORMAT_PARAMETERS = { 'json-schema': 'structured_outputs', 'json-object': 'response_format' } as const;

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
}

function sizePrompt(request: ModelRequest): PromptSize {
  const found: Found = { characters: 0, modalities: undefined, countsResults: request.contextManagement === undefined };
  for (const block of request.system) found.characters += block.text.length;
  for (const message of request.messages) addBlocks(message.content, found);
  const { characters, modalities } = found;
  return {
    tokensMin: Math.floor(characters / CHARACTERS_PER_TOKEN_MAX),
    modalities: modalities ? MODALITIES.filter((modality) => modalities.has(modality)) : [],
  };
}

interface Found {
  characters: number;
  modalities: Set<Modality> | undefined;
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
