import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ToolResult } from '../../core/tool.js';
import type { SessionOutcome } from './bash-session.js';
import { isOfType } from '../plain-failure.js';

/** The result of a command: the fields of Anthropic's own bash, and the container for later requests. */
const RESULT = 'bash_code_execution_result';
/** Why nothing was run: an `error_code` with a message. */
const FAILURE = 'bash_code_execution_tool_result_error';

/** A command that ran, with any exit code. */
export function viewOutcome(outcome: SessionOutcome): ToolResult {
  const { stdout, stderr, exitCode, containerId, notKept } = outcome;
  const content: JsonObject = {
    type: RESULT,
    stdout,
    stderr: notKept === undefined ? stderr : `${stderr}The session is not kept for later requests: ${notKept}\n`,
    return_code: exitCode,
    content: [],
    ...(containerId !== undefined && { container_id: containerId }),
  };
  return { text: readContent(content), content, sources: [], isError: false };
}

export const isFailure = isOfType(FAILURE);

/** @param message a sentence */
export function viewFailure(code: string, message: string): ToolResult {
  const content: JsonObject = { type: FAILURE, error_code: code, message };
  return { text: readContent(content), content, sources: [], isError: true };
}

/** The text for the model, now and in a later turn: both outputs unchanged, and how the command ended. */
export function readContent(content: Json): string {
  if (!isJsonObject(content)) return 'What the command printed is not known.';
  const { type, stdout, stderr, return_code: exitCode, error_code: code, message } = content;
  if (type === FAILURE) return `The command did not run to its end (${textOf(code)}). ${textOf(message)}`.trimEnd();
  return [
    ...section('stdout', textOf(stdout)),
    ...section('stderr', textOf(stderr)),
    `exit code ${typeof exitCode === 'number' ? exitCode : 'unknown'}`,
  ].join('\n');
}

const section = (name: string, output: string): string[] =>
  output === '' ? [] : [`<${name}>`, output.endsWith('\n') ? output.slice(0, -1) : output, `</${name}>`];

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
