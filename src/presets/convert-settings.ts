import { isJsonObject, type Json, type JsonObject } from '../core/json/json.js';
import type { PresetApi } from './preset.entity.js';

/** Settings that all formats have under names or in forms of their own. */
interface NeutralSettings {
  readonly maxTokens?: Json | undefined;
  readonly stop?: readonly Json[] | undefined;
  readonly effort?: Json | undefined;
  readonly schema?: JsonObject | undefined;
  readonly tools?: readonly Json[] | undefined;
  readonly toolChoice?: Json | undefined;
  readonly isParallel?: boolean | undefined;
}

interface Form {
  /** The fields that `read` handles. */
  readonly fields: readonly string[];
  read(settings: JsonObject): NeutralSettings;
  write(neutral: NeutralSettings): JsonObject;
}

/**
 * Settings that were saved in one format, in the form of another: fields of both stay, those with another form are
 * converted.
 * @param fields the declared fields of the other format
 * @returns also the names of the settings that it has no form for
 */
export function convertSettings(
  settings: JsonObject,
  from: PresetApi,
  to: PresetApi,
  fields: ReadonlySet<string>,
): { readonly settings: JsonObject; readonly lost: readonly string[] } {
  if (from === to) return { settings, lost: [] };
  const source = FORMS[from];
  const written = FORMS[to].write(source.read(settings));
  const plain = Object.entries(settings).filter(([name]) => !source.fields.includes(name));
  const kept = plain.filter(([name]) => fields.has(name) && !FORMS[to].fields.includes(name));
  const lost = plain.filter(([name]) => !kept.some(([keptName]) => keptName === name)).map(([name]) => name);
  return { settings: { ...Object.fromEntries(kept), ...written }, lost };
}

const FORMS: Readonly<Record<PresetApi, Form>> = {
  messages: {
    fields: ['max_tokens', 'stop_sequences', 'output_config', 'tools', 'tool_choice'],
    read: (settings) => {
      const output = objectOf(settings['output_config']);
      const choice = objectOf(settings['tool_choice']);
      const format = objectOf(output?.['format']);
      return present({
        maxTokens: settings['max_tokens'],
        stop: listOf(settings['stop_sequences']),
        effort: output?.['effort'],
        schema: format && objectOf(format['schema']),
        tools: listOf(settings['tools'])?.map(functionOfMessages),
        toolChoice: choice && (choice['type'] === 'tool' ? { name: choice['name'] } : choiceWord(choice['type'])),
        isParallel: choice?.['disable_parallel_tool_use'] === true ? false : undefined,
      });
    },
    write: ({ maxTokens, stop, effort, schema, tools, toolChoice, isParallel }) => {
      const output = present({ effort, format: schema && { type: 'json_schema', schema } });
      const choice = toolChoice ?? (isParallel === false && tools ? 'auto' : undefined);
      return present({
        max_tokens: maxTokens,
        stop_sequences: stop,
        output_config: Object.keys(output).length > 0 ? output : undefined,
        tools: tools?.map((tool) =>
          writeFunction(tool, ({ name, description, parameters, strict }) =>
            present({ name, description, input_schema: parameters, strict }),
          ),
        ),
        tool_choice:
          choice === undefined
            ? undefined
            : present({
                ...(isJsonObject(choice)
                  ? { type: 'tool', name: choice['name'] }
                  : { type: choice === 'required' ? 'any' : choice }),
                disable_parallel_tool_use: isParallel === false ? true : undefined,
              }),
      });
    },
  },
  chat: {
    fields: [
      'max_completion_tokens',
      'max_tokens',
      'stop',
      'reasoning_effort',
      'reasoning',
      'response_format',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
    ],
    read: (settings) => {
      const reasoning = objectOf(settings['reasoning']);
      const format = objectOf(settings['response_format']);
      const { stop } = settings;
      return present({
        maxTokens: settings['max_completion_tokens'] ?? settings['max_tokens'] ?? undefined,
        stop: typeof stop === 'string' ? [stop] : listOf(stop),
        effort: settings['reasoning_effort'] ?? reasoning?.['effort'] ?? undefined,
        schema: objectOf(objectOf(format?.['json_schema'])?.['schema']),
        tools: listOf(settings['tools'])?.map(functionOfChat),
        toolChoice: openAiChoice(settings['tool_choice']),
        isParallel: settings['parallel_tool_calls'] === false ? false : undefined,
      });
    },
    write: ({ maxTokens, stop, effort, schema, tools, toolChoice, isParallel }) =>
      present({
        max_completion_tokens: maxTokens,
        stop,
        reasoning_effort: effort,
        response_format: schema && { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: true } },
        tools: tools?.map((tool) => writeFunction(tool, (own) => ({ type: 'function', function: present(own) }))),
        tool_choice: isJsonObject(toolChoice)
          ? { type: 'function', function: { name: toolChoice['name'] } }
          : toolChoice,
        parallel_tool_calls: isParallel,
      }),
  },
  responses: {
    fields: ['max_output_tokens', 'reasoning', 'text', 'tools', 'tool_choice', 'parallel_tool_calls'],
    read: (settings) => {
      const format = objectOf(objectOf(settings['text'])?.['format']);
      return present({
        maxTokens: settings['max_output_tokens'] ?? undefined,
        effort: objectOf(settings['reasoning'])?.['effort'] ?? undefined,
        schema: format && objectOf(format['schema']),
        tools: listOf(settings['tools']),
        toolChoice: openAiChoice(settings['tool_choice']),
        isParallel: settings['parallel_tool_calls'] === false ? false : undefined,
      });
    },
    write: ({ maxTokens, effort, schema, tools, toolChoice, isParallel }) =>
      present({
        max_output_tokens: maxTokens,
        reasoning: effort === undefined ? undefined : { effort },
        text: schema && { format: { type: 'json_schema', name: SCHEMA_NAME, schema, strict: true } },
        tools: tools?.map((tool) => writeFunction(tool, (own) => present({ type: 'function', ...own }))),
        tool_choice: isJsonObject(toolChoice) ? { type: 'function', name: toolChoice['name'] } : toolChoice,
        parallel_tool_calls: isParallel,
      }),
  },
};

/** Formats that require a name of a schema get this one. */
const SCHEMA_NAME = 'reply';

/** Functions are in the flat form `{ type: 'function', name, … }`; all other tools are unchanged. */
function functionOfMessages(tool: Json): Json {
  if (!isJsonObject(tool) || !isJsonObject(tool['input_schema'])) return tool;
  const { name, description, input_schema: parameters, strict } = tool;
  return present({ type: 'function', name, description, parameters, strict });
}

function functionOfChat(tool: Json): Json {
  const own = isJsonObject(tool) && tool['type'] === 'function' ? objectOf(tool['function']) : undefined;
  return own ? { type: 'function', ...own } : tool;
}

function writeFunction(tool: Json, write: (own: JsonObject) => JsonObject): Json {
  if (!isJsonObject(tool) || tool['type'] !== 'function') return tool;
  const { name, description, parameters, strict } = tool;
  return write({ name, description, parameters: parameters ?? { type: 'object', properties: {} }, strict });
}

function openAiChoice(choice: Json | undefined): Json | undefined {
  if (!isJsonObject(choice)) return choice ?? undefined;
  const name = choice['name'] ?? objectOf(choice['function'])?.['name'];
  return name === undefined ? undefined : { name };
}

const choiceWord = (type: Json | undefined): Json | undefined => (type === 'any' ? 'required' : type);

const objectOf = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

const listOf = (value: Json | undefined): readonly Json[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]) : undefined;

/** Without its undefined members. */
function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
