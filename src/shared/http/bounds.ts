import { domainRule, integer, list, text, type TSchema } from './schema.js';

/*
 * Maxima of what bodies of inference hold (docs/wire/limits.md#maxima-of-bodies): of each kind of value one, so that a
 * field has the maximum of its use. At least as much as the vendors are known to take; otherwise chosen.
 */

/** Whatever the model reads, and what vendors seal for it: `FAIRLEAD_BODY_MAX` alone bounds it. */
export const modelText = () => text();

/** Characters of names of models, presets, users in a conversation, places. */
const NAME_MAX = 256;
export const name = (limits: { min?: number } = {}) => text({ ...limits, max: NAME_MAX });

/** Characters of a word out of a vendor's list that is not known here: a tier, a region, a type, a format. */
const WORD_MAX = 128;
export const word = () => text({ max: WORD_MAX });

/** Characters of ids and keys that somebody else has made: some vendors put signatures into those of tool calls. */
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

/** The same where the gateway itself holds to them, whoever searches: each is judged before anything else is done. */
export const domainRules = () => list(domainRule({ max: DOMAIN_MAX }), { max: DOMAINS_MAX });

/** Models that a request or a plugin names beside its own: eight times those of a plan. */
const MODELS_MAX = 64;
export const modelNames = () => list(name(), { max: MODELS_MAX });

/** Entries of `only`, `order` and `ignore`: twice as many as there are providers. */
const PROVIDERS_MAX = 256;
export const providerNames = () => list(name(), { max: PROVIDERS_MAX });

/** Sequences that end an answer, and characters of one. Chosen. */
const STOPS_MAX = 8_191;
const STOP_MAX = 4_096;
export const stopText = () => text({ max: STOP_MAX });
export const stopTexts = (most = STOPS_MAX) => list(stopText(), { max: most });

/** Messages of a conversation, as Anthropic has it. */
const MESSAGES_MAX = 100_000;
export const messageList = <Item extends TSchema>(item: Item) => list(item, { min: 1, max: MESSAGES_MAX });

/** Messages of a chat. Also what one message holds: blocks, details, citations. Chosen. */
const PARTS_MAX = 20_000;
export const contentList = <Item extends TSchema>(item: Item, limits: { min?: number } = {}) =>
  list(item, { ...limits, max: PARTS_MAX });

/** Tools of a request, and names of tools, and calls of one message. Chosen. */
const TOOLS_MAX = 10_000;
export const toolList = <Item extends TSchema>(item: Item) => list(item, { max: TOOLS_MAX });

/** Entries of lists of options: several times as many as there are kinds of them. */
const OPTIONS_MAX = 64;
export const optionList = <Item extends TSchema>(item: Item, limits: { min?: number } = {}) =>
  list(item, { ...limits, max: OPTIONS_MAX });

/** A whole number that is not negative and that a double holds exactly: of tokens, uses, results, places in a text. */
export const wholeNumber = (limits: { min?: number; max?: number } = {}) =>
  integer({ min: 0, max: Number.MAX_SAFE_INTEGER, ...limits });
