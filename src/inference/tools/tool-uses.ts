import { Cancellation, toAbortSignal, type CancelSignal } from '../../core/cancellation.js';
import { readArguments } from '../../core/conversation/assistant-turn.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import { CutShort } from '../../core/generation/ending.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { weigh } from '../../core/json/print-in-pieces.js';
import type { ServedTool, ToolFailure, ToolResult } from '../../core/tool.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { compile, type Compiled, type TSchema } from '../../shared/http/schema.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';

/** Uses of one step that are under way at a time. */
const SIDE_BY_SIDE_MAX = 8;
/** Of one use; each tool has shorter ones of its own for what it does. */
const USE_MS_MAX = 300_000;

/** What a call of one of the gateway's tools came to. */
export interface AnsweredCall {
  readonly call: ServiceCall;
  readonly input: JsonObject;
  readonly result: ToolResult;
  /** Absent where it was not run. */
  readonly use?: ToolUseRecord;
}

/** Runs the tools of one generation, and tells it of each use. */
export class ToolUses {
  private readonly numbers = new Map<OfferedTool, number>();

  constructor(
    private readonly generation: Generation,
    /** Of one use, which ends with its signal. */
    private readonly contextOf: (request: ModelRequest, signal: CancelSignal) => ExtensionContext,
    private readonly signal: CancelSignal,
  ) {}

  /**
   * Those of one step, side by side.
   * @param request with what was said up to these calls
   * @returns in the order of the calls
   * @throws only the signal's reason
   */
  async run(calls: readonly ServiceCall[], request: ModelRequest): Promise<AnsweredCall[]> {
    const answered: AnsweredCall[] = [];
    const rest = calls.entries();
    const runRest = async (): Promise<void> => {
      for (const [place, call] of rest) answered[place] = await this.answer(call, request);
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE_MAX, calls.length) }, runRest));
    return answered;
  }

  /** Answers calls that are not run. */
  refuse(calls: readonly ServiceCall[], failure: ToolFailure): AnsweredCall[] {
    return calls.map((call) => {
      const input = readArguments(call.input);
      const { tool } = call.offered;
      return { call, input: isJsonObject(input) ? input : {}, result: tool.fail(failure, input ?? null) };
    });
  }

  private async answer(call: ServiceCall, request: ModelRequest): Promise<AnsweredCall> {
    const { tool } = call.offered;
    const number = (this.numbers.get(call.offered) ?? 0) + 1;
    if (number > tool.usesMax) return this.refuse([call], 'max_uses_exceeded')[0]!;
    const input = readArguments(call.input);
    if (!isJsonObject(input) || !schemaOf(tool.shown).check(input))
      return this.refuse([call], 'invalid_tool_input')[0]!;
    this.numbers.set(call.offered, number);
    const beganAt = performance.now();
    const result = await this.use(tool, input, number, request);
    const use: ToolUseRecord = {
      type: call.offered.type,
      ...(tool.counts !== undefined && { counts: tool.counts }),
      milliseconds: performance.now() - beganAt,
      isError: result.isError,
      cost: result.cost < tool.price ? result.cost : tool.price,
    };
    this.generation.toolUses.push(use);
    return { call, input, result, use };
  }

  private async use(tool: ServedTool, input: JsonObject, number: number, request: ModelRequest): Promise<ToolResult> {
    const { signal } = this;
    signal.throwIfAborted();
    const abort = new Cancellation();
    const end = (): void => abort.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    // Whatever it has under way ends with its time, a model that it asked among it.
    const deadline = setTimeout(() => abort.abort(outOfTime()), USE_MS_MAX);
    try {
      const context = this.contextOf(request, abort.signal);
      const result = await untilAborted(tool.run(input, { context, number }), toAbortSignal(abort.signal));
      // It is held until the generation is over: the next call is encoded from it.
      const hasRoom = context.keep(result.text.length + weigh(result.content, Infinity));
      return hasRoom ? result : { ...tool.fail('too_many_requests', input), cost: result.cost };
    } catch {
      signal.throwIfAborted();
      // A tool that throws, or never answers, is a fault of ours: the model is told, and goes on.
      return tool.fail('unavailable', input);
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', end);
    }
  }
}

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The tool took longer than it may.');

const SCHEMAS = new WeakMap<JsonObject, Compiled<unknown>>();

function schemaOf({ inputSchema }: { readonly inputSchema: JsonObject }): Compiled<unknown> {
  let compiled = SCHEMAS.get(inputSchema);
  if (!compiled) SCHEMAS.set(inputSchema, (compiled = compile(inputSchema as TSchema)));
  return compiled;
}
