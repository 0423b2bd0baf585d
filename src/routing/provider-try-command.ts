import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { labelOf } from '../byok/credential-shape.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { CatalogRefused } from '../catalog/fault.js';
import { GatewayError } from '../core/errors.js';
import { nearestNames } from '../core/nearest-names.js';
import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import { SystemClock } from '../core/time.js';
import { ProviderClient } from '../providers/provider-client.js';
import { ProviderRegistry } from '../providers/registry.js';
import { UndiciTransport } from '../providers/transport/undici-transport.js';
import { ForwardProxies } from '../shared/http/client/forward-proxies.js';
import { failureMessage } from '../shared/command/command-failure.js';
import { DONE, FAILED, MISUSED } from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/command/command-context.js';
import type { Environment } from '../shared/environment.js';
import { readEnvironment } from '../shared/read-environment.js';
import { SHIPPED_CATALOG } from '../shared/variables/variables.js';
import { EndpointCheck } from './endpoint-check.js';
import { printEnd, printHead, printCheckAsJson, printTried, works, type CheckHead } from './print-provider-check.js';
import { planCheck, tryEach, type TriedCandidate } from './provider-check.js';
import { missingCredential } from './check-verdict.js';

const NAME = 'fairlead try';
/** Default number of endpoints to call: each costs a call. */
export const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;
/** Limit of similar names that are offered for an unknown one. */
const NEAREST_MAX = 3;

const USAGE = `npm run fairlead -- try <slug> [--model ID] [--stream] [--json] [--limit N]

Sends each endpoint that the catalog (FAIRLEAD_CATALOG) has at a provider a minimal request, with the same
settings, credential and code as the gateway, and reports for each whether it works, or what has to be checked: the
address, the credential, the name of the model, whether the account may use it, the account, the request or the answer.
The provider charges its operator for these calls, some 30 tokens each; the gateway's store is not touched.

With --model only the endpoints of that model are called. With --stream each is called a second time, streamed. The first
${LIMIT_DEFAULT} are called, or as many as --limit gives, at most ${LIMIT_MAX}. With --json everything is printed as JSON at the end.
Ends with 0 when all that were called work, with 1 when one does not or none could be called, with 2 for wrong arguments.
`;

/** The parsed command line. */
interface Words {
  readonly slug: string;
  readonly model: string | undefined;
  readonly isStreamedToo: boolean;
  readonly isJson: boolean;
  readonly limit: number;
}

/** The command line cannot be carried out; the message gives the reason. */
class Misused extends Error {}

/** @returns the exit code, as documented in the usage. Never throws, never prints a credential. */
export async function runProviderTry(context: CommandContext, packageDirectory: string): Promise<number> {
  try {
    const words = readWords(context.words);
    if (words === 'help') {
      context.print(USAGE);
      return DONE;
    }
    const { environment } = readEnvironment(context.variables, context.workingDirectory, packageDirectory);
    const source = {
      path: environment.catalogPath,
      shippedPath: resolve(packageDirectory, SHIPPED_CATALOG),
      variables: context.variables,
    };
    const catalog = (await CatalogStore.open(source, new Logger(NAME))).current;
    return await tryProvider(findProvider(catalog, words.slug), catalog, words, environment, context);
  } catch (error) {
    const isMisused = error instanceof Misused;
    context.printError(`${NAME}: ${isMisused ? error.message : messageOf(error)}\n${isMisused ? `\n${USAGE}` : ''}`);
    return isMisused ? MISUSED : FAILED;
  }
}

/** A catalog has one line per fault. */
const messageOf = (error: unknown): string => (error instanceof CatalogRefused ? error.message : failureMessage(error));

async function tryProvider(
  provider: CatalogProvider,
  catalog: CatalogSnapshot,
  { model, limit, isStreamedToo, isJson }: Words,
  environment: Environment,
  { print, signal = new AbortController().signal }: CommandContext,
): Promise<number> {
  const transport = new UndiciTransport(undefined, new ForwardProxies(environment));
  try {
    const registry = new ProviderRegistry(transport, new SystemClock());
    const plan = planCheck(catalog, provider, limit, model && findModel(catalog, provider, model));
    const label = labelFor(provider);
    const missing = registry.isReachable(provider) ? undefined : missingCredential(provider);
    const head: CheckHead = { plan, credentialLabel: label, missing };
    const client = new ProviderClient(registry, environment);
    const means = { client, firstMs: environment.timeouts.firstMs, labelOf: () => label, signal };
    const tried: TriedCandidate[] = [];
    if (!isJson) print(printHead(head));
    if (!missing) {
      for await (const check of tryEach(plan, new EndpointCheck(means), isStreamedToo)) {
        tried.push(check);
        if (!isJson) print(printTried(check));
      }
    }
    print(isJson ? printCheckAsJson(head, tried) : printEnd(head, tried));
    return tried.length > 0 && tried.every(works) ? DONE : FAILED;
  } finally {
    transport.onApplicationShutdown();
  }
}

function readWords(words: readonly string[]): Words | 'help' {
  const { values, positionals } = parsed(words);
  if (values.help === true) return 'help';
  const [slug, ...more] = positionals;
  if (slug === undefined || more.length > 0) throw new Misused('give the slug of one provider');
  const limit = Number(values.limit ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new Misused(`--limit must be a whole number from 1 to ${LIMIT_MAX}`);
  return {
    slug,
    model: values.model,
    isStreamedToo: values.stream === true,
    isJson: values.json === true,
    limit,
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        model: { type: 'string' },
        stream: { type: 'boolean' },
        json: { type: 'boolean' },
        limit: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new Misused(failureMessage(error), { cause: error });
  }
}

function findProvider({ providers }: CatalogSnapshot, slug: string): CatalogProvider {
  return (
    providers.get(slug) ?? misused(`the catalog has no provider ${JSON.stringify(slug)}`, slug, [...providers.keys()])
  );
}

/** Finds a model by its id, or by another name that callers may use for it. */
function findModel({ models }: CatalogSnapshot, { slug }: CatalogProvider, name: string): string {
  const there = [...models.values()].filter(({ endpoints }) =>
    endpoints.some(({ provider }) => provider.slug === slug),
  );
  const found = there.find(({ id, aliases }) => id === name || aliases?.includes(name));
  if (found) return found.id;
  return misused(
    `the catalog has no model ${JSON.stringify(name)} at ${slug}`,
    name,
    there.map(({ id }) => id),
  );
}

function misused(complaint: string, name: string, known: readonly string[]): never {
  const near = nearestNames(name, known, NEAREST_MAX).map((nearName) => JSON.stringify(nearName));
  throw new Misused(near.length === 0 ? complaint : `${complaint}; did you mean ${near.join(' or ')}?`);
}

/** The displayable part of the credential, in the same form as for callers' credentials. */
function labelFor({ slug, credential }: CatalogProvider): string | undefined {
  if (!credential) return undefined;
  try {
    return labelOf(slug, credential);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
