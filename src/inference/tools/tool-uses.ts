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
import { faultTrace } from '../../shared/fault-trace.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { compile, type Compiled, type TSchema } from '../../shared/http/schema.js';
import { OpenUse } from '../open-use.js';
import type { OfferedTool } from './offered-tools.js';
import type { ServiceCall } from './step-events.js';
import { VendorUses } from './vendor-uses.js';

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
  readonly use: ToolUseRecord;
}

/** Makes what one use works with, which ends with its signal. */
export type ContextOfUse = (request: ModelRequest, signal: CancelSignal, use: OpenUse) => ExtensionContext;

/** Runs the tools of one generation, and tells it of each call. */
export class ToolUses {
  /** Of these tools alone, in the order of `Generation.toolUses`: others of the generation may run beside them. */
  readonly records: ToolUseRecord[] = [];
  private readonly logger = new Logger('tools');
  /** Of each tool, how many uses of it were run here. */
  private readonly numbers = new Map<OfferedTool, number>();
  private readonly vendors = new VendorUses();
  private admitted = 0;

  constructor(
    private readonly generation: Generation,
    private readonly contextOf: ContextOfUse,
    private readonly signal: CancelSignal,
    /** Of all tools together, as far as they are run here. */
    private readonly usesMax = Infinity,
  ) {}

  /** Whether no tool may be used any more. */
  get areUsedUp(): boolean {
    return this.admitted >= this.usesMax;
  }

  /**
   * Counts what the vendor ran in a call, before those of its step are admitted: `max_uses` is of the whole request,
   * whoever runs the tool.
   */
  countVendors(usage: Usage): void {
    this.vendors.add(usage);
  }

  /**
   * How often a tool was used so far, by vendors and here.
   * @param type as it was asked for
   * @param offered the tool as it is served here; absent: it is not
   */
  usedOf(type: string, offered: OfferedTool | undefined): number {
    return this.vendors.of(type) + (offered ? (this.numbers.get(offered) ?? 0) : 0);
  }

  /**
   * Which calls of a step may run: as many as there may be, with arguments that fit.
   * @returns for each call how many of its tool it is then, or why it is not run
   */
  admit(calls: readonly ServiceCall[]): (number | ToolFailure)[] {
    return calls.map((call, place): number | ToolFailure => {
      const { tool, type } = call.offered;
      const number = this.usedOf(type, call.offered) + 1;
      if (place >= STEP_CALLS_MAX || number > tool.usesMax || this.areUsedUp) return 'max_uses_exceeded';
      if (!isJsonObject(call.input) || !schemaOf(tool.shown).check(call.input)) return 'invalid_tool_input';
      this.numbers.set(call.offered, (this.numbers.get(call.offered) ?? 0) + 1);
      this.admitted++;
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
        const one = typeof number === 'number' ? await this.answer(call, number, request) : refuse(call, number);
        if (typeof number !== 'number') this.enter(one.use);
        answered[place] = one;
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
    // As it was admitted.
    const input = call.input as JsonObject;
    const use = new OpenUse({ type, reserved: tool.price, enter: (record) => this.enter(record) });
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
    // Whatever it has under way ends with its time, a model that it asked among it.
    const deadline = setTimeout(() => abort.abort(outOfTime()), USE_MS_MAX);
    try {
      const context = contextOf(abort.signal);
      const result = await untilAborted(tool.run(input, { context, number }), toAbortSignal(abort.signal));
      // It is held until the generation is over: the next call is encoded from it.
      const hasRoom = context.keep(result.text.length + weigh(result.content, Infinity));
      return hasRoom ? result : tool.fail('too_many_requests', input);
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
  const { type, tool } = call.offered;
  const use = { type, refusal: failure, milliseconds: 0, isError: true, cost: 0n, lost: 0n, consulted: [] };
  return { call, input: isJsonObject(input) ? input : {}, result: tool.fail(failure, input), use };
}

/** What somebody outside is told, or has done, is no fault of ours. */
const isTold = (error: unknown): boolean =>
  error instanceof ExtensionFault || error instanceof GatewayError || error instanceof CutShort;

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The tool took longer than it may.');

const schemaOf = ({ inputSchema }: { readonly inputSchema: JsonObject }): Compiled<unknown> =>
  compile(inputSchema as TSchema);
