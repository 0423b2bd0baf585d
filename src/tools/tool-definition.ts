import type { SERVICE_TOOL_PREFIX, ServiceTool } from '../core/tool.js';
import type { TSchema } from '../shared/http/schema.js';

/** The type of a tool of the gateway's own. The faces recognise it by the prefix. */
type OwnType = `${typeof SERVICE_TOOL_PREFIX}${string}`;
/** Tools of vendors that the gateway can run or hand to the caller; their types have a version behind the name. */
type VendorTool = 'web_search' | 'web_fetch' | 'advisor' | 'bash' | 'text_editor';
export type VendorType = `${VendorTool}_${number}`;

/** A service tool with the schemas of its parameters. */
export interface ToolDefinition extends ServiceTool {
  readonly types: readonly (OwnType | VendorType)[];
  /** A vendor's, where the vendor has such a tool. The Messages format recognises all others by the prefix. */
  readonly resultType: `openrouter_${string}_tool_result` | `${VendorTool | VendorType}_tool_result`;
  /**
   * By type: the schema of `parameters` in `tools[]`, where all are optional. The faces have the schemas of vendors'
   * types.
   */
  readonly parameters: Readonly<Record<OwnType, TSchema>>;
  /** Parameters that the schemas leave open, because the tool checks them or ignores them. `any`: every name is one. */
  readonly openParameters?: readonly string[] | 'any';
}
