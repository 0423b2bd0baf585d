import { Injectable } from '@nestjs/common';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { toAbortSignal } from '../../core/cancellation.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { PicoUsd } from '../../core/money/credits.js';
import { SHORTENED_LEAST, type Consulted, type StageNote } from '../../core/plugin.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { Admission } from '../admission.js';
import type { AdmittedGeneration, ContextAt } from '../admitted-generation.js';
import type { GenerationBilling } from '../generation-billing.js';
import { holdError } from '../hold-error.js';
import { OpenUse } from '../open-use.js';
import type { ActivePlugin } from './active-plugins.js';
import { failedStage, failureOf, stageOf, tookSince } from './plugin-stages.js';
import { shortened } from './shorten-request.js';

/** A generation whose plugins have consulted whom they had to. */
export interface ConsultedGeneration {
  readonly start: AdmittedGeneration;
  /** What they brought: cited by those blocks of the answer that use it. */
  readonly sources: readonly WebCitation[];
  /** What each has bought, by its id: its `watch` goes on with it. */
  readonly uses: ReadonlyMap<string, OpenUse>;
}

/** A plugin whose turn is to come. */
interface Turn {
  readonly active: ActivePlugin;
  readonly use: OpenUse;
  readonly price: PicoUsd;
  /** Tokens that it adds to the prompt at least. */
  readonly growth: number;
}

/** Tokens that remain of each text that may be shortened: the first that there is room for. Chosen. */
const SHORTENED_TO = [16_000, 4_000, SHORTENED_LEAST];

/**
 * What plugins buy and consult before the model is called. Room for all of it, and for what it adds to the prompt, is
 * reserved before the first of them begins; each is charged when it is answered. Who judges the caller's own words has
 * its turn first, and judges what the others bring before anybody reads it.
 */
@Injectable()
export class Consultations {
  constructor(private readonly admission: Admission) {}

  /**
   * @throws GatewayError `payment-required` where there is no room for them, or for what the model reads then; what a
   *   plugin throws that may not be left out, or what filters refuse of what came in
   */
  async run(start: AdmittedGeneration, contextAt: ContextAt): Promise<ConsultedGeneration> {
    const { generation, planned } = start;
    const sources: WebCitation[] = [];
    let { request } = planned;
    const turns = planned.plugins.consulting(request).map((active) => turnOf(active, start, contextAt));
    const uses = new Map(turns.map(({ active, use }) => [active.plugin.id, use]));
    const release = await this.reserve(start, turns);
    try {
      for (const turn of turns) {
        const consulted = await this.consult(turn, request, start, contextAt);
        if (!consulted) continue;
        if (consulted.sources) sources.push(...consulted.sources);
        if (consulted.files) generation.files = [...generation.files, ...consulted.files];
        if (consulted.request === request) continue;
        const read = await this.inspect(start, consulted.request);
        if (consulted.isOfModels !== true) await this.review(start, broughtIn(request, read), contextAt, uses);
        request = read;
      }
      if (request === planned.request) return { start, sources, uses };
      return { start: await this.admitAgain(start, request, release), sources, uses };
    } finally {
      release();
    }
  }

  /** @throws GatewayError `payment-required` where there is no room; what a plugin's price throws */
  private async reserve(start: AdmittedGeneration, turns: readonly Turn[]): Promise<() => void> {
    const { admitted } = start;
    const uses = turns.map(({ use }) => use);
    const price = turns.reduce((sum, turn) => sum + turn.price, 0n);
    const tokens = turns.reduce((sum, { growth }) => sum + growth, 0);
    if (price === 0n && tokens === 0) return NOTHING_RESERVED;
    const { legs } = admitted.plan;
    // As `Admission.admitNext` has room: by the dearest of its legs, else by the first alone.
    for (const some of legs.length > 1 ? [legs, legs.slice(0, 1)] : [legs]) {
      const grown = this.admission.growthOf(admitted, some, tokens);
      const release = await admitted.billing.makeRoom(roomOf(price + grown.credits, grown.byok, uses));
      if (release) return release;
    }
    throw noRoom(admitted.billing);
  }

  /** @returns undefined where it failed, and may be left out */
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
    /** By itself, by the models that it consulted, and by their tools. */
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
      // What runs on unseen is waited for by its generation.
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

  /** What came in is read by somebody next: filters read it first. */
  private async inspect({ generation, planned }: AdmittedGeneration, request: ModelRequest): Promise<ModelRequest> {
    if (!planned.inspect) return request;
    const { request: read, stages, blocked } = await planned.inspect(request);
    generation.pipeline = [...generation.pipeline, ...stages];
    if (blocked) throw blocked;
    return read;
  }

  private async review(
    start: AdmittedGeneration,
    brought: ModelRequest,
    contextAt: ContextAt,
    uses: ReadonlyMap<string, OpenUse>,
  ): Promise<void> {
    if (brought.messages.length === 0) return;
    const { generation, planned, admitted, signal } = start;
    for (const { plugin, options } of planned.plugins.reviewing) {
      const beganAt = performance.now();
      const use = uses.get(plugin.id)!;
      const before = use.consulted.length;
      const context = contextOf(use, brought, start, contextAt);
      const note = (stage: StageNote): void => {
        const figures = { ...tookSince(beganAt), cost: admitted.billing.spentOn(use.consulted.slice(before)) };
        generation.pipeline = [...generation.pipeline, stageOf(plugin, stage, figures)];
      };
      try {
        await untilAborted(plugin.review!(brought, options, context, note), toAbortSignal(signal));
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(plugin, error);
      }
    }
  }

  /** The model is called with more than what was reserved for it. @param release of what was reserved for that */
  private async admitAgain(
    start: AdmittedGeneration,
    request: ModelRequest,
    release: () => void,
  ): Promise<AdmittedGeneration> {
    const { generation, planned, admitted } = start;
    admitted.release();
    release();
    let refusal: unknown;
    for (const tokens of [Infinity, ...SHORTENED_TO]) {
      const read = tokens === Infinity ? request : shortened(request, tokens);
      try {
        const next = await this.admission.admitGrown(admitted, read);
        if (next) {
          if (tokens < Infinity) generation.pipeline = [...generation.pipeline, shortenedStage(tokens)];
          return { ...start, planned: { ...planned, request: read }, admitted: { ...admitted, ...next } };
        }
        refusal = noRoom(admitted.billing);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.kind !== 'rate-limited') throw error;
        refusal = error;
      }
    }
    throw refusal;
  }
}

function turnOf(active: ActivePlugin, start: AdmittedGeneration, contextAt: ContextAt): Turn {
  const { plugin, options } = active;
  const { request } = start.planned;
  const context = contextAt(request, { signal: start.signal });
  const price = plugin.price?.(request, options, context) ?? 0n;
  const growth = plugin.growth?.(request, options, context) ?? 0;
  return { active, price, growth, use: openUse(plugin.id, price, start) };
}

const openUse = (type: string, reserved: PicoUsd, { generation }: AdmittedGeneration): OpenUse =>
  new OpenUse({ type, isOfPlugin: true, reserved, enter: (use) => void generation.toolUses.push(use) });

const contextOf = (
  use: OpenUse,
  request: ModelRequest,
  { signal }: AdmittedGeneration,
  contextAt: ContextAt,
): ExtensionContext => contextAt(request, { signal, use, consulted: (run) => use.consulted.push(run) });

/** What has been charged is no longer to come. */
const roomOf = (credits: PicoUsd, byok: PicoUsd, uses: readonly OpenUse[]): HeldAmounts => ({
  byok,
  get credits() {
    return uses.reduce((rest, { cost }) => rest - cost, credits);
  },
});

/** The blocks of a request that it did not have before. */
function broughtIn(before: ModelRequest, after: ModelRequest): ModelRequest {
  const known = new Set<ContentBlock>(before.messages.flatMap(({ content }) => content));
  const messages = after.messages
    .map((message) => ({ ...message, content: message.content.filter((block) => !known.has(block)) }))
    .filter(({ content }) => content.length > 0);
  return { ...after, system: [], messages, tools: [] };
}

const shortenedStage = (tokens: number): JsonObject => ({
  type: 'context_compression',
  name: 'purchases',
  summary: 'shortened',
  data: { tokens },
  cost_usd: 0,
});

const NOTHING_RESERVED = (): void => undefined;
/** By the counters that have no room, where they are known. */
const noRoom = ({ refusing }: GenerationBilling): GatewayError =>
  refusing.length > 0
    ? holdError(refusing)
    : new GatewayError(
        'payment-required',
        'Credits or limits do not cover what this request would cost with its plugins.',
      );
