import { Injectable } from '@nestjs/common';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { toAbortSignal } from '../../core/cancellation.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted, ForeseenCall, StageNote } from '../../core/plugin.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import type { AdmittedGeneration, ContextAt } from '../admitted-generation.js';
import { FurtherCalls, isLimited } from '../further-calls.js';
import { OpenUse } from '../open-use.js';
import { everShorter, shortenedStage } from '../shorten-request.js';
import type { ActivePlugin } from './active-plugins.js';
import { ConsultationRooms, foresightOf, noRoom, type ConsultationRoom, type Turn } from './consultation-rooms.js';
import { failedStage, failureOf, stageOf, tookSince } from './plugin-stages.js';

/** A generation whose plugins have made their consultations. */
export interface ConsultedGeneration {
  readonly start: AdmittedGeneration;
  /** Pages that they added: cited by the blocks of the answer that use them. */
  readonly sources: readonly WebCitation[];
  /** The use of each plugin by its id, with its purchases: its `watch` continues it. */
  readonly uses: ReadonlyMap<string, OpenUse>;
}

/** What reviews need. */
interface Reviewing {
  readonly contextAt: ContextAt;
  /** By the ids of the plugins. */
  readonly uses: ReadonlyMap<string, OpenUse>;
}

/**
 * Runs the purchases and consultations of plugins before the model is called. Room for all of them, and for what they
 * add to the prompt, is reserved before the first begins; each is charged when it is answered. Reviewing plugins run
 * first, on the caller's own content, and then judge what the others add before any model reads it.
 */
@Injectable()
export class Consultations {
  constructor(
    private readonly further: FurtherCalls,
    private readonly rooms: ConsultationRooms,
  ) {}

  /**
   * @throws GatewayError `payment-required` where there is no room for them, or for the longer prompt; the failure of a
   *   plugin that may not be skipped, or of filters that block added content
   */
  async run(start: AdmittedGeneration, contextAt: ContextAt): Promise<ConsultedGeneration> {
    const { generation, planned } = start;
    const sources: WebCitation[] = [];
    let { request } = planned;
    const turns = planned.plugins.consulting(request).map((active) => turnOf(active, start, contextAt));
    const uses = new Map(turns.map(({ active, use }) => [active.plugin.id, use]));
    const room = await this.rooms.reserve(start, turns);
    try {
      for (const turn of turns) {
        room.begin(turn);
        const before = request === planned.request ? request : await this.readable(start, turn, request);
        const consulted = await this.consult(turn, before, start, contextAt);
        room.review(turn);
        if (!consulted) continue;
        if (consulted.sources) sources.push(...consulted.sources);
        if (consulted.files) generation.files = [...generation.files, ...consulted.files];
        if (consulted.request === before) continue;
        const read = await this.inspect(start, consulted.request);
        request = consulted.isOfModels === true ? read : await this.review(start, before, read, { contextAt, uses });
      }
      if (request === planned.request) return { start, sources, uses };
      return { start: await this.admitAgain(start, request, room), sources, uses };
    } finally {
      room.release();
      // Watches use what is left.
      if (!planned.plugins.isWatching) start.admitted.keyRate?.giveBack();
    }
  }

  /** @returns undefined where it failed, and may be skipped */
  private async consult(
    { active: { plugin, options }, use }: Turn,
    request: ModelRequest,
    start: AdmittedGeneration,
    contextAt: ContextAt,
  ): Promise<Consulted | undefined> {
    const { generation, admitted, signal } = start;
    const beganAt = performance.now();
    const context = contextOf(use, request, start, contextAt);
    const before = generation.toolUses.length;
    /** Its own cost, that of the models that it consulted, and of their tools. */
    const spent = (): PicoUsd =>
      generation.toolUses
        .slice(before)
        .filter((other) => other !== use)
        .reduce(
          (sum, other) => sum + other.cost + admitted.billing.spentOn(other.consulted),
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

  /** As much of the added content as the models that the plugin requires have room for. */
  private async readable(
    start: AdmittedGeneration,
    { active: { plugin, options } }: Turn,
    added: ModelRequest,
  ): Promise<ModelRequest> {
    if (!plugin.requires) return added;
    const foresight = foresightOf(start.planned);
    for (const { request, tokens } of everShorter(added)) {
      if (!(await this.rooms.isThereRoom(start, plugin.requires(request, options, foresight, 0)))) continue;
      if (tokens !== undefined) noteShortened(start, tokens);
      return request;
    }
    return added;
  }

  /**
   * Has the added content judged, as much of it as there is room for; the rest is left out.
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
      if (!(await this.rooms.isThereRoom(start, { calls: await foreseenReviews(start, added) }))) continue;
      if (tokens !== undefined) noteShortened(start, tokens);
      for (const reviewer of reviewers) await this.judge(start, reviewer, added, reviewing);
      return request;
    }
    throw noRoom(admitted.billing);
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
      throw failureOf(plugin, error);
    }
  }

  /**
   * Reserves for the longer request of the model, and takes the rest from its key's limits. @param room the reservation
   * for that growth
   */
  private async admitAgain(
    start: AdmittedGeneration,
    request: ModelRequest,
    room: ConsultationRoom,
  ): Promise<AdmittedGeneration> {
    const { planned, admitted } = start;
    admitted.release();
    room.releaseMoney();
    let refusal: unknown;
    for (const { request: read, tokens } of everShorter(request)) {
      try {
        const next = await this.further.admitGrown(admitted, read, room.tokens);
        if (next) {
          if (tokens !== undefined) noteShortened(start, tokens);
          return { ...start, planned: { ...planned, request: read }, admitted: { ...admitted, ...next } };
        }
        refusal = noRoom(admitted.billing);
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

async function foreseenReviews({ planned }: AdmittedGeneration, added: ModelRequest): Promise<ForeseenCall[]> {
  const foresight = foresightOf(planned);
  const calls: ForeseenCall[] = [];
  for (const { plugin, options } of planned.plugins.reviewing)
    calls.push(...((await plugin.foresee?.(added, options, foresight)) ?? []));
  return calls;
}

function turnOf(active: ActivePlugin, start: AdmittedGeneration, contextAt: ContextAt): Turn {
  const { plugin, options } = active;
  const { request } = start.planned;
  const context = contextAt(request, { signal: start.signal });
  const price = plugin.price?.(request, options, context) ?? 0n;
  const growth = plugin.growth?.(request, options, context) ?? 0;
  const heldGrowth = growth > 0 ? (plugin.heldGrowth?.(request) ?? 0) : 0;
  return { active, price, growth, heldGrowth, use: openUse(plugin.id, price, start) };
}

const openUse = (type: string, reserved: PicoUsd, { generation }: AdmittedGeneration): OpenUse =>
  new OpenUse({ type, isOfPlugin: true, reserved, enter: (use) => void generation.toolUses.push(use) });

const contextOf = (
  use: OpenUse,
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
