import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { FunctionTool, Tool } from '../../../core/conversation/tools.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Dialect, Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { treatmentOf } from '../../../core/translation.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { WITHOUT } from '../encode-context.js';
import { carries } from '../encode-fields.js';
import {
  converseToolSchema,
  geminiSchema,
  heldAnswer,
  isTakenByCohere,
  openaiToolSchema,
  currentSchema,
} from './fitted-schemas.js';
import { isHeld } from './strict-schema.js';
import { strictTools } from './strict-limits.js';

type Namer = (request: ModelRequest, target: Target, dialect: Dialect) => readonly string[];

const NONE: readonly never[] = [];
/** The form of an answer, as callers find it. */
const ANSWER = 'output_config.format';
const ofAnswer = (keyword: string): string => `${ANSWER}.${keyword}`;

/**
 * Names of the bounds of a request that a call enforces less: `tools.0.strict`, keywords of schemas (`tools.0.anyOf`,
 * `output_config.format.minLength`), a choice that forces nothing (`tool_choice`). The encoders fitted the same
 * schemas, which are kept with the request.
 */
export const weakerBounds: Namer = (request, target, dialect) => {
  const ofDialect = BY_DIALECT[dialect.id]?.(request, target, dialect) ?? NONE;
  return [...freedChoice(request, target, dialect), ...ofDialect];
};

function freedChoice({ toolChoice }: ModelRequest, target: Target, { table }: Dialect): readonly string[] {
  if (toolChoice?.type !== 'any' && toolChoice?.type !== 'tool') return NONE;
  return treatmentOf(table.tools[`choice_${toolChoice.type}`], target).type === 'dropped' ? ['tool_choice'] : NONE;
}

/** Bounds of the answer's format and of the tools that dialects lose because they change schemas. */
const BY_DIALECT: Readonly<Partial<Record<Dialect['id'], Namer>>> = {
  'anthropic-messages': (request, target, dialect) =>
    modelFamilyOf(target) === 'claude' ? ofClaude(request, target, dialect) : NONE,
  'bedrock-converse': ofClaude,
  'cohere-chat': ({ outputFormat, tools }) =>
    outputFormat && losesForm(outputFormat, tools)
      ? [outputFormat.type === 'json-schema' ? ANSWER : 'response_format']
      : NONE,
  'openai-chat': ofOpenai,
  'openai-responses': ofOpenai,
  'google-gemini': ({ tools, outputFormat }) => [
    ...(outputFormat?.type === 'json-schema' ? lostByGemini(outputFormat.schema).map(ofAnswer) : NONE),
    ...functionsOf(tools).flatMap(([at, { strict, inputSchema }]) => [
      ...(strict === true ? [`${at}.strict`] : []),
      ...lostByGemini(inputSchema).map((keyword) => `${at}.${keyword}`),
    ]),
  ],
};

/** Cohere takes no form beside tools. */
const losesForm = (format: OutputFormat, tools: readonly Tool[]): boolean =>
  tools.some(({ type }) => type === 'function') ||
  (format.type === 'json-schema' && !isTakenByCohere(doAtOnce(currentSchema(format.schema))));

const lostByGemini = (schema: JsonObject): readonly string[] => doAtOnce(geminiSchema(schema)).lost;

function ofClaude(requested: ModelRequest, target: Target, { table }: Dialect): readonly string[] {
  const request = carries(table, 'structured_outputs', target) ? requested : WITHOUT.structured_outputs!(requested);
  const takesStrict = treatmentOf(table.tools.strict, target).type === 'mapped';
  const strict = takesStrict ? doAtOnce(strictTools(request)) : new Set<Tool>();
  const ofTools = functionsOf(request.tools).flatMap(([at, tool]) => {
    const isStrict = tool.strict === true && strict.has(tool);
    const { lost } = doAtOnce(converseToolSchema(tool.inputSchema, target, isStrict));
    return [
      ...(tool.strict === true && !isStrict ? [`${at}.strict`] : []),
      ...lost.map((keyword) => `${at}.${keyword}`),
    ];
  });
  const { outputFormat: format } = request;
  if (format?.type !== 'json-schema') return ofTools;
  const held = doAtOnce(heldAnswer(format.schema));
  return [...(held ? held.lost.map(ofAnswer) : [ANSWER]), ...ofTools];
}

function ofOpenai({ tools, outputFormat }: ModelRequest, target: Target): readonly string[] {
  const ofTools = functionsOf(tools).flatMap(([at, { strict, inputSchema }]) => {
    const { schema, lost } = doAtOnce(openaiToolSchema(inputSchema, target));
    const isLost = strict === true && !isHeld(schema, strict, target);
    return [...(isLost ? [`${at}.strict`] : []), ...lost.map((keyword) => `${at}.${keyword}`)];
  });
  return [...(outputFormat && losesStrict(outputFormat, target) ? [`${ANSWER}.strict`] : []), ...ofTools];
}

const losesStrict = (format: OutputFormat, target: Target): boolean =>
  format.type === 'json-schema' &&
  format.strict === true &&
  !isHeld(doAtOnce(currentSchema(format.schema)), true, target);

/** The functions of a request, each with its path in the caller's request. */
const functionsOf = (tools: readonly Tool[]): readonly (readonly [string, FunctionTool])[] =>
  tools.flatMap((tool, index) => (tool.type === 'function' ? [[tool.path ?? `tools.${index}`, tool] as const] : []));
