import { Injectable } from '@nestjs/common';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { toAbortSignal } from '../../core/cancellation.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted, PlannedConsultation, StageNote } from '../../core/plugin.js';
import { untilAborted } from '../../shared/http/client/until-aborted.js';
import type { AdmittedGeneration, ContextAt } from '../billing/admitted-generation.js';
import { FurtherCalls, isLimited } from '../further-calls.js';
import { ChargedToolUse } from '../billing/charged-tool-use.js';
import { everShorter, shortenedStage } from '../shorten-request.js';
import type { ActivePlugin } from './active-plugins.js';
import {
  ConsultationReservations,
  planningContextOf,
  noBudgetLeft,
  type ConsultationReservation,
  type PluginConsultation,
} from './consultation-reservations.js';
import { failedStage, errorOfPlugin, stageOf, tookSince } from './plugin-stages.js';

/** A generation whose plugins have made their consultations. */
export interface ConsultedGeneration {
  readonly start: AdmittedGeneration;
  /** Pages that they added: cited by the blocks of the answer that use them. */
  readonly sources: readonly WebCitation[];
  /** The use of each plugin by its id, with its purchases: its `watch` continues it. */
  readonly uses: ReadonlyMap<string, ChargedToolUse>;
}

/** The dependencies of reviews. */
interface Reviewing {
  readonly contextAt: ContextAt;
  /** The uses, by the ids of their plugins. */
  readonly uses: ReadonlyMap<string, ChargedToolUse>;
}

/**
 * Runs the purchases and consultations of plugins before the model is called. Money for all of them, and for what they
 * add to the prompt, is reserved before the first begins; each is charged when it is answered. Reviewing plugins run
 * first, on the caller's own content, and then judge what the others add before any model reads it.
 */
@Injectable()
export class Consultations {
  constructor(
    private readonly further: FurtherCalls,
    private readonly reservations: ConsultationReservations,
  ) {}

  /**
   * @throws GatewayError `payment-required` where there is no capacity for them, or for the longer prompt; the failure
   * of a plugin that may not be skipped, or of filters that block added content
   */
  async run(start: AdmittedGeneration, contextAt: ContextAt): Promise<ConsultedGeneration> {
    const { generation, planned } = start;
    const sources: WebCitation[] = [];
    let { request } = planned;
    const consultations = planned.plugins.consulting(request).map((active) => consultationOf(active, start, contextAt));
    const uses = new Map(consultations.map(({ active, use }) => [active.plugin.id, use]));
    const reservation = await this.reservations.reserve(start, consultations);
    try {
      for (const consultation of consultations) {
        reservation.begin(consultation);
        const before = request === planned.request ? request : await this.readable(start, consultation, request);
        const consulted = await this.consult(consultation, before, start, contextAt);
        reservation.review(consultation);
        if (!consulted) continue;
        if (consulted.sources) sources.push(...consulted.sources);
        if (consulted.files) generation.files = [...generation.files, ...consulted.files];
        if (consulted.request === before) continue;
        const read = await this.inspect(start, consulted.request);
        request = consulted.isOfModels === true ? read : await this.review(start, before, read, { contextAt, uses });
      }
      if (request === planned.request) return { start, sources, uses };
      return { start: await this.admitAgain(start, request, reservation), sources, uses };
    } finally {
      reservation.release();
      // Watches use what is left.
      if (!planned.plugins.isWatching) start.admitted.keyRate?.giveBack();
    }
  }

  /** @returns undefined where it failed, and may be skipped */
  private async consult(
    { active: { plugin, options }, use }: PluginConsultation,
    request: ModelRequest,
    start: AdmittedGeneration,
    contextAt: ContextAt,
  ): Promise<Consulted | undefined> {
    const { generation, admitted, signal } = start;
    const beganAt = performance.now();
    const context = contextOf(use, request, start, contextAt);
    const before = generation.toolUses.length;
    /** Cost of the plugin itself, of the models that it consulted, and of their tools. */
    const spent = (): PicoUsd =>
      generation.toolUses
        .slice(before)
        .filter((earlier) => earlier !== use)
        .reduce(
          (sum, earlier) => sum + earlier.cost + admitted.billing.spentOn(earlier.consulted),
          use.cost + admitted.billing.spentOn(use.consulted),
        );
    const note = (stage: StageNote): void => {
      generation.pipeline = [...generation.pipeline, stageOf(plugin, stage, { ...tookSince(beganAt), cost: spent() })];
    };
    try {
      signal.throwIfAborted();
      // A consultation that continues after the abort is awaited by its generation.
      const consulting = plugin.consult!(request, options, context, note);
      const consulted = await untilAborted(consulting, toAbortSignal(signal));
      use.end(false);
      if (consulted.note) note(consulted.note);
      return consulted;
    } catch (error) {
      use.end(true);
      const figures = { ...tookSince(beganAt), cost: spent() };
      generation.pipeline = [...generation.pipeline, failedStage(plugin, error, signal, figures)];
      return undefined;
    }
  }

  /** Added content is filtered before any model or plugin reads it. */
  private async inspect({ generation, planned }: AdmittedGeneration, request: ModelRequest): Promise<ModelRequest> {
    if (!planned.inspect) return request;
    const { request: read, stages, blocked } = await planned.inspect(request);
    generation.pipeline = [...generation.pipeline, ...stages];
    if (blocked) throw blocked;
    return read;
  }

  /** Shortens the added content to what the models that the plugin requires can read. */
  private async readable(
    start: AdmittedGeneration,
    { active: { plugin, options } }: PluginConsultation,
    added: ModelRequest,
  ): Promise<ModelRequest> {
    if (!plugin.requires) return added;
    const planningContext = planningContextOf(start.planned);
    for (const { request, tokens } of everShorter(added)) {
      if (!(await this.reservations.canReserve(start, plugin.requires(request, options, planningContext, 0)))) continue;
      if (tokens !== undefined) noteShortened(start, tokens);
      return request;
    }
    return added;
  }

  /**
   * Lets the added content be judged. The part that exceeds a reviewer's limit is left out.
   * @returns the request with the judged content
   */
  private async review(
    start: AdmittedGeneration,
    before: ModelRequest,
    after: ModelRequest,
    reviewing: Reviewing,
  ): Promise<ModelRequest> {
    const { planned, admitted } = start;
    const { reviewing: reviewers } = planned.plugins;
    if (reviewers.length === 0) return after;
    const known = new Set(before.messages.flatMap(({ content }) => content));
    for (const { request, tokens } of everShorter(after, known)) {
      const added = withoutBlocks(request, known);
      if (added.messages.length === 0) return request;
      if (!(await this.reservations.canReserve(start, { calls: await plannedReviews(start, added) }))) continue;
      if (tokens !== undefined) noteShortened(start, tokens);
      for (const reviewer of reviewers) await this.judge(start, reviewer, added, reviewing);
      return request;
    }
    throw noBudgetLeft(admitted.billing);
  }

  private async judge(
    start: AdmittedGeneration,
    { plugin, options }: ActivePlugin,
    added: ModelRequest,
    { contextAt, uses }: Reviewing,
  ): Promise<void> {
    const { generation, admitted, signal } = start;
    const beganAt = performance.now();
    const use = uses.get(plugin.id)!;
    const before = use.consulted.length;
    const context = contextOf(use, added, start, contextAt);
    const note = (stage: StageNote): void => {
      const figures = { ...tookSince(beganAt), cost: admitted.billing.spentOn(use.consulted.slice(before)) };
      generation.pipeline = [...generation.pipeline, stageOf(plugin, stage, figures)];
    };
    try {
      await untilAborted(plugin.review!(added, options, context, note), toAbortSignal(signal));
    } catch (error) {
      signal.throwIfAborted();
      throw errorOfPlugin(plugin, error);
    }
  }

  /**
   * Reserves for the longer request of the model, and takes the rest from its key's limits. @param reservation the
   * reservation for that growth
   */
  private async admitAgain(
    start: AdmittedGeneration,
    request: ModelRequest,
    reservation: ConsultationReservation,
  ): Promise<AdmittedGeneration> {
    const { planned, admitted } = start;
    admitted.release();
    reservation.releaseMoney();
    let refusal: unknown;
    for (const { request: read, tokens } of everShorter(request)) {
      try {
        const next = await this.further.admitLongerPrompt(admitted, read, reservation.tokens);
        if (next) {
          if (tokens !== undefined) noteShortened(start, tokens);
          return { ...start, planned: { ...planned, request: read }, admitted: { ...admitted, ...next } };
        }
        refusal = noBudgetLeft(admitted.billing);
      } catch (error) {
        if (!isLimited(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }
}

function noteShortened({ generation }: AdmittedGeneration, tokens: number): void {
  generation.pipeline = [...generation.pipeline, shortenedStage(tokens)];
}

async function plannedReviews({ planned }: AdmittedGeneration, added: ModelRequest): Promise<PlannedConsultation[]> {
  const planningContext = planningContextOf(planned);
  const calls: PlannedConsultation[] = [];
  for (const { plugin, options } of planned.plugins.reviewing)
    calls.push(...((await plugin.planConsultations?.(added, options, planningContext)) ?? []));
  return calls;
}

function consultationOf(active: ActivePlugin, start: AdmittedGeneration, contextAt: ContextAt): PluginConsultation {
  const { plugin, options } = active;
  const { request } = start.planned;
  const context = contextAt(request, { signal: start.signal });
  const price = plugin.price?.(request, options, context) ?? 0n;
  const addedTokens = plugin.addedTokens?.(request, options, context) ?? 0;
  const heldTokens = addedTokens > 0 ? (plugin.heldTokens?.(request) ?? 0) : 0;
  return { active, price, addedTokens, heldTokens, use: openUse(plugin.id, price, start) };
}

const openUse = (type: string, reserved: PicoUsd, { generation }: AdmittedGeneration): ChargedToolUse =>
  new ChargedToolUse({ type, isOfPlugin: true, reserved, enter: (use) => void generation.toolUses.push(use) });

const contextOf = (
  use: ChargedToolUse,
  request: ModelRequest,
  { signal }: AdmittedGeneration,
  contextAt: ContextAt,
): ExtensionContext => contextAt(request, { signal, use, consulted: (run) => use.consulted.push(run) });

/** The added content alone. */
function withoutBlocks(request: ModelRequest, known: ReadonlySet<ContentBlock>): ModelRequest {
  const messages = request.messages
    .map((message) => ({ ...message, content: message.content.filter((block) => !known.has(block)) }))
    .filter(({ content }) => content.length > 0);
  return { ...request, system: [], messages, tools: [] };
}
