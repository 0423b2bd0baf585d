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
import { untilAborted } from '../../shared/http/client/until-aborted.js';
import { consultedRequest } from '../../tools/consulted-request.js';
import type { Panel, PanelModel } from './panel.js';

/**
 * Tokens of one answer, reasoning included. The service has the same default (`@openrouter/sdk` 1.3,
 * maxCompletionTokens).
 */
const OUTPUT_TOKENS_MAX = 16_000;
/** Characters of one answer: about the length of so many tokens of prose. A longer answer loses its end. */
export const ANSWER_CHARACTERS_MAX = 64_000;
/**
 * Time limit of one model with its tools, in milliseconds. Chosen: the panel runs in parallel, and the judge waits for
 * it.
 */
export const MODEL_MS_MAX = 240_000;

/** Why a model of the panel, or the judge, is left out. */
export type Omission = GatewayError['kind'] | 'empty' | 'refused';

/** The outcome of a consulted model. */
export interface Consultation {
  readonly name: string;
  /** Absent where the model is left out. */
  readonly text?: string;
  /** The end of the text is missing. */
  readonly isCut: boolean;
  /** Why it is left out. */
  readonly error?: GatewayError;
  readonly omission?: Omission;
  /** Whether calls or tools of the model have cost something. */
  readonly isCharged: boolean;
  /** Entry of the model in `router_metadata.pipeline`. */
  readonly report: JsonObject;
}

/** Input of a consulted model. */
export interface Question extends Pick<
  ModelRequest,
  'system' | 'messages' | 'outputFormat' | 'contextManagement' | 'parsedFiles'
> {
  readonly kind: ConsultationKind;
}

/** A planned call of a panel model or of the judge. Nothing is reserved or sent yet. */
export class ConsultedModel {
  private readonly abort = new Cancellation();
  private call: PlannedCall | undefined;
  private unplanned: GatewayError | undefined;
  private tools: readonly Tool[] = [];

  private constructor(
    private readonly context: ExtensionContext,
    private readonly panelModel: PanelModel,
  ) {}

  /** @throws GatewayError `invalid-request` naming what the requested tools lack */
  static async plan(
    context: ExtensionContext,
    panel: Panel,
    panelModel: PanelModel,
    question: Question,
  ): Promise<ConsultedModel> {
    const model = new ConsultedModel(context, panelModel);
    const options = { signal: model.abort.signal, toolUsesMax: panel.toolUsesMax };
    for (const request of requestsFor(context.request, panel, panelModel, question)) {
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

  /** Calls the model. @throws the signal's reason, or a fault of the gateway; any other failure leaves the model out */
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
      // Kept until the generation ends: the final answer is made from it.
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

  /** Aborts what the model has under way. */
  end(reason: Error): void {
    this.abort.abort(reason);
  }

  private without(omission: Omission, beganAt: number, error?: GatewayError): Consultation {
    return this.consultation(beganAt, { omission, ...(error && { error }), isCut: false });
  }

  private consultation(beganAt: number, came: Omit<Consultation, 'name' | 'report' | 'isCharged'>): Consultation {
    const { panelModel, tools, call } = this;
    const name = panelModel.model?.id ?? panelModel.name;
    const cost = call?.cost ?? 0n;
    return {
      ...came,
      name,
      isCharged: cost > 0n,
      report: {
        model: name,
        outcome: came.omission ? 'left out' : 'answered',
        ...(came.omission && { reason: came.omission }),
        ...(came.isCut && { cut: true }),
        tools: tools.flatMap((tool) => (tool.type === 'service' ? tool.id : [])),
        milliseconds: Math.round(performance.now() - beganAt),
        cost_usd: usdNumber(cost),
      },
    };
  }
}

/**
 * The requests for one model, of which the first that can be planned is sent: default tools are dropped one by one
 * until the model can have the rest. They carry the depth, and no option that the caller set for the final answer only.
 */
export function requestsFor(
  request: ModelRequest,
  { tools, isToolsDefault }: Panel,
  panelModel: PanelModel,
  { kind: _kind, ...question }: Question,
): readonly ModelRequest[] {
  const consulted = consultedRequest(request, {
    model: panelModel.name,
    // A provider bills only the streamed part when a stream is aborted.
    stream: true,
    maxOutputTokens: outputOf(panelModel),
    tools,
    fusionDepth: (request.fusionDepth ?? 0) + 1,
    ...(panelModel.fallbacks.length > 0 && { fallbackModels: { models: panelModel.fallbacks, onRefusal: false } }),
    ...question,
  });
  if (!isToolsDefault) return [consulted];
  return [...tools.keys(), tools.length].map((index) => ({ ...consulted, tools: tools.slice(index) }));
}

/** Output limit: at most a quarter of the context, because the rest is for the input. */
function outputOf({ model }: PanelModel): number {
  if (!model) return OUTPUT_TOKENS_MAX;
  const limits = model.endpoints.map(({ maxCompletionTokens, contextLength }) =>
    Math.min(maxCompletionTokens ?? model.maxCompletionTokens ?? Infinity, Math.floor(contextLength / 4)),
  );
  return Math.max(1, Math.min(OUTPUT_TOKENS_MAX, Math.max(...limits)));
}

const outOfTime = (): CutShort => new CutShort('deadline', 'timed-out', 'The model exceeded its time limit.');

type Answer = Pick<Consultation, 'omission' | 'isCut'> & { readonly text: string };

/** The text of the model after its tool calls, else before them, as far as it fits. */
async function readAnswer(call: PlannedCall): Promise<Answer> {
  const reader = new AnswerReader();
  for await (const batch of await call.start()) for (const event of batch) reader.read(event);
  return reader.answer;
}

class AnswerReader {
  private text = '';
  /** The text before the latest tool results: the whole answer where no text follows them. */
  private before = '';
  private isText = false;
  private isCut = false;
  private hasNoRoom = false;
  private isRefusal = false;

  read(event: ModelEvent): void {
    switch (event.type) {
      case 'block-start':
        this.isText = event.block.type === 'text';
        if (event.block.type === 'service-tool-result') this.beginAnew();
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
    const text = this.text.trim() || this.before;
    const omission = this.isRefusal
      ? 'refused'
      : text !== ''
        ? undefined
        : this.hasNoRoom
          ? 'payment-required'
          : 'empty';
    return { text, isCut: this.isCut, ...(omission && { omission }) };
  }

  private beginAnew(): void {
    this.before = this.text.trim() || this.before;
    this.text = '';
    this.isCut = false;
  }

  private add(text: string): void {
    const room = ANSWER_CHARACTERS_MAX - this.text.length;
    if (text.length > room) this.isCut = true;
    if (room > 0) this.text += text.slice(0, room);
  }
}
