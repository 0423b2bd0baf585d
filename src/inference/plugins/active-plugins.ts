import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import type { ModelRequest, PluginEntry } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type {
  PlannedConsultation,
  PlanningContext,
  LocalContext,
  Plugin,
  Prepared,
  ReplyWatch,
} from '../../core/plugin.js';
import { readModelName } from '../../core/routing/model-name.js';
import type { Leg } from '../../core/routing/plan.js';
import type { ChoiceInputs, NamedChoice } from '../../core/routing/route-inputs.js';
import { failedStage, stageOf, tookSince } from './plugin-stages.js';
import { PluginWatch } from './plugin-watch.js';

/** A plugin that is on for one request. */
export interface ActivePlugin {
  readonly plugin: Plugin;
  readonly options: JsonObject;
}

/** The source of a plugin's setting; `model`: the name in the request's `model`. */
export type SetBy = 'account' | 'workspace' | 'request' | 'model';

/** The state of a plugin that a default, the request or the model name refers to. */
export interface PluginState {
  readonly plugin: Plugin;
  readonly isOn: boolean;
  readonly setBy: SetBy;
  /** The request has an entry for it that a default with `prevent_overrides` overrules. */
  readonly isRequestOverruled: boolean;
}

/** A request with the stages that changed it. */
export interface StagedRequest {
  readonly request: ModelRequest;
  /** Entries of the routing metadata's `pipeline`. */
  readonly stages: readonly JsonObject[];
  /** Converted to text. */
  readonly files: readonly ParsedFile[];
}

/** A request as one leg can take it. */
type PluginFittedRequest = Omit<StagedRequest, 'files'>;
type FitHook = (request: ModelRequest, leg: Leg) => PluginFittedRequest | Promise<PluginFittedRequest>;

/** The context of the watches of one answer. */
export interface Watching {
  /**
   * @param id of the plugin, for its purchases
   * @param consulted is called with the run of each model that it consults
   */
  readonly contextFor: (id: string, consulted: (run: ModelRun) => void) => ExtensionContext;
  readonly spentOn: (runs: readonly ModelRun[]) => PicoUsd;
  readonly addStage: (stage: JsonObject) => void;
}

/** The plugins that are on for one request, in the order of their list. */
export class ActivePlugins {
  readonly isWatching: boolean;
  /** Fits a request to a leg; undefined where none of them does that. */
  readonly fit: FitHook | undefined;
  /** The largest context, in tokens, of endpoints that a request is fitted to. */
  readonly fitsUpTo: number;
  /** The largest context, in tokens, of endpoints that a request too long for them is shortened for. */
  readonly shortensTo: number | undefined;
  /** At least one plugin changes the request before it is planned. */
  readonly isPreparing: boolean;
  /** Whether plugins change the request, or a default overrides entries of the request. */
  readonly changesRequest: boolean;
  /**
   * At least one plugin calls a model or an external service before the request's model, for requests that it applies
   * to.
   */
  readonly mayConsult: boolean;
  /** One of them chooses a model for a model name that it defines. */
  readonly hasRouter: boolean;
  /** The plugins that judge the content that others add. */
  readonly reviewing: readonly ActivePlugin[];
  private readonly preparing: readonly ActivePlugin[];
  private readonly consultants: readonly ActivePlugin[];
  private readonly overruled: readonly PluginState[];

  /** @param states of every plugin that is referred to, enabled or not */
  constructor(
    private readonly active: readonly ActivePlugin[],
    readonly states: readonly PluginState[],
  ) {
    this.overruled = states.filter(({ isRequestOverruled }) => isRequestOverruled);
    this.hasRouter = withHook(active, 'choose').length > 0;
    this.preparing = withHook(active, 'prepare');
    this.isPreparing = this.preparing.length > 0;
    this.changesRequest = this.isPreparing || this.overruled.length > 0;
    this.reviewing = withHook(active, 'review');
    const buying = withHook(active, 'consult').filter((plugin) => !this.reviewing.includes(plugin));
    this.consultants = [...this.reviewing, ...buying];
    this.mayConsult = this.consultants.length > 0;
    this.isWatching = withHook(active, 'watch').length > 0;
    const fitting = withHook(active, 'fit');
    if (fitting.length > 0) {
      this.fit = (request, leg) => fitFrom(fitting, { request, stages: NONE }, leg);
    }
    this.fitsUpTo = Math.max(
      0,
      ...fitting.map(({ plugin, options }) => plugin.shortens?.(options).contextMax ?? Infinity),
    );
    const contexts = active.flatMap(({ plugin, options }) => plugin.shortens?.(options).contextMax ?? []);
    if (contexts.length > 0) this.shortensTo = Math.max(...contexts);
  }

  /**
   * Chooses a model for the requested name.
   * @returns undefined where that is the name of a model, or may become one
   */
  chooser(request: ModelRequest): ((inputs: ChoiceInputs) => NamedChoice) | undefined {
    const name = readModelName(request.model).id;
    const router = this.active.find(({ plugin }) => plugin.models?.includes(name));
    if (!router) return undefined;
    const { plugin, options } = router;
    return (inputs) => {
      const beganAt = performance.now();
      const choice = plugin.choose!(request, options, inputs);
      return { by: plugin.id, ...choice, ...tookSince(beganAt) };
    };
  }

  /** The plugins that call a model or an external service before the request's model. @param request after `prepare` */
  consulting(request: ModelRequest): readonly ActivePlugin[] {
    return this.consultants.filter(({ plugin }) => plugin.consults?.(request) ?? true);
  }

  /**
   * The request to be planned; unchanged and synchronous where no plugin prepares it.
   * @throws what a plugin throws that may not be skipped, or the signal's reason
   */
  prepare(request: ModelRequest, contextOf: () => LocalContext): StagedRequest | Promise<StagedRequest> {
    const { preparing, overruled } = this;
    if (!this.changesRequest) return { request, stages: NONE, files: NONE };
    const stages = overruled.map(({ plugin, setBy }) =>
      stageOf(plugin, { summary: 'override prevented', data: { by: setBy } }, AT_ONCE),
    );
    const effective =
      overruled.length === 0 ? request : { ...request, plugins: this.withoutOverruled(request.plugins) };
    return preparing.length === 0
      ? { request: effective, stages, files: NONE }
      : this.prepareInTurn(effective, stages, contextOf());
  }

  /** The models that would be called before the one that answers. */
  async planConsultations(request: ModelRequest, context: PlanningContext): Promise<readonly PlannedConsultation[]> {
    const calls: PlannedConsultation[] = [];
    for (const { plugin, options } of this.active) {
      calls.push(...((await plugin.planConsultations?.(request, options, context)) ?? []));
    }
    return calls;
  }

  /** The watches of one answer, in the order in which they see its events. */
  watches(request: ModelRequest, { contextFor, spentOn, addStage }: Watching): readonly ReplyWatch[] {
    return this.active.flatMap(({ plugin, options }) => {
      if (!plugin.watch) return [];
      const runs: ModelRun[] = [];
      const context = contextFor(plugin.id, (run) => runs.push(run));
      const watch = new PluginWatch(plugin, (note) => plugin.watch!(request, options, context, note), {
        spent: () => spentOn(runs),
        addStage,
      });
      return watch.isWatching ? watch : [];
    });
  }

  /** An overruled entry belongs to no plugin any more; the others keep their indexes, which errors name. */
  private withoutOverruled(plugins: readonly PluginEntry[]): readonly PluginEntry[] {
    const ids = new Set(this.overruled.map(({ plugin }) => plugin.id));
    return plugins.map((entry) => (ids.has(entry.id) ? NO_ENTRY : entry));
  }

  private async prepareInTurn(
    stated: ModelRequest,
    earlier: readonly JsonObject[],
    context: LocalContext,
  ): Promise<StagedRequest> {
    let request = stated;
    const stages = [...earlier];
    const files: ParsedFile[] = [];
    for (const { plugin, options } of this.preparing) {
      const beganAt = performance.now();
      try {
        const prepared = await plugin.prepare!(request, options, context);
        request = prepared.request;
        if (prepared.files) files.push(...prepared.files);
        if (prepared.note) stages.push(stageOf(plugin, prepared.note, tookSince(beganAt)));
      } catch (error) {
        stages.push(failedStage(plugin, error, context.signal, tookSince(beganAt)));
      }
    }
    return { request, stages, files };
  }
}

/** Fits from one plugin on; synchronous where all of them are. */
function fitFrom(
  fitting: readonly ActivePlugin[],
  original: PluginFittedRequest,
  leg: Leg,
  from = 0,
): PluginFittedRequest | Promise<PluginFittedRequest> {
  let fitted: PluginFittedRequest = original;
  for (let next = from; next < fitting.length; next++) {
    const { plugin, options } = fitting[next]!;
    const { request, stages } = fitted;
    const beganAt = performance.now();
    const done = ({ request: fit, note }: Prepared): PluginFittedRequest => ({
      request: fit,
      stages: note ? [...stages, stageOf(plugin, note, tookSince(beganAt))] : stages,
    });
    const answer = plugin.fit!(request, leg, options);
    // Avoids an await when the result is synchronous.
    if (answer instanceof Promise) return answer.then((late) => fitFrom(fitting, done(late), leg, next + 1));
    fitted = done(answer);
  }
  return fitted;
}

const NONE: readonly never[] = [];
const AT_ONCE = { milliseconds: 0 };
const NO_ENTRY: PluginEntry = { id: '' };

const withHook = (active: readonly ActivePlugin[], hook: keyof Plugin): readonly ActivePlugin[] =>
  active.filter(({ plugin }) => plugin[hook] !== undefined);
