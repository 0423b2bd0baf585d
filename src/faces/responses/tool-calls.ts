import { isJsonObject, parseJson, printJson, type Json, type JsonObject } from '../../core/json/json.js';
import { TEXT_ARGUMENT, TextInput } from './text-input.js';

/*
 * The caller's tools that are not functions in this format. Models of other formats get them as functions, and their
 * calls are converted back into items of the tool's form (docs/use/responses.md#tools-of-the-caller).
 */

/** How the calls of a tool appear in this format. */
export type CallForm =
  | { readonly type: 'function_call'; readonly name: string; readonly namespace?: string }
  | { readonly type: 'custom_tool_call'; readonly name: string; readonly namespace?: string }
  | { readonly type: 'shell_call' | 'local_shell_call' | 'apply_patch_call' };

/** By the name by which models know a tool; a tool without an entry is a function of that name. */
export type CallForms = ReadonlyMap<string, CallForm>;

export const NO_FORMS: CallForms = new Map();

/** The name by which models know a tool of a namespace. */
export const flatName = (namespace: string | null | undefined, name: string): string =>
  namespace ? `${namespace}__${name}` : name;

/** The arguments of a custom tool's call. */
export const textArguments = (input: string): string => printJson({ [TEXT_ARGUMENT]: input });

/** The text of a custom tool's call; arguments of another form are the text themselves. */
export function textOf(json: string): string {
  const input = new TextInput();
  const text = input.add(json) + input.end();
  if (input.isText) return text;
  const value = objectIn(json)?.[TEXT_ARGUMENT];
  return typeof value === 'string' ? value : json;
}

function objectIn(json: string): JsonObject | undefined {
  try {
    const value = parseJson(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a call's item besides its type and ids. */
export function callFields(form: CallForm, json: string): JsonObject {
  switch (form.type) {
    case 'function_call':
      return { ...named(form), arguments: json };
    case 'custom_tool_call':
      return { ...named(form), input: textOf(json) };
    case 'shell_call': {
      const { commands, timeout_ms: timeout, max_output_length: most } = objectIn(json) ?? {};
      const action = { commands: textsOf(commands), timeout_ms: timeout ?? null, max_output_length: most ?? null };
      return { action };
    }
    case 'local_shell_call': {
      const { command, env, ...rest } = objectIn(json) ?? {};
      return { action: { ...rest, type: 'exec', command: textsOf(command), env: isJsonObject(env) ? env : {} } };
    }
    case 'apply_patch_call':
      return { operation: patchOf(json) };
  }
}

const PATCH_TYPES: ReadonlySet<Json | undefined> = new Set(['create_file', 'update_file', 'delete_file']);

/**
 * The operation of a patch. Arguments that are none, as of a call that was cut off, become one that cannot be applied:
 * the caller's tool reports that to the model.
 */
function patchOf(json: string): JsonObject {
  const value = objectIn(json);
  const operation = isJsonObject(value?.['operation']) ? value['operation'] : value;
  const { type, path, diff } = operation ?? {};
  if (PATCH_TYPES.has(type) && typeof path === 'string' && (type === 'delete_file' || typeof diff === 'string'))
    return operation!;
  return { type: 'update_file', path: '', diff: json };
}

/** Fields of a call before its arguments are known. */
export function emptyCallFields(form: CallForm): JsonObject {
  if (form.type === 'apply_patch_call') return { operation: {} };
  return form.type === 'function_call' || form.type === 'custom_tool_call'
    ? callFields(form, '')
    : callFields(form, '{}');
}

const named = ({ name, namespace }: { readonly name: string; readonly namespace?: string }): JsonObject => ({
  name,
  ...(namespace !== undefined && { namespace }),
});

const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value)
    ? (value as readonly Json[]).filter((entry) => typeof entry === 'string')
    : typeof value === 'string'
      ? [value]
      : [];

const SHELL_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    commands: { type: 'array', items: { type: 'string' }, description: 'Shell commands to run, in order.' },
    timeout_ms: { type: 'integer', description: 'Maximum time of the commands, in milliseconds.' },
    max_output_length: { type: 'integer', description: 'Maximum characters of the output.' },
  },
  required: ['commands'],
};

const LOCAL_SHELL_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
    working_directory: { type: 'string', description: 'The folder to run it in.' },
    timeout_ms: { type: 'integer', description: 'Maximum time of the command, in milliseconds.' },
    env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Environment variables.' },
    user: { type: 'string', description: 'The user to run it as.' },
  },
  required: ['command'],
};

const PATCH_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    operation: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        diff: { type: 'string', description: 'The V4A diff; absent for delete_file.' },
      },
      required: ['type', 'path'],
    },
  },
  required: ['operation'],
};

/** A tool of the format that has no name and no schema of its own. */
interface ClientTool {
  readonly call: CallForm;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The documented arguments of these tools (developers.openai.com/api/docs/guides/tools, read 2026-11-29). */
export const CLIENT_TOOLS: Readonly<Record<'shell' | 'local_shell' | 'apply_patch', ClientTool>> = {
  shell: {
    call: { type: 'shell_call' },
    description: 'Runs shell commands on the user’s machine and returns their output.',
    parameters: SHELL_PARAMETERS,
  },
  local_shell: {
    call: { type: 'local_shell_call' },
    description: 'Runs one command on the user’s machine and returns its output.',
    parameters: LOCAL_SHELL_PARAMETERS,
  },
  apply_patch: {
    call: { type: 'apply_patch_call' },
    description: 'Creates, updates or deletes one file by a diff.',
    parameters: PATCH_PARAMETERS,
  },
};
