import { Injectable } from '@nestjs/common';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { toAbortSignal } from '../../core/cancellation.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted, StageNote } from '../../core/plugin.js';
import { untilAborted } from '../../shared/http/until-aborted.js';
import { Admission } from '../admission.js';
import type { AdmittedGeneration, ContextAt } from '../admitted-generation.js';
import type { ActivePlugin } from './active-plugins.js';
import { failedStage, stageOf, tookSince } from './plugin-stages.js';

/** A generation whose plugins have asked what they had to ask. */
export interface ConsultedGeneration {
  readonly start: AdmittedGeneration;
  /** What they brought: cited by those blocks of the answer that use it. */
  readonly sources: readonly WebCitation[];
}

/** What plugins ask of others before the model is asked: paid for out of the hold, and told in the pipeline. */
@Injectable()
export class Consultations {
  constructor(private readonly admission: Admission) {}

  /**
   * @throws GatewayError `payment-required` where there is no room for one of them, or for what the model is asked
   *   then; what a plugin throws that may not be left out, or what filters refuse of what came in
   */
  async run(start: AdmittedGeneration, contextAt: ContextAt): Promise<ConsultedGeneration> {
    const { generation, planned } = start;
    const sources: WebCitation[] = [];
    let { request } = planned;
    for (const one of planned.plugins.consulting(request)) {
      const consulted = await this.consult(one, request, start, contextAt);
      if (!consulted) continue;
      request = consulted.request;
      if (consulted.sources) sources.push(...consulted.sources);
      if (consulted.files) generation.files = [...generation.files, ...consulted.files];
    }
    if (request === planned.request) return { start, sources };
    // What came in is read by the model next: filters read it first.
    if (!planned.inspect) return { start: await this.admitAgain(start, request), sources };
    const { request: read, stages, blocked } = await planned.inspect(request);
    generation.pipeline = [...generation.pipeline, ...stages];
    if (blocked) throw blocked;
    return { start: await this.admitAgain(start, read), sources };
  }

  /** @returns undefined where it failed, and may be left out */
  private async consult(
    { plugin, options }: ActivePlugin,
    request: ModelRequest,
    { generation, admitted, signal }: AdmittedGeneration,
    contextAt: ContextAt,
  ): Promise<Consulted | undefined> {
    const beganAt = performance.now();
    const runs: ModelRun[] = [];
    const context = contextAt(request, { signal, consulted: (run) => runs.push(run) });
    const before = generation.toolUses.length;
    /** By the models that it asked, and by what they asked of tools. */
    const spent = (): PicoUsd =>
      generation.toolUses
        .slice(before)
        .reduce((sum, use) => sum + use.cost + admitted.billing.spentOn(use.consulted), admitted.billing.spentOn(runs));
    const tell = (note: StageNote, cost = spent()): void => {
      generation.pipeline = [...generation.pipeline, stageOf(plugin, note, { ...tookSince(beganAt), cost })];
    };
    let release: (() => void) | undefined;
    try {
      const price = plugin.price?.(request, options, context) ?? 0n;
      // Beside the room of the answer: nobody is asked for money where there would be none for the answer behind it.
      release = price > 0n ? await admitted.billing.makeRoom({ credits: price, byok: 0n }) : NO_ROOM_NEEDED;
      if (!release) throw noRoom();
      signal.throwIfAborted();
      // What runs on unseen is waited for by its generation.
      const consulting = plugin.consult!(request, options, context, tell);
      const consulted = await untilAborted(consulting, toAbortSignal(signal));
      const { note, web } = consulted;
      const own = smaller(consulted.cost ?? 0n, price);
      const cost = own + spent();
      if (own > 0n || web) {
        const milliseconds = performance.now() - beganAt;
        const use = { type: plugin.id, isOfPlugin: true, milliseconds, isError: false, cost: own, consulted: runs };
        generation.toolUses.push({ ...use, ...(web && { web }) });
      }
      if (note) tell(note, cost);
      return consulted;
    } catch (error) {
      const figures = { ...tookSince(beganAt), cost: spent() };
      generation.pipeline = [...generation.pipeline, failedStage(plugin, error, signal, figures)];
      return undefined;
    } finally {
      release?.();
    }
  }

  /** The model is asked more than what was held for it. */
  private async admitAgain(start: AdmittedGeneration, request: ModelRequest): Promise<AdmittedGeneration> {
    const { planned, admitted } = start;
    admitted.release();
    const next = await this.admission.admitNext(admitted, admitted.plan, request);
    if (!next) throw noRoom();
    return { ...start, planned: { ...planned, request }, admitted: { ...admitted, ...next } };
  }
}

const NO_ROOM_NEEDED = (): void => undefined;
const noRoom = (): GatewayError =>
  new GatewayError('payment-required', 'Credits or limits do not cover what this request would cost with its plugins.');
const smaller = (one: PicoUsd, other: PicoUsd): PicoUsd => (one < other ? one : other);
