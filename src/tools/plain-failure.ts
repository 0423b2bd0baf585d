import { isJsonObject, printJson, type Json } from '../core/json/json.js';
import type { ToolFailure, ToolResult } from '../core/tool.js';

/** A failed use of a tool whose results have no published form of failure. */
export function plainFailure(failure: ToolFailure): ToolResult {
  const content = { error: failure };
  return { text: printJson(content), content, sources: [], isError: true };
}

/** Whether the content of a result is such a failure. */
export const isPlainFailure = (content: Json): boolean => isJsonObject(content) && typeof content['error'] === 'string';

/** Whether the content is of the published failure type of a tool. */
export const isOfType =
  (type: string) =>
  (content: Json): boolean =>
    isJsonObject(content) && content['type'] === type;
