import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import { ensureFullStop } from '../../core/text/ensure-full-stop.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import {
  parameterPath,
  type RequestedTool,
  type CallerRunTool,
  type GatewayRunTool,
  type ToolFailure,
  type ToolFunction,
  type ToolResult,
} from '../../core/tool.js';
import { CONTAINER_SECONDS } from '../containers/container-bounds.js';
import type { ToolDefinition } from '../tool-definition.js';
import { BASH_FUNCTION } from '../vendor-functions.js';
import { isFailure, readContent, viewFailure, viewOutcome } from './bash-result.js';
import { BashSession, SessionMissing } from './bash-session.js';
import { bashParameters } from './parameters.js';

/** Default memory limit of a command, and its default time limit. */
const MEMORY_BYTES = 64 * 1024 * 1024;
const TIME_MS = 30_000;
/** Maximum number of uses in one generation: about thirty steps with some uses in parallel. Chosen. */
const USES_MAX = 100;
/** A script of some thousand lines. Chosen. */
const COMMAND_CHARACTERS_MAX = 100_000;
/** The no-op command of a restart without a command. */
const NOTHING = ':';

const SHOWN: ToolFunction = {
  ...BASH_FUNCTION,
  description:
    'Runs a command in a bash sandbox. Files, variables and the working directory stay from one call to the next; functions and background jobs do not, and `sleep` does not wait. It has the usual text tools (awk, diff, find, grep, gzip, jq, sed, sort, xargs and others), and neither network nor Python, Node.js, compilers or package managers. It has a few MiB of files, and each command at most half a minute.',
};

const FAILURES: Partial<Record<ToolFailure, string>> = {
  invalid_tool_input: 'It takes a `command`, or `restart: true`.',
  max_uses_exceeded: 'No more commands can be run in this answer.',
  too_many_requests: 'Too many commands are being run at the moment; try again.',
  request_too_large: `A command has at most ${COMMAND_CHARACTERS_MAX.toLocaleString('en-US')} characters.`,
};
const fail = (failure: ToolFailure): ToolResult =>
  viewFailure(failure, FAILURES[failure] ?? 'Commands cannot be run at the moment.');

/**
 * Bash that the gateway runs, in an interpreter without access to the host (`engine: openrouter`), or that the caller
 * runs (`auto`, `native`).
 * @param hasInterpreter whether the optional package is installed
 */
export const bashTool = (hasInterpreter: boolean): ToolDefinition => ({
  types: ['openrouter:bash'],
  parameters: { 'openrouter:bash': bashParameters },
  resultType: 'openrouter_bash_tool_result',
  offer: (requested, { catalog }) => offer(requested, catalog, hasInterpreter),
  recall: readContent,
  isFailure,
});

export const bash = bashTool(isInstalled('just-bash/browser'));

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function offer(
  requested: RequestedTool,
  catalog: CatalogSnapshot,
  hasInterpreter: boolean,
): GatewayRunTool | CallerRunTool {
  const { parameters } = requested;
  if (parameters['engine'] !== 'openrouter') return { runsAt: 'caller', asFunction: BASH_FUNCTION };
  if (!hasInterpreter)
    throw new GatewayError(
      'invalid-request',
      `${parameterPath(requested, 'engine')}: this gateway has no bash of its own (its optional package just-bash is not installed); use auto or native and run the commands yourself`,
    );
  const { price = 0n, memoryBytes = MEMORY_BYTES, timeMs = TIME_MS } = catalog.tools.bash ?? {};
  const sleepAfterSeconds = readSeconds(requested);
  const session = new BashSession({ containerId: readContainerId(parameters), sleepAfterSeconds, memoryBytes, timeMs });
  return {
    runsAt: 'gateway',
    asFunction: SHOWN,
    engine: 'openrouter',
    price,
    usesMax: USES_MAX,
    run: (input, { context }) => run(session, input, context, price),
    fail,
  };
}

function readSeconds(requested: RequestedTool): number {
  const seconds = requested.parameters['sleep_after_seconds'] ?? CONTAINER_SECONDS.default;
  const { min, max } = CONTAINER_SECONDS;
  if (typeof seconds === 'number' && seconds >= min && seconds <= max) return seconds;
  throw new GatewayError(
    'invalid-request',
    `${parameterPath(requested, 'sleep_after_seconds')}: must be from ${min} to ${max.toLocaleString('en-US')}`,
  );
}

function readContainerId({ environment }: JsonObject): string | undefined {
  if (environment === undefined || !isJsonObject(environment) || environment['type'] !== 'container_reference')
    return undefined;
  return environment['container_id'] as string;
}

async function run(
  session: BashSession,
  { command, restart }: JsonObject,
  context: ExtensionContext,
  price: PicoUsd,
): Promise<ToolResult> {
  const isRestart = restart === true;
  if (typeof command !== 'string' && !isRestart) return fail('invalid_tool_input');
  const script = typeof command === 'string' ? command : NOTHING;
  if (script.length > COMMAND_CHARACTERS_MAX) return fail('request_too_large');
  try {
    return viewOutcome(await session.run(script, isRestart, context, () => context.charge(price)));
  } catch (error) {
    if (error instanceof SessionMissing) return viewFailure(error.code, error.message);
    if (!(error instanceof ExtensionFault)) throw error;
    // A thread that was ended has run the command, so it is charged; the session keeps its previous state.
    if (error.kind !== 'busy' && error.kind !== 'unsupported') context.charge(price);
    return viewFault(error);
  }
}

function viewFault({ kind, message }: ExtensionFault): ToolResult {
  switch (kind) {
    case 'busy':
      return fail('too_many_requests');
    case 'timed-out':
      return viewFailure('execution_time_exceeded', 'It took too long and was ended; nothing of it stays.');
    case 'unsupported':
      return viewFailure('container_not_found', ensureFullStop(`The session cannot be read: ${message}`));
    default:
      return viewFailure('unavailable', 'It took too much memory, or could not be run; nothing of it stays.');
  }
}
