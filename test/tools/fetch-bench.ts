import { Cancellation, type CancelSignal } from '../../src/core/cancellation.js';
import type { DomainRules } from '../../src/core/domains.js';
import { Egress } from '../../src/core/egress.js';
import type { ExtensionContext } from '../../src/core/extension.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { ToolsConfiguration } from '../../src/core/routing/catalog.js';
import type { GatewayRunTool } from '../../src/core/tool.js';
import { BytesInFlight } from '../../src/shared/queues/bytes-in-flight.js';
import type { Environment } from '../../src/shared/environment.js';
import { CheckedIpAddresses } from '../../src/shared/http/client/checked-ip-addresses.js';
import { SafeFetch } from '../../src/shared/http/client/safe-fetch.js';
import { GuardedPages } from '../../src/tools/guarded-pages.js';
import { webFetch } from '../../src/tools/web-fetch/web-fetch.js';
import { ToolWorkers } from '../../src/tools/workers/tool-workers.js';
import { plainEngineClient } from '../support/engines/plain-engine-client.js';
import { extensionContext, runCharged, type ChargedResult } from '../support/extension-context.js';
import { catalogOf } from '../support/route-inputs.js';

/** 64 MiB: the limit for all requests. */
const BYTES_MAX = 64 * 1024 * 1024;
export const NOW = Date.UTC(2026, 10, 24, 12);

export interface FetchOptions {
  readonly parameters?: JsonObject;
  readonly type?: string;
  readonly tools?: ToolsConfiguration;
  readonly egress?: DomainRules;
  readonly key?: string;
  readonly signal?: CancelSignal;
  readonly parts?: Partial<ExtensionContext>;
}

const egressOf = ({ allowedDomains, blockedDomains }: DomainRules = {}): Egress | undefined =>
  Egress.of({ allowed_domains: allowedDomains ?? null, blocked_domains: blockedDomains ?? null });

/** The tool with the real fetch and the real threads; 127.0.0.2 stands for public addresses. */
export class FetchBench {
  readonly workers = new ToolWorkers();
  readonly bytes: BytesInFlight;
  private readonly pages: GuardedPages;

  constructor(bytesMax = BYTES_MAX) {
    const settings = { egressAllow: ['127.0.0.2/32'], bodiesInFlightBytesMax: bytesMax } as unknown as Environment;
    this.bytes = new BytesInFlight(settings);
    this.pages = new GuardedPages(new SafeFetch(new CheckedIpAddresses(settings)), this.bytes);
  }

  offer({ parameters = {}, type = 'openrouter:web_fetch', tools = {} }: FetchOptions = {}): GatewayRunTool {
    const catalog = { ...catalogOf(), tools };
    const modelOf = (): never => {
      throw new Error('asks for no model');
    };
    return webFetch.offer({ type, parameters, path: 'tools.0' }, { catalog, modelOf }) as GatewayRunTool;
  }

  context({
    egress,
    key = 'a key',
    signal = new Cancellation().signal,
    parts = {},
  }: FetchOptions = {}): ExtensionContext {
    return extensionContext({
      signal,
      clock: { now: () => NOW, aheadMs: 0 },
      guardedFetch: this.pages.open(key, egressOf(egress)),
      workers: this.workers.of(key),
      engines: plainEngineClient,
      ...parts,
    });
  }

  fetch(url: string, options: FetchOptions = {}): Promise<ChargedResult> {
    return runCharged(this.offer(options), { url }, this.context(options));
  }

  close(): Promise<void> {
    return this.workers.onApplicationShutdown();
  }
}

/** The result of a failure for the caller. @param cost of an engine that has fetched the page */
export const failure = (code: string, cost = 0n) =>
  expect.objectContaining({
    isError: true,
    cost,
    sources: [],
    content: expect.objectContaining({ type: 'web_fetch_tool_result_error', error_code: code }),
  });
