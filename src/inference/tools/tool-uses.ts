import { Logger } from '@nestjs/common';
import { Cancellation, toAbortSignal, type CancelSignal } from '../../core/cancellation.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Usage } from '../../core/conversation/usage.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { CutShort } from '../../core/generation/ending.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import { isJsonObject, weigh, type JsonObject } from '../../core/json/json.js';
import { StepCounter } from '../../core/steps.js';
import type { ToolFailure, ToolResult } from '../../core/tool.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { faultTrace } from '../../shared/telemetry/fault-trace.js';
import { untilAborted } from '../../shared/http/client/until-aborted.js';
import { compile, type Compiled, type TSchema } from '../../shared/http/schema.js';
import { ChargedToolUse } from '../billing/charged-tool-use.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';
import { VendorUses } from './vendor-uses.js';

/** Maximum calls of one step that are run. Chosen: far above what models request at once. */
const STEP_CALLS_MAX = 64;
/** Maximum concurrent uses of one step. */
const SIDE_BY_SIDE_MAX = 8;
/** Maximum duration of one use; each tool also has a shorter limit. */
const USE_MS_MAX = 300_000;

/** The outcome of a call of one of the gateway's tools. */
export interface AnsweredCall {
  readonly call: ServiceCall;
  readonly input: JsonObject;
  readonly result: ToolResult;
  readonly use: ToolUseRecord;
}

/** Makes the context of one use, which ends with its signal. */
export type ContextOfUse = (request: ModelRequest, signal: CancelSignal, use: ChargedToolUse) => ExtensionContext;

/** Runs the tools of one generation, and records each call in it. */
export class ToolUses {
  /**
   * The uses of these tools, in the order of `Generation.toolUses`. Other tools of the generation may run concurrently.
   */
  readonly records: ToolUseRecord[] = [];
  private readonly logger = new Logger('tools');
  /** The number of uses run here, for each tool. */
  private readonly numbers = new Map<OfferedTool, number>();
  private readonly vendors = new VendorUses();
  private admitted = 0;

  constructor(
    private readonly generation: Generation,
    private readonly contextOf: ContextOfUse,
    private readonly signal: CancelSignal,
    /** Limit of all tools together, of uses run here. */
    private readonly usesMax = Infinity,
  ) {}

  /** Whether no tool may be used any more. */
  get areUsedUp(): boolean {
    return this.admitted >= this.usesMax;
  }

  /**
   * Counts what the vendor ran in a call, before the uses of its step are admitted: `max_uses` is of the whole request,
   * whether the vendor or the gateway runs the tool.
   */
  countVendors(usage: Usage): void {
    this.vendors.add(usage);
  }

  /**
   * Number of uses of a tool so far, by vendors and by this gateway.
   * @param type as the caller named it
   * @param offered the tool as it is served here; absent: it is not
   */
  usedOf(type: string, offered: OfferedTool | undefined): number {
    return this.vendors.of(type) + (offered ? (this.numbers.get(offered) ?? 0) : 0);
  }

  /**
   * Admits the calls of a step that are within the limits and have valid arguments.
   * @returns for each call its number among the uses of its tool, or why it is not run
   */
  admit(calls: readonly ServiceCall[]): (number | ToolFailure)[] {
    return calls.map((call, index): number | ToolFailure => {
      const { tool, type } = call.offered;
      const number = this.usedOf(type, call.offered) + 1;
      if (index >= STEP_CALLS_MAX || number > tool.usesMax || this.areUsedUp) return 'max_uses_exceeded';
      if (!isJsonObject(call.input) || !schemaOf(tool.asFunction).check(call.input)) return 'invalid_tool_input';
      this.numbers.set(call.offered, (this.numbers.get(call.offered) ?? 0) + 1);
      this.admitted++;
      return number;
    });
  }

  /**
   * Runs the calls of one step concurrently.
   * @param admitted for each call, as `admit` returns it
   * @param request the conversation up to these calls
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
      for (const [index, call] of rest) {
        if (steps.isOver()) await yieldToEventLoop();
        const number = admitted[index]!;
        const answer = typeof number === 'number' ? await this.answer(call, number, request) : refuse(call, number);
        if (typeof number !== 'number') this.enter(answer.use);
        answered[index] = answer;
      }
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE_MAX, calls.length) }, runRest));
    return answered;
  }

  private enter(use: ToolUseRecord): void {
    this.records.push(use);
    this.generation.toolUses.push(use);
  }

  private async answer(call: ServiceCall, number: number, request: ModelRequest): Promise<AnsweredCall> {
    const { type, tool } = call.offered;
    // An admitted call has an object as its input.
    const input = call.input as JsonObject;
    const use = new ChargedToolUse({ type, reserved: tool.price, enter: (record) => this.enter(record) });
    let isError = true;
    let result: ToolResult;
    try {
      result = await this.use(call.offered, input, number, (signal) => this.contextOf(request, signal, use));
      ({ isError } = result);
    } finally {
      use.end(isError);
    }
    use.enter();
    return { call, input, result, use };
  }

  private async use(
    { tool, type }: OfferedTool,
    input: JsonObject,
    number: number,
    contextOf: (signal: CancelSignal) => ExtensionContext,
  ): Promise<ToolResult> {
    const { signal } = this;
    signal.throwIfAborted();
    const abort = new Cancellation();
    const end = (): void => abort.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    // All that it has under way ends with its time, including a model that it called.
    const deadline = setTimeout(() => abort.abort(outOfTime()), USE_MS_MAX);
    try {
      const context = contextOf(abort.signal);
      const result = await untilAborted(tool.run(input, { context, number }), toAbortSignal(abort.signal));
      // The result stays in memory until the generation is over: the next call is encoded from it.
      const fitsInMemory = context.keep(result.text.length + weigh(result.content, Infinity));
      return fitsInMemory ? result : tool.fail('too_many_requests', input);
    } catch (error) {
      signal.throwIfAborted();
      if (!isExpected(error)) this.logger.error(`A use of ${type} failed: ${faultTrace(error)}`);
      // A tool that throws or never answers is a fault of the gateway: the model gets an error result, and continues.
      return tool.fail('unavailable', input);
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', end);
    }
  }
}

function refuse(call: ServiceCall, failure: ToolFailure): AnsweredCall {
  const input = call.input ?? null;
  const { type, tool } = call.offered;
  const use = { type, refusal: failure, milliseconds: 0, isError: true, cost: 0n, lost: 0n, consulted: [] };
  return { call, input: isJsonObject(input) ? input : {}, result: tool.fail(failure, input), use };
}

/** A failure of an external service is not a fault of the gateway. */
const isExpected = (error: unknown): boolean =>
  error instanceof ExtensionFault || error instanceof GatewayError || error instanceof CutShort;

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The tool exceeded its time limit.');

const schemaOf = ({ inputSchema }: { readonly inputSchema: JsonObject }): Compiled<unknown> =>
  compile(inputSchema as TSchema);
