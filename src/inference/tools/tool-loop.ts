import type { CancelSignal } from '../../core/cancellation.js';
import type { Message, ToolResultBlock } from '../../core/conversation/content.js';
import type { ModelEvent, StopReason } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { typeOf, type Tool } from '../../core/conversation/tools.js';
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
import { saidIn, thoughtsIn, type SealedSource, type SealedUse } from './sealed-reply.js';
import { StepEvents, type ServiceCall } from './step-events.js';
import { withUsesLeft } from './vendor-uses.js';
import { calledIn, isLoopOver } from './stop-conditions.js';
import type { AnsweredCall, ToolUses } from './tool-uses.js';
import type { ToolFailure } from '../../core/tool.js';

type Batch = readonly ModelEvent[];

/** Of results that are printed in one step, but for a single one. */
const BATCH_WEIGHT_MAX = 64 * 1024;

/** What a loop has done for it by whoever knows money, routes and policies. */
export interface LoopDependencies {
  readonly uses: ToolUses;
  /** Content filters, over what tools bring in and are asked. Undefined: there are none. */
  readonly inspect: ((request: ModelRequest) => Inspection | Promise<Inspection>) | undefined;
  /** Has room for the uses of a step at their dearest. */
  affords(calls: readonly ServiceCall[]): Promise<boolean>;
  /** There was no room for a model that a tool asked. */
  wasRefused(): boolean;
  /** The next call, beginning with the leg that answered; undefined: there is no room for it. */
  call(request: ModelRequest, answered: PlannedLeg): Promise<StartedCall | undefined>;
  /** What has been spent so far. */
  spent(): bigint;
  /** Of that, on models that a use consulted. */
  spentOn(consulted: ToolUseRecord['consulted']): bigint;
  seal(value: JsonObject): string;
  /** Lets go of the room of the latest call. */
  release(): void;
}

/**
 * The loop of one answer, or of one model that is consulted, with tools that this gateway runs: each step is a call of
 * the model and the uses of tools that it asks for, until none is left, a condition is met, or there is no room for
 * more. To who asked all of it is one reply (docs/wire/tools-and-plugins.md#the-loop).
 */
export class ToolLoop {
  private step: StepEvents;
  private steps = 1;
  private usage: Usage = NO_USAGE;
  /** Of earlier turns as well. */
  private sources: CitedSources | undefined;
  /** Pieces of reasoning told so far. */
  private thoughts = 0;
  /** With the turns that the steps have added. */
  private request: ModelRequest;
  /** As they were asked for: what the request has of them becomes less with their uses. */
  private readonly tools: readonly Tool[];
  /** Its model is asked for the last time, without tools. */
  private isLast: boolean;
  private isUnaffordable = false;
  /** A step has said something to the caller. */
  private hasText = false;

  constructor(
    private readonly generation: Generation,
    request: ModelRequest,
    private readonly offered: OfferedTools,
    private readonly signal: CancelSignal,
    private readonly dependencies: LoopDependencies,
    /** Id of the model that is consulted, by which its uses are told; absent: they are those of the answer. */
    private readonly consulted?: string,
  ) {
    this.request = request;
    this.tools = request.tools;
    this.sources = CitedSources.in(request.messages);
    // A model that calls what it may not is refused, as after its last step.
    this.isLast = request.toolChoice?.type === 'none';
    this.step = this.beginStep(0);
  }

  /** @returns what of a batch of the call under way the caller is told; empty: nothing yet */
  tell(batch: Batch): Batch {
    return this.step.tell(batch);
  }

  /** Whether the call that has ended asked for tools of the gateway's. */
  get goesOn(): boolean {
    return this.step.goesOn;
  }

  /** What its tools have come to, with the models that they asked. */
  get toolCost(): bigint {
    const { dependencies } = this;
    return dependencies.uses.records.reduce(
      (sum, { cost, consulted }) => sum + cost + dependencies.spentOn(consulted),
      0n,
    );
  }

  /** It is over, whatever way, and its generation goes on. */
  close(): void {
    this.dependencies.release();
  }

  /** Runs the tools that the call asked for. @returns their results, as the caller is told them: large ones apart */
  async runTools(): Promise<readonly Batch[]> {
    const { step, generation, dependencies } = this;
    const { uses } = dependencies;
    uses.countVendors(step.usage);
    const said = step.turn;
    const turn = await this.read(said);
    const calls = withArguments(step.calls, said, turn);
    const admitted = this.isLast ? calls.map(() => 'max_uses_exceeded' as const) : uses.admit(calls);
    const affordable = await this.afford(calls, admitted);
    this.signal.throwIfAborted();
    const answered = await uses.run(calls, affordable, withoutCalls(this.request, turn));
    this.signal.throwIfAborted();
    this.isUnaffordable ||= dependencies.wasRefused();
    const told = answered.map(({ use }) =>
      viewUse(use, {
        step: this.steps,
        consulted: this.consulted,
        cost: use.cost + dependencies.spentOn(use.consulted),
      }),
    );
    generation.pipeline = [...generation.pipeline, ...told];
    const results = await this.read({ role: 'user', content: answered.map(resultBlock) });
    this.request = { ...this.request, messages: [...this.request.messages, turn, results] };
    return this.tellResults(answered);
  }

  /** @param answered whose call has ended. @returns the next call, or the last words where there is none */
  async next(answered: PlannedLeg): Promise<StartedCall | Batch> {
    const { step, dependencies } = this;
    this.usage = addUsage(this.usage, step.usage);
    this.hasText ||= step.hasText;
    // What else it called is the caller's to answer.
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
    this.isLast = isOver || dependencies.uses.areUsedUp;
    const begun = await dependencies.call(this.nextRequest(), answered);
    if (!begun) return this.lastWords(this.hasText ? END_TURN : PAUSE);
    this.steps++;
    this.step = this.beginStep(step.blocks);
    return begun;
  }

  /** What there is room for of what may run: all of it, or else as many as there is, in their order. */
  private async afford(
    calls: readonly ServiceCall[],
    admitted: readonly (number | ToolFailure)[],
  ): Promise<(number | ToolFailure)[]> {
    const { dependencies } = this;
    const isRun = (place: number): boolean => typeof admitted[place] === 'number';
    const paid = calls.filter(({ offered }, place) => isRun(place) && offered.tool.price > 0n);
    if (await dependencies.affords(paid)) return [...admitted];
    this.isUnaffordable = true;
    let count = 0;
    while (count < paid.length && (await dependencies.affords(paid.slice(0, count + 1)))) count++;
    // What was refused let go of the room for those before it.
    await dependencies.affords(paid.slice(0, count));
    const unaffordable = new Set(paid.slice(count));
    return calls.map((call, place) => (unaffordable.has(call) ? 'unavailable' : admitted[place]!));
  }

  private beginStep(blocks: number): StepEvents {
    return new StepEvents(this.offered, { blocks, usage: this.usage, sources: this.sources });
  }

  /**
   * Has a turn read by the content filters before anybody else reads it: a call before its tool has it, which may ask
   * somebody outside, and a result before the model.
   * @throws GatewayError for what is blocked
   */
  private async read(turn: Message): Promise<Message> {
    const { generation, request, dependencies } = this;
    if (!dependencies.inspect) return turn;
    const { request: read, stages, blocked } = await dependencies.inspect(turnAlone(request, turn));
    generation.pipeline = [...generation.pipeline, ...stages];
    if (blocked) throw blocked;
    return read.messages[0]!;
  }

  private tellResults(answered: readonly AnsweredCall[]): Batch[] {
    const { step } = this;
    const { turn } = step;
    const said = saidIn(turn);
    this.thoughts += thoughtsIn(turn);
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
        said,
        thoughts: this.thoughts,
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
   * Most uses are told by no seal: of those that are, what is surely too long is not sealed for it. What has no room
   * comes back without its text, so that the model is told of it.
   */
  private sealUse(use: SealedUse, lengthMax: number): string | undefined {
    const { sources: _sources, ...bare } = use;
    for (const told of [use, { ...bare, text: TOO_LARGE }]) {
      const sealed = told.text.length > lengthMax ? undefined : this.dependencies.seal(told);
      if (sealed !== undefined && sealed.length <= lengthMax) return sealed;
    }
    return undefined;
  }

  /** After its first call a tool is no longer forced: it would be called for ever. */
  private nextRequest(): ModelRequest {
    const { offered, dependencies } = this;
    this.request = withUsesLeft(this.request, this.tools, (tool) =>
      dependencies.uses.usedOf(typeOf(tool), tool.served && offered.get(tool.served.name)),
    );
    const { toolChoice } = this.request;
    const isForced = toolChoice?.type === 'any' || toolChoice?.type === 'tool';
    if (this.isLast) this.request = { ...this.request, toolChoice: { type: 'none' } };
    else if (isForced) this.request = { ...this.request, toolChoice: { type: 'auto' } };
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

/** Pages of a use that are sealed with it, as many as an engine brings. */
const SEALED_SOURCES_MAX = 25;

const sealedSource = ({ url, title, quote }: WebCitation): SealedSource => ({
  url,
  ...(title !== undefined && { title }),
  ...(quote !== undefined && { quote }),
});

/** What the model reads of a result a turn later that had no room in the reply. */
const TOO_LARGE = 'The result of this call was too large to be kept for later turns. Call the tool again for it.';

/** A turn without all that was read with the request. */
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

/** The calls of a turn as filters have left it: what they cut is not asked for either. */
function withArguments(calls: readonly ServiceCall[], said: Message, left: Message): readonly ServiceCall[] {
  if (left === said) return calls;
  const cut = new Map<string, Json>();
  for (const [place, block] of left.content.entries()) {
    if (block.type === 'tool-use' && block !== said.content[place]) cut.set(block.id, block.input ?? {});
  }
  return calls.map((call) => (cut.has(call.id) ? { ...call, input: cut.get(call.id) } : call));
}

/** What a tool is shown of the conversation: all up to the calls of its step. */
function withoutCalls(request: ModelRequest, { content }: Message): ModelRequest {
  const said = content.filter(({ type }) => type !== 'tool-use');
  if (said.length === 0) return request;
  return { ...request, messages: [...request.messages, { role: 'assistant', content: said }] };
}

const END_TURN: StopReason = { unified: 'end-turn', raw: null, vendor: 'anthropic' };
/** There is no room for more. */
const PAUSE: StopReason = { unified: 'pause', raw: null, vendor: 'anthropic' };

/** As the routing metadata's pipeline tells it (docs/wire/routing-metadata.md#stages). */
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

const resultBlock = ({ call, result }: AnsweredCall): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId: call.id,
  content: [{ type: 'text', text: result.text }],
  ...(result.isError && { isError: true }),
});
