import { parseUrl } from '../core/parse-url.js';
import { Untranslatable, type FaultKind, type ProviderFault } from '../core/errors.js';
import { isJsonObject, type Json } from '../core/json/json.js';
import { dialectOf, type CatalogProvider, type CredentialSource, type Endpoint } from '../core/routing/catalog.js';
import { systemErrorOf } from '../core/system-error.js';
import {
  failureWords,
  isKeyRefused,
  isModelNotFound,
  isModelUnknown,
  isNoAccess,
  isNothingLeft,
} from './vendor-error-patterns.js';

/** The kinds of causes, by what the operator has to check. */
export const CHECK_PROBLEMS = [
  'address',
  'credential',
  'model name',
  'model access',
  'account',
  'rate limit',
  'request',
  'answer',
  'provider',
] as const;
export type CheckProblem = (typeof CHECK_PROBLEMS)[number];

export interface Verdict {
  readonly problem: CheckProblem;
  /** A sentence for the operator, without its full stop. Never a credential. */
  readonly reason: string;
}

/** The call that was made. */
export interface TriedCall {
  readonly endpoint: Endpoint;
  /** The displayable part of the credential; absent: none was sent. */
  readonly credentialLabel?: string | undefined;
  /** The body that was sent; absent where the call failed before. */
  readonly sentBody?: Json | undefined;
  /** HTTP status of the answer; absent: no answer. */
  readonly status?: number | undefined;
  /** Whether part of the answer could be read. */
  readonly hasBegun?: boolean | undefined;
  /** How long the trial waited for an answer. */
  readonly timeoutMs: number;
}

/** Names a credential for the operator: `the credential sk-...AbCd (variable ACME_API_KEY)`. */
export function nameCredential(source: CredentialSource | undefined, label?: string): string {
  const origin =
    source === undefined || source === 'catalog'
      ? 'in the catalog'
      : 'env' in source
        ? `variable ${source.env}`
        : `file ${source.file}`;
  return `the credential ${label === undefined ? '' : `${label} `}(${origin})`;
}

/** Why the request could not be made, or was not answered. */
export function verdictOf(failure: ProviderFault | Untranslatable, tried: TriedCall): Verdict {
  if (failure instanceof Untranslatable)
    return { problem: 'request', reason: `cannot carry the request: ${failure.message}` };
  return isOfTokens(failure) ? tokenService(failure, tried) : VERDICTS[failure.kind](failure, tried);
}

/** The provider did not answer within the time limit. */
export const tooSlow = ({ timeoutMs }: TriedCall): Verdict => ({
  problem: 'provider',
  reason: `did not answer within ${timeoutMs / 1000} s (\`first\` of FAIRLEAD_TIMEOUTS, or \`timeouts\` of the endpoint)`,
});

type Judge = (fault: ProviderFault, tried: TriedCall) => Verdict;

/** The problem and its description, by the kind of the fault. */
const VERDICTS: Readonly<Record<FaultKind, Judge>> = {
  unreachable: (fault, tried) => address(fault, tried),
  'timed-out': (fault, tried) =>
    tried.status === undefined ? address(fault, tried) : failed('did not answer in time', fault),
  'refused-credential': (fault, tried) => {
    if (isNothingLeft(failureWords(fault))) return account(fault);
    return isNoAccess(failureWords(fault)) ? modelAccess(fault, tried) : credential(fault, tried);
  },
  'payment-required': (fault) => account(fault),
  'not-found': (fault, tried) =>
    isModelNotFound(failureWords(fault), tried.endpoint.upstreamModel)
      ? modelName(fault, tried)
      : wrongPath(fault, tried),
  'rejected-request': (fault, tried) => {
    if (isNothingLeft(failureWords(fault))) return account(fault);
    if (isKeyRefused(failureWords(fault))) return credential(fault, tried);
    return isModelUnknown(failureWords(fault)) ? modelName(fault, tried) : refused(fault, tried);
  },
  'too-large': (fault, tried) => refused(fault, tried),
  'rate-limited': (fault) => (isNothingLeft(failureWords(fault)) ? account(fault) : rateLimited(fault)),
  unavailable: (fault) => failed('is not available', fault),
  overloaded: (fault) => failed('is overloaded', fault),
  'server-error': (fault, tried) => findElsewhere(fault, tried) ?? failed('failed', fault),
  'malformed-reply': (fault, tried) => {
    if (tried.status === undefined) return notHttp(fault, tried);
    // A reply in which a dialect reads nothing seems to end too early as well, though no connection broke.
    const isBroken = fault.detail.isCut === true && (tried.hasBegun === true || fault.cause !== undefined);
    return isBroken ? failed('broke its answer off', fault) : answer(fault, tried);
  },
};

/** Error codes of the system, with their meaning for the address. */
const OF_SYSTEM: readonly (readonly [RegExp, (site: FailureSite) => string])[] = [
  [/^ENOTFOUND$/, ({ host }) => `the host ${host} is not known: no such name`],
  [/^EAI_/, ({ host }) => `the name of the host ${host} could not be looked up: no name server answered`],
  [/^ECONNREFUSED$/, ({ host }) => `no process listens at ${host}`],
  [/^E(?:HOST|NET)UNREACH$/, ({ host }) => `there is no route to ${host}`],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, ({ host }) => `${host} closed the connection before it answered`],
  [/SSL|^EPROTO$/, ({ host }) => `${host} does not speak TLS; is it an http:// address?`],
  [
    /CERT|ISSUER|SIGNATURE|HOSTNAME/,
    ({ host, code }) =>
      `the TLS certificate of ${host} is not accepted (${code}); NODE_EXTRA_CA_CERTS names authorities of your own`,
  ],
];

interface FailureSite {
  readonly host: string;
  readonly code: string;
}

function address(fault: ProviderFault, { endpoint }: TriedCall): Verdict {
  const { baseUrl } = endpoint.provider;
  return {
    problem: 'address',
    reason: `${unreached(fault, systemErrorOf(fault)?.hostname ?? hostOf(baseUrl))} (base_url ${baseUrl})`,
  };
}

function unreached(fault: ProviderFault, host: string): string {
  const code = systemErrorOf(fault)?.code ?? '';
  const [, describe] = OF_SYSTEM.find(([pattern]) => pattern.test(code)) ?? [];
  return describe?.({ host, code }) ?? `${host} cannot be reached: ${wordsOf(fault)}${code && ` (${code})`}`;
}

/** A fault of the service that issues access tokens, and not of the provider. */
const isOfTokens = ({ message, cause }: ProviderFault): boolean =>
  message.startsWith("The credential's token service") || (cause instanceof Error && cause.name === 'ProviderFault');

function tokenService(fault: ProviderFault, tried: TriedCall): Verdict {
  if (fault.kind !== 'unreachable')
    return { problem: 'credential', reason: `${nameOf(tried)} gets no token: ${wordsOf(fault)}` };
  const { hostname, address } = systemErrorOf(fault) ?? {};
  return {
    problem: 'address',
    reason: `of the token service that the credential names, ${unreached(fault, hostname ?? address ?? 'its host')}`,
  };
}

/** The host of a base URL; the whole text where a part of it comes from the credential, so that it is no valid URL. */
const hostOf = (baseUrl: string): string => parseUrl(baseUrl)?.host ?? baseUrl;

/** Nothing readable came before the end of the head. */
function notHttp(fault: ProviderFault, { endpoint: { provider } }: TriedCall): Verdict {
  const { baseUrl } = provider;
  return {
    problem: 'address',
    reason: `${hostOf(baseUrl)} answers, but not in HTTP${orHttps(baseUrl)} (base_url ${baseUrl}): ${wordsOf(fault)}`,
  };
}

const orHttps = (baseUrl: string): string => (baseUrl.startsWith('http:') ? '; is it an https:// address?' : '');

/** `the credential sk-...AbCd (variable ACME_API_KEY)`, or that there is none. */
function nameOf({ endpoint: { provider }, credentialLabel }: TriedCall): string {
  const { credential: key, credentialSource } = provider;
  return key ? nameCredential(credentialSource, credentialLabel) : 'a call without a credential';
}

function credential(fault: ProviderFault, tried: TriedCall): Verdict {
  const verb = tried.status === undefined ? 'cannot be used' : `is refused (${tried.status})`;
  return { problem: 'credential', reason: `${nameOf(tried)} ${verb}: ${wordsOf(fault)}` };
}

const modelAccess = (fault: ProviderFault, tried: TriedCall): Verdict => ({
  problem: 'model access',
  reason: `${nameOf(tried)} is known, but may not use ${JSON.stringify(tried.endpoint.upstreamModel)}; enable the model for its account: ${wordsOf(fault)}`,
});

const account = (fault: ProviderFault): Verdict => ({
  problem: 'account',
  reason: `address and credential work, but the account has nothing left to spend there: ${wordsOf(fault)}`,
});

function rateLimited(fault: ProviderFault): Verdict {
  const { retryAfterMs } = fault.detail;
  const wait = retryAfterMs === undefined ? '' : `; again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return {
    problem: 'rate limit',
    reason: `address and credential work, but too many calls were made, or a quota is used up: ${wordsOf(fault)}${wait}`,
  };
}

const modelName = (fault: ProviderFault, { endpoint }: TriedCall): Verdict => ({
  problem: 'model name',
  reason: `the provider does not know ${JSON.stringify(endpoint.upstreamModel)} (\`model\` of the endpoint): ${wordsOf(fault)}`,
});

const wrongPath = (fault: ProviderFault, { endpoint: { provider } }: TriedCall): Verdict => ({
  problem: 'address',
  reason: `${hostOf(provider.baseUrl)} has nothing at this path (base_url ${provider.baseUrl}): ${wordsOf(fault)}`,
});

/** The address answers, but does not take the calls: redirects are not followed, and only this method is tried. */
function findElsewhere(fault: ProviderFault, { endpoint: { provider } }: TriedCall): Verdict | undefined {
  const { status } = fault.detail;
  if (status === undefined) return undefined;
  const { baseUrl } = provider;
  const isMoved = status >= 300 && status < 400;
  if (!isMoved && status !== 405) return undefined;
  const what = isMoved
    ? `redirects to another address (${status}), which is not followed`
    : `takes no calls at this path (${status})`;
  return { problem: 'address', reason: `${hostOf(baseUrl)} ${what} (base_url ${baseUrl}): ${wordsOf(fault)}` };
}

function refused(fault: ProviderFault, { sentBody, endpoint: { provider } }: TriedCall): Verdict {
  const field = findNamedField(fault.message, sentBody);
  const named = field === undefined ? '' : `, naming the field ${field}`;
  // If the provider sent no text of its API (a proxy's page, or nothing), the message is a sentence with the status.
  if (fault.message !== statusAlone(fault))
    return { problem: 'request', reason: `the provider refuses the request${named}: ${wordsOf(fault)}` };
  const { baseUrl } = provider;
  return {
    problem: 'request',
    reason: `the provider, or a proxy in front of it, refuses the request without a reason${orHttps(baseUrl)} (base_url ${baseUrl}): ${wordsOf(fault)}`,
  };
}

const statusAlone = ({ detail }: ProviderFault): string => `The provider answered with status ${detail.status}.`;

const answer = (fault: ProviderFault, { endpoint }: TriedCall): Verdict => ({
  problem: 'answer',
  reason: `the answer cannot be read as ${dialectOf(endpoint)} (\`dialect\` of the endpoint or its provider; or base_url ${endpoint.provider.baseUrl} leads to something else): ${wordsOf(fault)}`,
});

const failed = (what: string, fault: ProviderFault): Verdict => ({
  problem: 'provider',
  reason: `the provider ${what}: ${wordsOf(fault)}`,
});

/** The provider's message, cleaned and shortened as in faults. */
const wordsOf = ({ message }: ProviderFault): string => message.replace(/\.$/, '');

/** Field names that are also common words match only in quotes. */
const UNMISTAKABLE = /_|[a-z][A-Z]/;
const FIELDS_DEPTH_MAX = 6;

/** The field of a body that a refusal names, the longest of several. */
export function findNamedField(reason: string, body: Json | undefined): string | undefined {
  let longest: string | undefined;
  for (const name of namesIn(body, FIELDS_DEPTH_MAX)) {
    if ((longest === undefined || name.length > longest.length) && isNamed(name, reason)) longest = name;
  }
  return longest;
}

function isNamed(name: string, reason: string): boolean {
  if (!/^\w+$/.test(name)) return false;
  const pattern = UNMISTAKABLE.test(name) ? `(?<!\\w)${name}(?!\\w)` : `["'\`]${name}["'\`]`;
  return new RegExp(pattern).test(reason);
}

function* namesIn(value: Json | undefined, depth: number): Generator<string> {
  if (depth === 0 || value === undefined) return;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) yield* namesIn(item, depth - 1);
  else if (isJsonObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      yield* namesIn(inner, depth - 1);
    }
  }
}

/** The setting that the operator has to add. */
export function missingCredential({ credentialSource: source }: CatalogProvider): Verdict {
  const reason =
    source === undefined
      ? 'the catalog names no credential for it: give it `credential: { env: … }`; until then only callers with a credential of their own reach it'
      : source === 'catalog'
        ? 'the credential in the catalog is empty'
        : 'env' in source
          ? `the variable ${source.env} is not set`
          : `the file ${source.file} is empty`;
  return { problem: 'credential', reason };
}
