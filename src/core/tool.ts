import type { ExtensionContext, OptionsSchema } from './extension.js';
import type { Json, JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';

/** The function that a model sees in a service tool's place. */
export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** What one use of a tool came to. A failure is a result as well: the model is told, and may go on. */
export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** What the caller sees: the content of the result block. */
  readonly content: Json;
  /** What the text stands on, for those blocks of the answer that use it. */
  readonly citations: readonly Json[];
  readonly isError: boolean;
  /** Uses that are charged; a failure that cost nothing has none. */
  readonly chargedUses: number;
}

/**
 * A tool that this gateway runs itself, behind any model. One file and one line in the list of tools.
 * @typeParam Options what a caller says of it in `tools[]`, as `options` has it
 */
export interface ServiceTool<Options extends JsonObject = JsonObject> {
  /** Types of `tools[]` that mean it. */
  readonly types: readonly string[];
  readonly options: OptionsSchema;
  describe(options: Options): ToolFunction;
  /** The most that one use can cost: held before it runs. */
  price(options: Options): PicoUsd;
  /**
   * Runs one use. Called with arguments that fit its schema.
   * @throws only the signal's reason: whatever else goes wrong is a result
   */
  run(input: JsonObject, options: Options, context: ExtensionContext): Promise<ToolResult>;
}
