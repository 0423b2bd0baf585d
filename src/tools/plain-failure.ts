import { isJsonObject, printJson, type Json } from '../core/json/json.js';
import type { ToolFailure, ToolResult } from '../core/tool.js';

/** A use that came to nothing, of a tool whose results have no published form for it. */
export function plainFailure(failure: ToolFailure): ToolResult {
  const content = { error: failure };
  return { text: printJson(content), content, sources: [], isError: true };
}

/** Whether the content of a result is one of those. */
export const isPlainFailure = (content: Json): boolean => isJsonObject(content) && typeof content['error'] === 'string';

/** Of tools whose results have a published form for it: whether the content is of that type. */
export const isOfType =
  (type: string) =>
  (content: Json): boolean =>
    isJsonObject(content) && content['type'] === type;
