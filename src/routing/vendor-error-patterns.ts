import type { ProviderFault } from '../core/errors.js';

// Patterns for vendors' messages where their status is ambiguous. Sources: recorded replies of the vendors, and the
// threads named here (read 2026-11-24).

/**
 * xAI refuses a key with 400 in the responses format ("Incorrect API key provided"; recorded). AWS does with 403, which
 * at other vendors is as often about the request: "The security token included in the request is invalid"
 * (github.com/iann0036/iamlive/issues/58), and its words for a signature that does not match, as the author knows them.
 */
const KEY_REFUSED = new RegExp(
  [
    /\b(?:incorrect|invalid) (?:x-)?api[ -]?key\b/,
    /\bapi key not valid\b/,
    /\bsecurity token included in the request\b/,
    /\brequest signature we calculated\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/**
 * A 403 about the credential and not about the request: Anthropic's "Your API key does not have permission to use the
 * specified resource" (docs.claude.com/en/api/errors) and "This organization has been disabled"
 * (github.com/anthropics/claude-code/issues/5088), and other vendors' words for an invalid key, token or account.
 */
const OF_CREDENTIAL = new RegExp(
  [
    /\b(?:your|this|the|provided|supplied) (?:x-)?api[ -]?key\b/,
    /\b(?:incorrect|invalid|expired|revoked|missing|unknown|wrong) (?:api |access |auth(?:entication|orization)? |bearer )?(?:key|token|credentials?)(?=\s*(?:$|[.,;:!)]|(?:provided|given|supplied|or)\b))/,
    /\b(?:key|token|credentials?) (?:(?:is|was|are|has|have) )?(?:been )?(?:not valid|not authorized|unauthorized|invalid|incorrect|expired|revoked|disabled|missing)\b/,
    /\bauthentication (?:failed|error|required)\b/,
    /\b(?:organi[sz]ation|account|project|workspace|subscription)(?:\s+["'`]?[\w-]+["'`]?)?\s+(?:has been|is|was) (?:not active|inactive|disabled|suspended|deactivated|blocked|closed)\b/,
  ]
    .map(({ source }) => source.replaceAll(' ', '\\s+'))
    .join('|'),
  'i',
);

/**
 * Words of refusals because an account has nothing left to spend, with any status:
 * - OpenAI: `insufficient_quota` with 429, and with 400 in the responses format (recorded)
 * - Anthropic: "credit balance is too low" with 400 (github.com/anthropics/claude-code/issues/4684)
 * - xAI: "used all available credits or reached its monthly spending limit" with 403 and 429
 *   (github.com/Anantys-oss/koan/issues/2412, github.com/continuedev/continue/issues/10373)
 *
 * Google's "check your plan and billing details" is not among them: it also appears for calls per minute.
 */
const NOTHING_LEFT =
  /\b(?:insufficient|not enough) (?:account )?(?:quota|balance|credits?|funds)\b|\bcredit balance\b|\b(?:used all available|out of) credits\b|\bspending limit\b/i;

/**
 * The credential is valid, but not for this model: Bedrock's "You don't have access to the model with the specified
 * model ID" (github.com/anthropics/claude-code/issues/536) and "Model access is denied due to …"
 * (github.com/ministryofjustice/modernisation-platform-environments/pull/18323), OpenAI's "Project … does not have
 * access to model …" (github.com/Aider-AI/aider/issues/604).
 */
const NO_ACCESS = /\baccess to (?:the |this )?model\b|\bmodel access\b/i;

/**
 * Vendors' words for an unknown model with a status other than 404: AWS ("The provided model identifier is invalid"),
 * OpenAI's `model_not_found` and those of vendors with its formats ("Model Not Exist", "Invalid model: x").
 */
const MODEL_UNKNOWN =
  /\b(?:invalid|unknown|no such|not a valid) model\b|\bmodel\b.{0,80}?\b(?:not exist|not found|not available|is invalid)\b/i;

/**
 * Bedrock serves some models only through inference profiles: "Invocation of model ID … with on-demand throughput isn’t
 * supported" (github.com/terricain/aioboto3/issues/352).
 */
const BY_PROFILE = /\bon-demand throughput\b/i;

/**
 * Vendors' words for a prompt that is too long: OpenAI's code, and the words of Anthropic, of OpenAI and vendors with
 * its format, of Google and of Bedrock (recorded replies of the first four).
 */
const TOO_LONG = new RegExp(
  [
    /\bcontext length exceeded\b/,
    /\bprompt is too long\b/,
    /\bmaximum context length\b/,
    /\bexceed context limit\b/,
    /\bexceeds the maximum number of tokens\b/,
    /\binput is too long for requested model\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** About an address, whose path may contain the name of a model: OpenAI's "Invalid URL (POST /v1/v1/…)". */
const OF_PATH = /\b(?:url|route)\b|\bPOST\b/i;
const OF_MODEL = /\b(?:model|deployment)/i;

/** A failure's code and message as input of the patterns here: underscores of the code become blanks. */
export const failureWords = ({ message, detail }: ProviderFault): string =>
  `${(detail.providerCode ?? '').replaceAll('_', ' ')} ${message}`;

/** @param words as returned by `failureWords` */
export const isKeyRefused = (words: string): boolean => KEY_REFUSED.test(words);
/** Only for a 403: with other statuses such texts may be about the request. */
export const concernsCredential = (words: string): boolean =>
  KEY_REFUSED.test(words) || OF_CREDENTIAL.test(words) || NO_ACCESS.test(words) || NOTHING_LEFT.test(words);
export const isNothingLeft = (words: string): boolean => NOTHING_LEFT.test(words);
export const isTooLong = (words: string): boolean => TOO_LONG.test(words);
export const isNoAccess = (words: string): boolean => NO_ACCESS.test(words);
export const isModelUnknown = (words: string): boolean => MODEL_UNKNOWN.test(words) || BY_PROFILE.test(words);

/**
 * Whether the 404 is about the model. A server without models answers 404 if the address lacks a part; vendors do so,
 * with other codes, if it has a part too many.
 */
export const isModelNotFound = (words: string, upstreamModel: string): boolean =>
  !OF_PATH.test(words) && (OF_MODEL.test(words) || words.includes(upstreamModel));
