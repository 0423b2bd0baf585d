import type { CancelSignal } from '../../core/cancellation.js';
import type { Message, ToolResultBlock } from '../../core/conversation/content.js';
import type { ModelEvent, StopReason } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { SHORTENED_LEAST } from '../../core/plugin.js';
import { allowedBy, typeOf, type Tool, type ToolChoice } from '../../core/conversation/tools.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import { usdNumber } from '../../core/money/credits.js';
import { weigh, type Json, type JsonObject } from '../../core/json/json.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { StartedCall } from '../../routing/plan-runner.js';
import type { Inspection } from '../../guardrails/inspector.js';
import { CitedSources } from './cited-sources.js';
import type { OfferedTools } from './offered-tools.js';
import { textIn, countReasoningBlocks, type SealedSource, type SealedUse } from './sealed-reply.js';
import { StepEvents, type ServiceCall } from './step-events.js';
import { withUsesLeft } from './vendor-uses.js';
import { calledIn, isLoopOver } from './stop-conditions.js';
import type { AnsweredCall, ToolUses } from './tool-uses.js';
import type { ToolFailure } from '../../core/tool.js';

type Batch = readonly ModelEvent[];

/** Maximum weight of the results that are printed in one step, except for a single larger one. */
const BATCH_WEIGHT_MAX = 64 * 1024;

/** A further call that will read what tools return. */
export interface ReadingCall {
  /** The request without the results. */
  readonly request: ModelRequest;
  /** Minimum size of the results, as `textTokens` counts them. */
  readonly tokens: number;
  /** The leg that it begins with. */
  readonly answered: PlannedLeg;
  /** Whether money for this call is reserved too. Consulted models reserve their own money. */
  readonly isPaidFor: boolean;
}

type BeginningOfCall = Omit<ReadingCall, 'tokens' | 'isPaidFor'>;

/** The functions of ledger, router and policies that a loop calls. */
export interface LoopDependencies {
  readonly uses: ToolUses;
  /** Content filters over the input and the results of tools. Undefined: there are none. */
  readonly inspect: ((request: ModelRequest) => Inspection | Promise<Inspection>) | undefined;
  /**
   * Reserves the maximum cost of the uses of a step, and all that the call needs that reads their results, if there is
   * one.
   * @returns why there is no capacity; undefined: it is reserved
   */
  refusalOf(calls: readonly ServiceCall[], next: ReadingCall | undefined): Promise<ToolFailure | undefined>;
  /** Whether a model that a tool called did not fit. */
  wasRefused(): boolean;
  /**
   * The next call, beginning with the leg that answered, with its request, which is shortened where the whole of the
   * results does not fit. Undefined: there is no capacity for it.
   */
  call(
    request: ModelRequest,
    answered: PlannedLeg,
  ): Promise<{ readonly request: ModelRequest; readonly begun: StartedCall } | undefined>;
  /** The amount spent so far. */
  spent(): bigint;
  /** The part of the cost that was spent on models that a use consulted. */
  spentOn(consulted: ToolUseRecord['consulted']): bigint;
  seal(value: JsonObject): string;
  /** Releases the reservation of the latest call. */
  release(): void;
}

/**
 * The loop of one answer, or of one consulted model, with tools that this gateway runs. Each step is a call of the
 * model and the tool uses that it requests. The loop ends when no use is left, a condition is met, or there is no
 * capacity for more. The caller sees one reply (docs/use/tools-and-plugins.md#the-loop).
 */
export class ToolLoop {
  private step: StepEvents;
  private steps = 1;
  private usage: Usage = NO_USAGE;
  /** Includes the sources of earlier turns. */
  private sources: CitedSources | undefined;
  /** Number of reasoning blocks emitted so far. */
  private reasoningBlocks = 0;
  /** The request with the turns that the steps have added. */
  private request: ModelRequest;
  /** The tools that the caller requested. The request keeps those with uses left. */
  private readonly tools: readonly Tool[];
  /** The model is called for the last time, without tools. */
  private isLast: boolean;
  private isUnaffordable = false;
  /**
   * The balance did not cover some uses of a step: the model reads the results of the others, and gets no more tools.
   */
  private isOutOfMoney = false;
  /** A step has emitted text to the caller. */
  private hasText = false;

  constructor(
    private readonly generation: Generation,
    request: ModelRequest,
    private readonly offered: OfferedTools,
    private readonly signal: CancelSignal,
    private readonly dependencies: LoopDependencies,
    /** Id of the consulted model, by which its uses are reported; absent: they belong to the answer. */
    private readonly consulted?: string,
  ) {
    this.request = request;
    this.tools = request.tools;
    this.sources = CitedSources.in(request.messages);
    // A model that calls a forbidden tool is refused, as after its last step.
    this.isLast = request.toolChoice?.type === 'none';
    this.step = this.beginStep(0);
  }

  /** @returns the part of a batch of the current call that goes to the caller; empty: none yet */
  pass(batch: Batch): Batch {
    return this.step.pass(batch);
  }

  /** Whether the call that has ended requested tools of the gateway. */
  get hasPendingToolCalls(): boolean {
    return this.step.hasPendingToolCalls;
  }

  /** The cost of its tools, including the models that they called. */
  get toolCost(): bigint {
    const { dependencies } = this;
    return dependencies.uses.records.reduce(
      (sum, { cost, consulted }) => sum + cost + dependencies.spentOn(consulted),
      0n,
    );
  }

  /** The loop is over; its generation continues. */
  close(): void {
    this.dependencies.release();
  }

  /**
   * Runs the tools that the call requested.
   * @param answeredBy the leg of that call
   * @returns their results in the caller's format; each large one in a separate batch
   */
  async runTools(answeredBy: PlannedLeg): Promise<readonly Batch[]> {
    const { step, generation, dependencies } = this;
    const { uses } = dependencies;
    uses.countVendors(step.usage);
    const spoken = step.turn;
    const turn = await this.read(spoken);
    const calls = withArguments(step.calls, spoken, turn);
    const admitted = this.isLast ? calls.map(() => 'max_uses_exceeded' as const) : uses.admit(calls);
    const affordable = await this.afford(calls, admitted, this.readingCall(turn, answeredBy));
    this.signal.throwIfAborted();
    const answered = await uses.run(calls, affordable, withoutCalls(this.request, turn));
    this.signal.throwIfAborted();
    this.isUnaffordable ||= dependencies.wasRefused();
    const shown = answered.map(({ use }) =>
      viewUse(use, {
        step: this.steps,
        consulted: this.consulted,
        cost: use.cost + dependencies.spentOn(use.consulted),
      }),
    );
    generation.pipeline = [...generation.pipeline, ...shown];
    const results = await this.read({ role: 'user', content: answered.map(resultBlock) });
    this.request = { ...this.request, messages: [...this.request.messages, turn, results] };
    return this.emitResults(answered);
  }

  /**
   * @param answered the leg whose call has ended
   * @returns the next call, or the last events where there is none
   */
  async next(answered: PlannedLeg): Promise<StartedCall | Batch> {
    const { step, dependencies } = this;
    this.usage = addUsage(this.usage, step.usage);
    this.hasText ||= step.hasText;
    // The caller answers the other calls of the step.
    if (step.callersTools.length > 0) return this.lastWords(step.stop!);
    if (this.isLast) return this.lastWords(END_TURN);
    if (this.isUnaffordable) return this.lastWords(this.hasText ? END_TURN : PAUSE);
    const isOver = isLoopOver(
      {
        steps: this.steps,
        called: calledIn(step, this.request.tools),
        stop: step.stop!,
        usage: this.usage,
        spent: dependencies.spent(),
      },
      this.request.stopServerToolsWhen ?? [],
    );
    this.isLast = isOver || this.isOutOfMoney || dependencies.uses.areUsedUp;
    const called = await dependencies.call(this.nextRequest(), answered);
    if (!called) return this.lastWords(this.hasText ? END_TURN : PAUSE);
    this.request = called.request;
    this.steps++;
    this.step = this.beginStep(step.blocks);
    return called.begun;
  }

  /** @returns undefined where the caller's own tools end the loop: the caller sends the results */
  private readingCall(turn: Message, answered: PlannedLeg): BeginningOfCall | undefined {
    if (this.step.callersTools.length > 0) return undefined;
    return { request: { ...this.request, messages: [...this.request.messages, turn] }, answered };
  }

  /** The uses of a step that fits: all of them, or else the first of those that buy or consult. */
  private async afford(
    calls: readonly ServiceCall[],
    admitted: readonly (number | ToolFailure)[],
    next: BeginningOfCall | undefined,
  ): Promise<(number | ToolFailure)[]> {
    const { dependencies } = this;
    const runnable = calls.filter((_, index) => typeof admitted[index] === 'number');
    const paid = runnable.filter(({ offered: { tool } }) => tool.price > 0n || tool.consults !== undefined);
    const refusalOf = (some: readonly ServiceCall[]): Promise<ToolFailure | undefined> => {
      const results = runnable.length - paid.length + some.length;
      const tokens = results * SHORTENED_LEAST + (calls.length - results) * REFUSAL_TOKENS;
      const isPaidFor = some.some(({ offered }) => offered.tool.price > 0n);
      return dependencies.refusalOf(some, next && some.length > 0 ? { ...next, tokens, isPaidFor } : undefined);
    };
    let refusal = await refusalOf(paid);
    if (refusal === undefined) return [...admitted];
    let count = 0;
    while (count < paid.length) {
      const refused = await refusalOf(paid.slice(0, count + 1));
      if (refused !== undefined) {
        refusal = refused;
        break;
      }
      count++;
    }
    if (count === 0) this.isUnaffordable = true;
    else this.isOutOfMoney = true;
    // The refused attempt has released the reservation of the uses before it.
    await refusalOf(paid.slice(0, count));
    const unaffordable = new Set(paid.slice(count));
    return calls.map((call, index) => (unaffordable.has(call) ? refusal : admitted[index]!));
  }

  private beginStep(blocks: number): StepEvents {
    return new StepEvents(this.offered, { blocks, usage: this.usage, sources: this.sources });
  }

  /**
   * Applies the content filters to a turn before it is used: to a call before its tool runs, which may send it outside,
   * and to a result before the model reads it.
   * @throws GatewayError for blocked content
   */
  private async read(turn: Message): Promise<Message> {
    const { generation, request, dependencies } = this;
    if (!dependencies.inspect) return turn;
    const { request: read, stages, blocked } = await dependencies.inspect(turnAlone(request, turn));
    generation.pipeline = [...generation.pipeline, ...stages];
    if (blocked) throw blocked;
    return read.messages[0]!;
  }

  private emitResults(answered: readonly AnsweredCall[]): Batch[] {
    const { step } = this;
    const { turn } = step;
    const spoken = textIn(turn);
    this.reasoningBlocks += countReasoningBlocks(turn);
    const batches: ModelEvent[][] = [];
    let weight = Infinity;
    for (const { call, input, result } of answered) {
      if (weight >= BATCH_WEIGHT_MAX) {
        batches.push([]);
        weight = 0;
      }
      weight += weigh(result.content, BATCH_WEIGHT_MAX);
      const { id, offered } = call;
      if (result.sources.length > 0) (this.sources ??= new CitedSources()).add(result.sources);
      const use: SealedUse = {
        id,
        name: offered.name,
        input,
        text: result.text,
        isError: result.isError,
        step: this.steps,
        isShared: step.callersTools.length > 0,
        said: spoken,
        thoughts: this.reasoningBlocks,
        ...(result.sources.length > 0 && { sources: result.sources.slice(0, SEALED_SOURCES_MAX).map(sealedSource) }),
      };
      const seal = (lengthMax: number): string | undefined => this.sealUse(use, lengthMax);
      const { resultType: type } = offered.service;
      const index = step.blocks++;
      const block = {
        type: 'service-tool-result',
        result: { type, toolUseId: id, content: result.content, ...(result.image && { image: result.image }), seal },
      } as const;
      batches.at(-1)!.push({ type: 'block-start', index, block }, { type: 'block-end', index });
    }
    return batches;
  }

  /**
   * The seal of a use, or undefined where it does not fit. A use that does not fit is sealed without its text, with a
   * notice for the model instead of it.
   */
  private sealUse(use: SealedUse, lengthMax: number): string | undefined {
    const { sources: _sources, ...bare } = use;
    for (const shown of [use, { ...bare, text: TOO_LARGE }]) {
      const sealed = shown.text.length > lengthMax ? undefined : this.dependencies.seal(shown);
      if (sealed !== undefined && sealed.length <= lengthMax) return sealed;
    }
    return undefined;
  }

  /** After its first call a tool is no longer forced, or the loop would not end. */
  private nextRequest(): ModelRequest {
    const { offered, dependencies } = this;
    this.request = withUsesLeft(this.request, this.tools, (tool) =>
      dependencies.uses.usedOf(typeOf(tool), tool.served && offered.get(tool.served.name)),
    );
    const { toolChoice } = this.request;
    const isForced = toolChoice?.type === 'any' || toolChoice?.type === 'tool';
    if (this.isLast) this.request = { ...this.request, toolChoice: { type: 'none' } };
    else if (isForced) this.request = { ...this.request, toolChoice: freeChoice(toolChoice) };
    return this.request;
  }

  private lastWords(stop: StopReason): Batch {
    const { endExtras } = this.step;
    return [
      { type: 'usage', usage: this.usage },
      { type: 'reply-end', stop, ...(endExtras && { extras: endExtras }) },
    ];
  }
}

/** Maximum tokens of the result of a call that is not run. Chosen: twice the longest of today. */
const REFUSAL_TOKENS = 64;

/** Maximum number of pages that are sealed with a use: as many as an engine returns. */
const SEALED_SOURCES_MAX = 25;

const sealedSource = ({ url, title, quote }: WebCitation): SealedSource => ({
  url,
  ...(title !== undefined && { title }),
  ...(quote !== undefined && { quote }),
});

/** A choice that forces nothing any more, among the same tools. */
function freeChoice(choice: ToolChoice): ToolChoice {
  const allowed = allowedBy(choice);
  return { type: 'auto', ...(allowed && { allowed }) };
}

/** Replaces a result that did not fit into the reply, for the model of a later turn. */
const TOO_LARGE = 'The result of this call was too large to be kept for later turns. Call the tool again for it.';

/** A turn without the rest of the conversation. */
const turnAlone = ({ model }: ModelRequest, turn: Message): ModelRequest => ({
  model,
  system: [],
  messages: [turn],
  stream: false,
  sampling: {},
  tools: [],
  preferences: {},
  plugins: [],
  betas: [],
});

/** The calls of a turn after the filters, without the arguments that these removed. */
function withArguments(calls: readonly ServiceCall[], spoken: Message, left: Message): readonly ServiceCall[] {
  if (left === spoken) return calls;
  const cut = new Map<string, Json>();
  for (const [index, block] of left.content.entries()) {
    if (block.type === 'tool-use' && block !== spoken.content[index]) cut.set(block.id, block.input ?? {});
  }
  return calls.map((call) => (cut.has(call.id) ? { ...call, input: cut.get(call.id) } : call));
}

/** The conversation that a tool sees: all up to the calls of its step. */
function withoutCalls(request: ModelRequest, { content }: Message): ModelRequest {
  const spoken = content.filter(({ type }) => type !== 'tool-use');
  if (spoken.length === 0) return request;
  return { ...request, messages: [...request.messages, { role: 'assistant', content: spoken }] };
}

const END_TURN: StopReason = { unified: 'end-turn', raw: null, vendor: 'anthropic' };
/** There is no capacity for more. */
const PAUSE: StopReason = { unified: 'pause', raw: null, vendor: 'anthropic' };

/** The entry of the routing metadata's pipeline (docs/use/routing-metadata.md#stages). */
const viewUse = (
  { type, refusal, milliseconds, isError }: ToolUseRecord,
  { step, consulted, cost }: { readonly step: number; readonly consulted: string | undefined; readonly cost: bigint },
): JsonObject => ({
  type: 'server_tools',
  name: type,
  summary: refusal !== undefined ? 'refused' : isError ? 'failed' : 'completed',
  data: {
    ...(consulted !== undefined && { model: consulted }),
    step,
    milliseconds: Math.round(milliseconds),
    ...(refusal !== undefined && { error_code: refusal }),
  },
  cost_usd: usdNumber(cost),
});

/** A result is shortened where there is no capacity for all of it. */
const KEEPS_NOTHING = { start: 0, end: 0 };

const resultBlock = ({ call, result }: AnsweredCall): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId: call.id,
  content: [{ type: 'text', text: result.text, keeps: KEEPS_NOTHING }],
  ...(result.isError && { isError: true }),
});
