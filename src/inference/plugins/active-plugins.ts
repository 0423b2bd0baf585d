import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import type { ForeseenCall, Foresight, LocalContext, NoteStage, Plugin, ReplyWatch } from '../../core/plugin.js';
import { readModelName } from '../../core/routing/model-name.js';
import type { Leg } from '../../core/routing/plan.js';
import type { ChoiceInputs, NamedChoice } from '../../core/routing/route-inputs.js';
import { failedStage, stageOf } from './plugin-stages.js';

/** A plugin that is on for one request. */
export interface ActivePlugin {
  readonly plugin: Plugin;
  readonly options: JsonObject;
}

/** A request with what was done to it. */
export interface StagedRequest {
  readonly request: ModelRequest;
  /** Entries of the routing metadata's `pipeline`. */
  readonly stages: readonly JsonObject[];
}

/** The plugins that are on for one request, in the order of their list. */
export class ActivePlugins {
  /** Who asks somebody outside before the model is asked. */
  readonly consulting: readonly ActivePlugin[];
  readonly isWatching: boolean;
  /** Fits a request to a leg; undefined where none of them does that. */
  readonly fit: ((request: ModelRequest, leg: Leg) => StagedRequest) | undefined;
  /** Most tokens of the context of endpoints that a request too long for them is shortened for. */
  readonly shortensTo: number | undefined;
  private readonly preparing: readonly ActivePlugin[];
  private readonly hasRouter: boolean;

  constructor(private readonly active: readonly ActivePlugin[]) {
    this.hasRouter = withHook(active, 'choose').length > 0;
    this.preparing = withHook(active, 'prepare');
    this.consulting = withHook(active, 'consult');
    this.isWatching = withHook(active, 'watch').length > 0;
    const fitting = withHook(active, 'fit');
    if (fitting.length > 0) {
      this.fit = (request, leg) => fitInTurn(fitting, request, leg);
    }
    const contexts = active.flatMap(({ plugin, options }) => plugin.shortens?.(options).contextMax ?? []);
    if (contexts.length > 0) this.shortensTo = Math.max(...contexts);
  }

  /**
   * Chooses in the place of the name that was asked for.
   * @returns undefined where that is the name of a model, or is to be one
   */
  chooser(request: ModelRequest): ((inputs: ChoiceInputs) => NamedChoice) | undefined {
    if (!this.hasRouter) return undefined;
    const name = readModelName(request.model).id;
    const router = this.active.find(({ plugin }) => plugin.models?.includes(name));
    if (!router) return undefined;
    const { plugin, options } = router;
    return (inputs) => ({ by: plugin.id, ...plugin.choose!(request, options, inputs) });
  }

  /**
   * The request as it is to be planned; the same, and at once, where none of them prepares any.
   * @throws what a plugin throws that may not be left out, or the signal's reason
   */
  prepare(request: ModelRequest, contextOf: () => LocalContext): StagedRequest | Promise<StagedRequest> {
    return this.preparing.length === 0 ? { request, stages: NO_STAGES } : this.prepareInTurn(request, contextOf());
  }

  /** The models that would be asked before the one that answers. */
  foresee(request: ModelRequest, foresight: Foresight): readonly ForeseenCall[] {
    return this.active.flatMap(({ plugin, options }) => plugin.foresee?.(request, options, foresight) ?? []);
  }

  /** What watches one answer, the first to see it first. @param tell has a stage told */
  watches(request: ModelRequest, context: ExtensionContext, tell: (stage: JsonObject) => void): readonly ReplyWatch[] {
    return this.active.flatMap(({ plugin, options }) => {
      const note: NoteStage = (told) => tell(stageOf(plugin, told, {}));
      return plugin.watch?.(request, options, context, note) ?? [];
    });
  }

  private async prepareInTurn(asked: ModelRequest, context: LocalContext): Promise<StagedRequest> {
    let request = asked;
    const stages: JsonObject[] = [];
    for (const { plugin, options } of this.preparing) {
      const beganAt = performance.now();
      try {
        const prepared = await plugin.prepare!(request, options, context);
        request = prepared.request;
        if (prepared.note) stages.push(stageOf(plugin, prepared.note, { beganAt }));
      } catch (error) {
        stages.push(failedStage(plugin, error, context.signal));
      }
    }
    return { request, stages };
  }
}

function fitInTurn(fitting: readonly ActivePlugin[], asked: ModelRequest, leg: Leg): StagedRequest {
  let request = asked;
  let stages: readonly JsonObject[] = NO_STAGES;
  for (const { plugin, options } of fitting) {
    const fitted = plugin.fit!(request, leg, options);
    request = fitted.request;
    if (fitted.note) stages = [...stages, stageOf(plugin, fitted.note, {})];
  }
  return { request, stages };
}

const NO_STAGES: readonly never[] = [];

const withHook = (active: readonly ActivePlugin[], hook: keyof Plugin): readonly ActivePlugin[] =>
  active.filter(({ plugin }) => plugin[hook] !== undefined);
