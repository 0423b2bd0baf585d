import type { ExtensionContext, WebRequest } from '../../src/core/extension.js';
import { Cancellation } from '../../src/core/cancellation.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { OpenSeal, GatewayRunTool, ToolResult } from '../../src/core/tool.js';
import { modelRequest } from './model-request.js';
import { catalogOf } from './route-inputs.js';

const nothing = (what: string) => (): Promise<never> => Promise.reject(new Error(`${what}: none in this test`));

/** The context of tools and plugins, in which only the test's own parts answer. */
export const extensionContext = (parts: Partial<ExtensionContext> = {}): ExtensionContext => ({
  caller: { accountId: 'a', workspaceId: 'w', keyHash: 'k', kind: 'inference', userId: null },
  signal: new Cancellation().signal,
  clock: { now: () => 0, aheadMs: 0 },
  showsResults: true,
  catalog: catalogOf(),
  isSandbox: false,
  callable: () => [],
  request: modelRequest(),
  guardedFetch: { allows: () => true, fetch: nothing('fetch') },
  engines: { call: nothing('engine') },
  workers: { run: nothing('worker') },
  containers: { load: nothing('container'), save: nothing('container') },
  parsedFiles: { find: () => undefined, keep: () => undefined },
  charge: () => undefined,
  countWeb: () => undefined,
  keep: () => true,
  seal: (value) => `sealed:${Buffer.from(JSON.stringify(value)).toString('base64url')}`,
  plan: nothing('model'),
  infer: nothing('model'),
  ...parts,
});

/** A result with the charge for its use. */
export interface ChargedResult extends ToolResult {
  readonly cost: bigint;
  readonly web?: WebRequest;
}

/** Runs one use of a tool. */
export async function runCharged(
  tool: GatewayRunTool,
  input: JsonObject,
  context: ExtensionContext,
): Promise<ChargedResult> {
  let cost = 0n;
  let web: WebRequest | undefined;
  const charge = (amount: bigint): void => void (cost += amount);
  const countWeb = (request: WebRequest): void => void (web = request);
  const result = await tool.run(input, { context: { ...context, charge, countWeb }, number: 1 });
  return { ...result, cost, ...(web && { web }) };
}

/** Opens a value sealed by the above. */
export const unseal = (sealed: unknown) =>
  typeof sealed === 'string' && sealed.startsWith('sealed:')
    ? (JSON.parse(Buffer.from(sealed.slice('sealed:'.length), 'base64url').toString()) as never)
    : undefined;

/** Opens the seal of a part of a result. */
export const openSeal: OpenSeal = (part) => unseal(part['encrypted_content']);
