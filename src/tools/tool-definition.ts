import type { ServiceTool } from '../core/tool.js';
import type { TSchema } from '../shared/http/schema.js';

/** A service tool with the schemas of its parameters. */
export interface ToolDefinition extends ServiceTool {
  /**
   * By type: the schema of `parameters` in `tools[]`, where all are optional. The faces have the schemas of vendors'
   * types.
   */
  readonly parameters: Readonly<Record<string, TSchema>>;
  /** Parameters that the schemas leave open, because the tool checks them or ignores them. `any`: every name is one. */
  readonly openParameters?: readonly string[] | 'any';
}
