import { Cancellation, toAbortSignal } from '../../core/cancellation.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ConsultationKind } from '../../core/conversation/usage.js';
import type { Tool } from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext, PlannedCall } from '../../core/extension.js';
import { CutShort } from '../../core/generation/ending.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber } from '../../core/money/credits.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { consultedRequest } from '../../tools/consulted-request.js';
import type { Panel, PanelModel } from './panel.js';

/** Of one answer, in tokens, reasoning included: as the service has it (`@openrouter/sdk` 1.3, maxCompletionTokens). */
const OUTPUT_TOKENS_MAX = 16_000;
/** Of one answer, in characters: as long as so many tokens are in prose. What is longer loses its end. */
export const ANSWER_CHARACTERS_MAX = 64_000;
/** Of one model, its tools among it, in milliseconds. Chosen: the panel is side by side, the judge waits for it. */
export const MODEL_MS_MAX = 240_000;

/** Why a model of the panel, or the judge, is left out. */
export type Omission = GatewayError['kind'] | 'empty' | 'refused';

/** What a model that was asked came to. */
export interface Consultation {
  readonly name: string;
  /** Absent: it is left out. */
  readonly text?: string;
  /** The text lacks its end. */
  readonly isCut: boolean;
  /** Why it is left out. */
  readonly error?: GatewayError;
  readonly omission?: Omission;
  /** As the pipeline tells it. */
  readonly told: JsonObject;
}

/** What a model is asked. */
export interface Question extends Pick<
  ModelRequest,
  'system' | 'messages' | 'outputFormat' | 'contextManagement' | 'parsedFiles'
> {
  readonly kind: ConsultationKind;
}

/** A model of the panel, or the judge, that is planned: nothing is held for it or sent yet. */
export class ConsultedModel {
  private readonly abort = new Cancellation();
  private call: PlannedCall | undefined;
  private unplanned: GatewayError | undefined;
  private tools: readonly Tool[] = [];

  private constructor(
    private readonly context: ExtensionContext,
    private readonly asked: PanelModel,
  ) {}

  /** @throws GatewayError `invalid-request` naming what the tools lack that were asked for */
  static async plan(
    context: ExtensionContext,
    panel: Panel,
    asked: PanelModel,
    question: Question,
  ): Promise<ConsultedModel> {
    const model = new ConsultedModel(context, asked);
    const options = { signal: model.abort.signal, toolUsesMax: panel.toolUsesMax };
    for (const request of requestsFor(context.request, panel, asked, question)) {
      try {
        model.call = await context.plan(request, question.kind, options);
        model.tools = request.tools;
        return model;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (error.kind === 'invalid-request' && (!panel.isToolsDefault || request.tools.length === 0)) throw error;
        if (error.kind === 'invalid-request') continue;
        model.unplanned = error;
        return model;
      }
    }
    return model;
  }

  /** Asks it. @throws the signal's reason, or a fault of ours: whatever else goes wrong leaves it out */
  async ask(): Promise<Consultation> {
    const { context, abort } = this;
    const beganAt = performance.now();
    const end = (): void => abort.abort(context.signal.reason);
    context.signal.throwIfAborted();
    context.signal.addEventListener('abort', end, { once: true });
    const deadline = setTimeout(() => abort.abort(outOfTime()), MODEL_MS_MAX);
    try {
      if (!this.call) throw this.unplanned!;
      const answer = await untilAborted(readAnswer(this.call), toAbortSignal(abort.signal));
      // It is kept until the generation is over: the answer is made of it.
      if (!context.keep(answer.text.length)) return this.without('overloaded', beganAt);
      if (answer.omission) return this.without(answer.omission, beganAt);
      return this.consultation(beganAt, answer);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof GatewayError)) throw error;
      return this.without(error.kind, beganAt, error);
    } finally {
      clearTimeout(deadline);
      context.signal.removeEventListener('abort', end);
    }
  }

  /** Nobody needs it any more: what it has under way ends. */
  end(reason: Error): void {
    this.abort.abort(reason);
  }

  private without(omission: Omission, beganAt: number, error?: GatewayError): Consultation {
    return this.consultation(beganAt, { omission, ...(error && { error }), isCut: false });
  }

  private consultation(beganAt: number, came: Omit<Consultation, 'name' | 'told'>): Consultation {
    const { asked, tools, call } = this;
    const name = asked.model?.id ?? asked.name;
    return {
      ...came,
      name,
      told: {
        model: name,
        outcome: came.omission ? 'left out' : 'answered',
        ...(came.omission && { reason: came.omission }),
        ...(came.isCut && { cut: true }),
        tools: tools.flatMap((tool) => (tool.type === 'service' ? tool.id : [])),
        milliseconds: Math.round(performance.now() - beganAt),
        cost_usd: usdNumber(call?.cost ?? 0n),
      },
    };
  }
}

/**
 * What a model is asked, the first that can be planned: default tools that it cannot have it does without. It carries
 * the depth, and nothing of what the caller said for the answer alone.
 */
export function requestsFor(
  request: ModelRequest,
  { tools, isToolsDefault }: Panel,
  asked: PanelModel,
  { kind: _kind, ...question }: Question,
): readonly ModelRequest[] {
  const consulted = consultedRequest(request, {
    model: asked.name,
    // Whoever is left in the midst of a stream bills what it said.
    stream: true,
    maxOutputTokens: outputOf(asked),
    tools,
    fusionDepth: (request.fusionDepth ?? 0) + 1,
    ...(asked.fallbacks.length > 0 && { fallbackModels: { models: asked.fallbacks, onRefusal: false } }),
    ...question,
  });
  if (!isToolsDefault) return [consulted];
  return [...tools.keys(), tools.length].map((place) => ({ ...consulted, tools: tools.slice(place) }));
}

/** At most a quarter of its context: the rest is for what it reads. */
function outputOf({ model }: PanelModel): number {
  if (!model) return OUTPUT_TOKENS_MAX;
  const limits = model.endpoints.map(({ maxCompletionTokens, contextLength }) =>
    Math.min(maxCompletionTokens ?? model.maxCompletionTokens ?? Infinity, Math.floor(contextLength / 4)),
  );
  return Math.max(1, Math.min(OUTPUT_TOKENS_MAX, Math.max(...limits)));
}

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The model took longer than it may.');

type Answer = Pick<Consultation, 'omission' | 'isCut'> & { readonly text: string };

/** What a model says behind what its tools brought, as far as there is room for it. */
async function readAnswer(call: PlannedCall): Promise<Answer> {
  const reader = new AnswerReader();
  for await (const batch of await call.start()) for (const event of batch) reader.read(event);
  return reader.answer;
}

class AnswerReader {
  private text = '';
  private isText = false;
  private isCut = false;
  private hasNoRoom = false;
  private isRefusal = false;

  read(event: ModelEvent): void {
    switch (event.type) {
      case 'block-start':
        this.isText = event.block.type === 'text';
        if (event.block.type === 'service-tool-result') this.begin('');
        else if (this.isText && this.text !== '') this.add('\n\n');
        return;
      case 'block-delta':
        if (this.isText && event.delta.type === 'text') this.add(event.delta.text);
        return;
      case 'reply-end':
        this.isCut ||= event.stop.unified === 'output-limit' || event.stop.unified === 'context-limit';
        this.isRefusal = event.stop.unified === 'refusal' || event.stop.unified === 'content-filter';
        this.hasNoRoom = event.stop.unified === 'pause';
        return;
      case 'reply-start':
      case 'block-end':
      case 'usage':
      case 'ping':
    }
  }

  get answer(): Answer {
    const text = this.text.trim();
    const omission = this.isRefusal
      ? 'refused'
      : text !== ''
        ? undefined
        : this.hasNoRoom
          ? 'payment-required'
          : 'empty';
    return { text, isCut: this.isCut, ...(omission && { omission }) };
  }

  private begin(text: string): void {
    this.text = text;
    this.isCut = false;
  }

  private add(text: string): void {
    const room = ANSWER_CHARACTERS_MAX - this.text.length;
    if (text.length > room) this.isCut = true;
    if (room > 0) this.text += text.slice(0, room);
  }
}
