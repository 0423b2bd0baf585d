import { SERVICE_TOOL_PREFIX } from '../../../core/tool.js';
import { word } from '../../../shared/http/maxima.js';
import { freeForm, object, optional, text, type TSchema } from '../../../shared/http/schema.js';
import { eachMarked } from './cache-control.js';
import { ALL_SERVICE_TOOLS, TOOL_PARAMETERS } from '../../../tools/service-tools.js';

/*
 * The tools that the gateway runs, in `tools[]` of every face (docs/use/tools-and-plugins.md#service-tools). Parameters
 * are optional.
 */

const anyParameters = freeForm();
const withParameters = (parameters: TSchema) => ({ parameters: optional(parameters as typeof anyParameters) });

/** Fields besides `type` of each known service tool. */
export const serviceTools = Object.fromEntries(
  Object.entries(TOOL_PARAMETERS).map(([type, parameters]) => [type, withParameters(parameters)]),
);

/** The tool schemas, each with a cache marker. */
export const markedServiceTools = eachMarked(serviceTools);

/** Parameters of each type that `serviceTools` leaves open. `any`: every name is one. */
export const openParameters: ReadonlyMap<string, readonly string[] | 'any'> = new Map(
  ALL_SERVICE_TOOLS.flatMap((tool) => Object.keys(tool.parameters).map((type) => [type, tool.openParameters ?? []])),
);

/** Matches `type` of any gateway tool, known or not. */
export const isServiceTool = object({ type: text({ pattern: `^${SERVICE_TOOL_PREFIX}` }) });

/** The fields of an unknown gateway tool. The code that runs tools decides whether the tool exists. */
export const otherServiceFields = { type: word(), ...withParameters(anyParameters) };
