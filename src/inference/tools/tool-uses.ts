import { Logger } from '@nestjs/common';
import { Cancellation, toAbortSignal, type CancelSignal } from '../../core/cancellation.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { CutShort } from '../../core/generation/ending.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { weigh } from '../../core/json/print-in-pieces.js';
import { StepCounter } from '../../core/steps.js';
import type { ToolFailure, ToolResult } from '../../core/tool.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { faultTrace } from '../../shared/fault-trace.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { compile, type Compiled, type TSchema } from '../../shared/http/schema.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';

/** Calls of one step that are run. Chosen: far above what models ask for at once. */
const STEP_CALLS_MAX = 64;
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
  private readonly logger = new Logger('tools');
  private readonly numbers = new Map<OfferedTool, number>();

  constructor(
    private readonly generation: Generation,
    /** Of one use, which ends with its signal. */
    private readonly contextOf: (request: ModelRequest, signal: CancelSignal) => ExtensionContext,
    private readonly signal: CancelSignal,
  ) {}

  /**
   * Which calls of a step may run: as many as there may be, with arguments that fit.
   * @returns for each call how many of its tool it is then, or why it is not run
   */
  admit(calls: readonly ServiceCall[]): (number | ToolFailure)[] {
    return calls.map((call, place): number | ToolFailure => {
      const { tool } = call.offered;
      const number = (this.numbers.get(call.offered) ?? 0) + 1;
      if (place >= STEP_CALLS_MAX || number > tool.usesMax) return 'max_uses_exceeded';
      if (!isJsonObject(call.input) || !schemaOf(tool.shown).check(call.input)) return 'invalid_tool_input';
      this.numbers.set(call.offered, number);
      return number;
    });
  }

  /**
   * Runs those of one step side by side.
   * @param admitted for each call, as `admit` gives it
   * @param request with what was said up to these calls
   * @returns in the order of the calls
   * @throws only the signal's reason
   */
  async run(
    calls: readonly ServiceCall[],
    admitted: readonly (number | ToolFailure)[],
    request: ModelRequest,
  ): Promise<AnsweredCall[]> {
    const answered: AnsweredCall[] = [];
    const steps = new StepCounter();
    const rest = calls.entries();
    const runRest = async (): Promise<void> => {
      for (const [place, call] of rest) {
        if (steps.isOver()) await yieldToEventLoop();
        const number = admitted[place]!;
        answered[place] = typeof number === 'number' ? await this.answer(call, number, request) : refuse(call, number);
      }
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE_MAX, calls.length) }, runRest));
    return answered;
  }

  private async answer(call: ServiceCall, number: number, request: ModelRequest): Promise<AnsweredCall> {
    const { tool } = call.offered;
    // As it was admitted.
    const input = call.input as JsonObject;
    const beganAt = performance.now();
    const result = await this.use(call.offered, input, number, request);
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

  private async use(
    { tool, type }: OfferedTool,
    input: JsonObject,
    number: number,
    request: ModelRequest,
  ): Promise<ToolResult> {
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
    } catch (error) {
      signal.throwIfAborted();
      if (!isTold(error)) this.logger.error(`A use of ${type} failed: ${faultTrace(error)}`);
      // A tool that throws, or never answers, is a fault of ours: the model is told, and goes on.
      return tool.fail('unavailable', input);
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', end);
    }
  }
}

function refuse(call: ServiceCall, failure: ToolFailure): AnsweredCall {
  const input = call.input ?? null;
  return { call, input: isJsonObject(input) ? input : {}, result: call.offered.tool.fail(failure, input) };
}

/** What somebody outside is told, or has done, is no fault of ours. */
const isTold = (error: unknown): boolean =>
  error instanceof ExtensionFault || error instanceof GatewayError || error instanceof CutShort;

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The tool took longer than it may.');

const SCHEMAS = new WeakMap<JsonObject, Compiled<unknown>>();

function schemaOf({ inputSchema }: { readonly inputSchema: JsonObject }): Compiled<unknown> {
  let compiled = SCHEMAS.get(inputSchema);
  if (!compiled) SCHEMAS.set(inputSchema, (compiled = compile(inputSchema as TSchema)));
  return compiled;
}
