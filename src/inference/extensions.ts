import { Injectable } from '@nestjs/common';
import type { ReplyWatch } from '../core/plugin.js';
import type { AdmittedGeneration, ContextAt } from './billing/admitted-generation.js';
import { GenerationContexts } from './generation-contexts.js';
import { CitingWatch } from './plugins/citing-watch.js';
import { Consultations, type ConsultedGeneration } from './plugins/consultations.js';
import { ReplyWatches } from './plugins/reply-watches.js';
import type { ToolLoop } from './tools/tool-loop.js';
import { ToolLoopFactory } from './tools/tool-loop-factory.js';

/** A generation with the tools and plugins that extend it. */
export interface ExtendedGeneration {
  /** The admitted generation, with the request as changed by plugins and money reserved for the changes. */
  readonly start: AdmittedGeneration;
  readonly loop?: ToolLoop;
  readonly watch?: ReplyWatch;
}

/** The tools and plugins of generations that `mayBeExtended`. */
@Injectable()
export class Extensions {
  constructor(
    private readonly contexts: GenerationContexts,
    private readonly consultations: Consultations,
    private readonly loops: ToolLoopFactory,
  ) {}

  /** @throws GatewayError as `Consultations.run`; `unavailable` where nothing can be sealed */
  async begin(admitted: AdmittedGeneration): Promise<ExtendedGeneration> {
    const { plugins, offered, request } = admitted.planned;
    const isExtended = offered.size > 0 || plugins.isWatching || plugins.consulting(request).length > 0;
    // If the plan has no candidate, no other model is called before it.
    if (!isExtended || admitted.admitted.plan.legs.length === 0) return { start: admitted };
    const contextAt = await this.contexts.open(admitted);
    const consulted =
      plugins.consulting(request).length > 0
        ? await this.consultations.run(admitted, contextAt)
        : { start: admitted, sources: [], uses: NO_USES };
    const { start } = consulted;
    const watch = watchOf(consulted, contextAt);
    return {
      start,
      ...(offered.size > 0 && { loop: this.loops.begin(start, contextAt) }),
      ...(watch && { watch }),
    };
  }
}

const NO_USES: ConsultedGeneration['uses'] = new Map();

function watchOf({ start, sources, uses }: ConsultedGeneration, contextAt: ContextAt): ReplyWatch | undefined {
  const { generation, planned, admitted, signal } = start;
  const { plugins, request } = planned;
  const { billing } = admitted;
  const watches = plugins.watches(request, {
    contextFor: (id, consulted) => {
      const use = uses.get(id);
      return contextAt(request, { signal, consulted, ...(use && { use }) });
    },
    spentOn: (runs) => billing.spentOn(runs),
    addStage: (stage) => void (generation.pipeline = [...generation.pipeline, stage]),
  });
  const all = sources.length > 0 ? [new CitingWatch(sources), ...watches] : watches;
  return all.length > 0 ? new ReplyWatches(all) : undefined;
}
