import { domainRule, integer, list, text, type TSchema } from './schema.js';

/*
 * Maxima of the contents of inference bodies (docs/use/limits.md#maxima-of-bodies): one per kind of value, so that a
 * field has the maximum of its use. At least as much as the vendors are known to accept; otherwise chosen.
 */

/** Text for the model, and text that vendors encrypt for it: only `FAIRLEAD_BODY_MAX` limits it. */
export const modelText = () => text();

/** Characters of names of models, presets, users in a conversation, towns. */
const NAME_MAX = 256;
export const name = (limits: { min?: number } = {}) => text({ ...limits, max: NAME_MAX });

/** Characters of a value from a vendor's list that is not modelled here: a tier, a region, a type, a format. */
const WORD_MAX = 128;
export const word = () => text({ max: WORD_MAX });

/** Characters of ids and keys made by others: some vendors put signatures into those of tool calls. */
const ID_MAX = 16_384;
export const id = () => text({ max: ID_MAX });

/** Characters of an address, signed ones included. */
const ADDRESS_MAX = 16_384;
export const address = () => text({ max: ADDRESS_MAX });

/** Characters of a domain, with wildcards and a path. */
const DOMAIN_MAX = 2_048;
const DOMAINS_MAX = 1_000;
export const domainList = (limits: { min?: number } = {}) =>
  list(text({ max: DOMAIN_MAX }), { ...limits, max: DOMAINS_MAX });

/**
 * A list of domain rules that the gateway itself applies, whichever engine searches. Each rule is judged before
 * anything else is done.
 */
export const domainRules = () => list(domainRule({ max: DOMAIN_MAX }), { max: DOMAINS_MAX });

/** Models that a request or a plugin names besides its own: eight times those of a plan. */
const MODELS_MAX = 64;
export const modelNames = () => list(name(), { max: MODELS_MAX });

/** Entries of `only`, `order` and `ignore`: twice the number of providers. */
const PROVIDERS_MAX = 256;
export const providerNames = () => list(name(), { max: PROVIDERS_MAX });

/** Number of stop sequences, and characters of one. Chosen. */
const STOPS_MAX = 8_191;
const STOP_MAX = 4_096;
export const stopText = () => text({ max: STOP_MAX });
export const stopTexts = (most = STOPS_MAX) => list(stopText(), { max: most });

/** Messages of a conversation, as at Anthropic. */
const MESSAGES_MAX = 100_000;
export const messageList = <Item extends TSchema>(item: Item) => list(item, { min: 1, max: MESSAGES_MAX });

/** Messages of a chat. Also the parts of one message: blocks, details, citations. Chosen. */
const PARTS_MAX = 20_000;
export const contentList = <Item extends TSchema>(item: Item, limits: { min?: number } = {}) =>
  list(item, { ...limits, max: PARTS_MAX });

/** Tools of a request, names of tools, and calls of one message. Chosen. */
export const TOOLS_MAX = 10_000;
export const toolList = <Item extends TSchema>(item: Item) => list(item, { max: TOOLS_MAX });

/** Entries of lists of options: several times the number of options. */
const OPTIONS_MAX = 64;
export const optionList = <Item extends TSchema>(item: Item, limits: { min?: number } = {}) =>
  list(item, { ...limits, max: OPTIONS_MAX });

/** A non-negative integer that a JavaScript number holds exactly: of tokens, uses, results, positions in a text. */
export const wholeNumber = (limits: { min?: number; max?: number } = {}) =>
  integer({ min: 0, max: Number.MAX_SAFE_INTEGER, ...limits });
