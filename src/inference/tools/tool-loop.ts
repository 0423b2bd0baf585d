import type { CancelSignal } from '../../core/cancellation.js';
import type { Message, ToolResultBlock } from '../../core/conversation/content.js';
import type { ModelEvent, StopReason } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import { usdNumber } from '../../core/money/credits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { StartedCall } from '../../routing/plan-runner.js';
import type { Inspection } from '../../guardrails/inspector.js';
import { CitedSources } from './cited-sources.js';
import type { OfferedTools } from './offered-tools.js';
import type { SealedUse } from './recall-turns.js';
import { StepEvents } from './step-events.js';
import { isLoopOver } from './stop-conditions.js';
import type { AnsweredCall, ToolUses } from './tool-uses.js';

type Batch = readonly ModelEvent[];

/** What a loop has done for it by whoever knows money, routes and policies. */
export interface LoopDependencies {
  readonly uses: ToolUses;
  /** Content filters, over what tools bring in and are asked. */
  inspect(request: ModelRequest): Inspection | Promise<Inspection>;
  /** Has room for the uses of a step at their dearest. */
  affords(calls: StepEvents['calls']): Promise<boolean>;
  /** The next call, beginning with the leg that answered; undefined: there is no room for it. */
  call(request: ModelRequest, answered: PlannedLeg): Promise<StartedCall | undefined>;
  /** What has been spent so far. */
  spent(): bigint;
  seal(value: JsonObject): string;
}

/**
 * The loop of one generation with tools that this gateway runs: each step is a call of the model and the uses of tools
 * that it asks for, until none is left, a condition is met, or there is no room for more. To the caller all of it is
 * one reply (docs/wire/tools-and-plugins.md#the-loop).
 */
export class ToolLoop {
  private step: StepEvents;
  private steps = 1;
  private usage: Usage = NO_USAGE;
  private sources: CitedSources | undefined;
  /** With the turns that the steps have added. */
  private request: ModelRequest;
  /** Its model is asked for the last time, without tools. */
  private isLast = false;
  private isUnaffordable = false;

  constructor(
    private readonly generation: Generation,
    request: ModelRequest,
    private readonly offered: OfferedTools,
    private readonly signal: CancelSignal,
    private readonly dependencies: LoopDependencies,
  ) {
    this.request = request;
    this.step = this.beginStep(0);
  }

  /** @returns what of a batch of the call under way the caller is told; empty: nothing yet */
  tell(batch: Batch): Batch {
    return this.step.tell(batch);
  }

  /** Whether the call that has ended asked for tools of the gateway's. */
  get goesOn(): boolean {
    return this.step.calls.length > 0;
  }

  /** Runs the tools that the call asked for. @returns their results, as the caller is told them */
  async runTools(): Promise<Batch> {
    const { step, dependencies } = this;
    const { uses } = dependencies;
    let answered: AnsweredCall[];
    if (this.isLast) answered = uses.refuse(step.calls, 'max_uses_exceeded');
    else if (await dependencies.affords(step.calls)) answered = await uses.run(step.calls, this.request);
    else {
      this.isUnaffordable = true;
      answered = uses.refuse(step.calls, 'unavailable');
    }
    this.signal.throwIfAborted();
    await this.takeIn(answered);
    return this.tellResults(answered);
  }

  /** @returns the next call, or the last words where there is none */
  async next(): Promise<StartedCall | Batch> {
    const { generation, step, dependencies } = this;
    this.usage = addUsage(this.usage, step.usage);
    // What else it called is the caller's to answer.
    if (step.callersTools.length > 0) return this.lastWords(step.stop!);
    if (this.isLast) return this.lastWords(END_TURN);
    if (this.isUnaffordable) return this.lastWords(step.hasText ? END_TURN : PAUSE);
    this.isLast = isLoopOver(
      {
        steps: this.steps,
        called: new Set(step.calls.flatMap(({ offered: { type, name } }) => [type, name])),
        stop: step.stop!,
        usage: this.usage,
        spent: dependencies.spent(),
      },
      this.request.stopServerToolsWhen ?? [],
    );
    const begun = await dependencies.call(this.nextRequest(), generation.answer!.leg);
    if (!begun) return this.lastWords(step.hasText ? END_TURN : PAUSE);
    this.steps++;
    this.step = this.beginStep(step.blocks);
    return begun;
  }

  private beginStep(blocks: number): StepEvents {
    return new StepEvents(this.offered, { blocks, usage: this.usage, sources: this.sources });
  }

  /** What a tool brought is read by the model next: filters read it first. */
  private async takeIn(answered: readonly AnsweredCall[]): Promise<void> {
    const { generation, step, request } = this;
    const added: Message[] = [step.turn, { role: 'user', content: answered.map(resultBlock) }];
    const inspecting = this.dependencies.inspect({ ...request, system: [], tools: [], messages: added });
    const { request: read, stages, blocked } = inspecting instanceof Promise ? await inspecting : inspecting;
    const uses = answered.flatMap(({ use }) => (use ? [viewUse(use, this.steps)] : []));
    generation.pipeline = [...generation.pipeline, ...uses, ...stages];
    if (blocked) throw blocked;
    this.request = { ...request, messages: [...request.messages, ...read.messages] };
  }

  private tellResults(answered: readonly AnsweredCall[]): Batch {
    const { step } = this;
    const told: ModelEvent[] = [];
    for (const { call, input, result } of answered) {
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
      };
      const seal = this.dependencies.seal(use);
      const { resultType: type } = offered.service;
      const index = step.blocks++;
      const block = {
        type: 'service-tool-result',
        result: { type, toolUseId: id, content: result.content, ...(result.image && { image: result.image }), seal },
      } as const;
      told.push({ type: 'block-start', index, block }, { type: 'block-end', index });
    }
    return told;
  }

  /** After its first call a tool is no longer forced: it would be called for ever. */
  private nextRequest(): ModelRequest {
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

const END_TURN: StopReason = { unified: 'end-turn', raw: null, vendor: 'anthropic' };
/** There is no room for more. */
const PAUSE: StopReason = { unified: 'pause', raw: null, vendor: 'anthropic' };

/** As the routing metadata's pipeline tells it (docs/wire/routing-metadata.md#stages). */
const viewUse = ({ type, milliseconds, isError, cost }: ToolUseRecord, step: number): JsonObject => ({
  type: 'server_tools',
  name: type,
  summary: isError ? 'failed' : 'completed',
  data: { step, milliseconds: Math.round(milliseconds) },
  cost_usd: usdNumber(cost),
});

const resultBlock = ({ call, result }: AnsweredCall): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId: call.id,
  content: [{ type: 'text', text: result.text }],
  ...(result.isError && { isError: true }),
});
