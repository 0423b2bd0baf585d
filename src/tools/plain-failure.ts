import { printJson } from '../core/json/json.js';
import type { ToolFailure, ToolResult } from '../core/tool.js';

/** A use that came to nothing, of a tool whose results have no published form for it. */
export function plainFailure(failure: ToolFailure): ToolResult {
  const content = { error: failure };
  return { text: printJson(content), content, sources: [], isError: true, cost: 0n };
}
