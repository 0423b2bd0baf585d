import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import type { ModelRequest, PluginEntry } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { ForeseenCall, Foresight, LocalContext, Plugin, Prepared, ReplyWatch } from '../../core/plugin.js';
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

/** Whose word of a plugin is in force; `model`: the name that the request has in its model's place. */
export type SetBy = 'account' | 'workspace' | 'request' | 'model';

/** How a plugin stands that somebody spoke of. */
export interface PluginStanding {
  readonly plugin: Plugin;
  readonly isOn: boolean;
  readonly setBy: SetBy;
  /** The request has an entry of it, which a default did not give way to. */
  readonly isRequestOverruled: boolean;
}

/** A request with what was done to it. */
export interface StagedRequest {
  readonly request: ModelRequest;
  /** Entries of the routing metadata's `pipeline`. */
  readonly stages: readonly JsonObject[];
  /** Turned into words. */
  readonly files: readonly ParsedFile[];
}

/** A request as one leg can take it. */
type FittedRequest = Omit<StagedRequest, 'files'>;
type FitHook = (request: ModelRequest, leg: Leg) => FittedRequest | Promise<FittedRequest>;

/** What watches of one answer work with. */
export interface Watching {
  /**
   * @param id of the plugin, whose purchases it goes on with
   * @param consulted is called with each model that it consults
   */
  readonly contextFor: (id: string, consulted: (run: ModelRun) => void) => ExtensionContext;
  readonly spentOn: (runs: readonly ModelRun[]) => PicoUsd;
  readonly tell: (stage: JsonObject) => void;
}

/** The plugins that are on for one request, in the order of their list. */
export class ActivePlugins {
  readonly isWatching: boolean;
  /** Fits a request to a leg; undefined where none of them does that. */
  readonly fit: FitHook | undefined;
  /** Most tokens of the context of endpoints that a request is fitted to. */
  readonly fitsUpTo: number;
  /** Most tokens of the context of endpoints that a request too long for them is shortened for. */
  readonly shortensTo: number | undefined;
  /** Some of them change a request before it is planned. */
  readonly isPreparing: boolean;
  /** So they do, or the request has entries that a default does not give way to. */
  readonly changesRequest: boolean;
  /** Some of them ask somebody outside before the model is asked, for requests that have something for them. */
  readonly mayConsult: boolean;
  /** One of them chooses in the place of a name of its own. */
  readonly hasRouter: boolean;
  /** Those that judge what others bring. */
  readonly reviewing: readonly ActivePlugin[];
  private readonly preparing: readonly ActivePlugin[];
  private readonly consultants: readonly ActivePlugin[];
  private readonly overruled: readonly PluginStanding[];

  /** @param standings of those that somebody spoke of, whether they are on or not */
  constructor(
    private readonly active: readonly ActivePlugin[],
    readonly standings: readonly PluginStanding[],
  ) {
    this.overruled = standings.filter(({ isRequestOverruled }) => isRequestOverruled);
    this.hasRouter = withHook(active, 'choose').length > 0;
    this.preparing = withHook(active, 'prepare');
    this.isPreparing = this.preparing.length > 0;
    this.changesRequest = this.isPreparing || this.overruled.length > 0;
    this.reviewing = withHook(active, 'review');
    const buying = withHook(active, 'consult').filter((one) => !this.reviewing.includes(one));
    this.consultants = [...this.reviewing, ...buying];
    this.mayConsult = this.consultants.length > 0;
    this.isWatching = withHook(active, 'watch').length > 0;
    const fitting = withHook(active, 'fit');
    if (fitting.length > 0) {
      this.fit = (request, leg) => fitInTurn(fitting, { request, stages: NONE }, leg);
    }
    this.fitsUpTo = Math.max(
      0,
      ...fitting.map(({ plugin, options }) => plugin.shortens?.(options).contextMax ?? Infinity),
    );
    const contexts = active.flatMap(({ plugin, options }) => plugin.shortens?.(options).contextMax ?? []);
    if (contexts.length > 0) this.shortensTo = Math.max(...contexts);
  }

  /**
   * Chooses in the place of the name that was asked for.
   * @returns undefined where that is the name of a model, or is to be one
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

  /** Who asks somebody outside before the model is asked. @param request as it is prepared */
  consulting(request: ModelRequest): readonly ActivePlugin[] {
    return this.consultants.filter(({ plugin }) => plugin.consults?.(request) ?? true);
  }

  /**
   * The request as it is to be planned; the same, and at once, where none of them prepares any.
   * @throws what a plugin throws that may not be left out, or the signal's reason
   */
  prepare(request: ModelRequest, contextOf: () => LocalContext): StagedRequest | Promise<StagedRequest> {
    const { preparing, overruled } = this;
    if (!this.changesRequest) return { request, stages: NONE, files: NONE };
    const stages = overruled.map(({ plugin, setBy }) =>
      stageOf(plugin, { summary: 'override prevented', data: { by: setBy } }, AT_ONCE),
    );
    const heard = overruled.length === 0 ? request : { ...request, plugins: this.withoutOverruled(request.plugins) };
    return preparing.length === 0
      ? { request: heard, stages, files: NONE }
      : this.prepareInTurn(heard, stages, contextOf());
  }

  /** The models that would be asked before the one that answers. */
  async foresee(request: ModelRequest, foresight: Foresight): Promise<readonly ForeseenCall[]> {
    const calls: ForeseenCall[] = [];
    for (const { plugin, options } of this.active) {
      calls.push(...((await plugin.foresee?.(request, options, foresight)) ?? []));
    }
    return calls;
  }

  /** What watches one answer, the first to see it first. */
  watches(request: ModelRequest, { contextFor, spentOn, tell }: Watching): readonly ReplyWatch[] {
    return this.active.flatMap(({ plugin, options }) => {
      if (!plugin.watch) return [];
      const runs: ModelRun[] = [];
      const context = contextFor(plugin.id, (run) => runs.push(run));
      const watch = new PluginWatch(plugin, (note) => plugin.watch!(request, options, context, note), {
        spent: () => spentOn(runs),
        tell,
      });
      return watch.isWatching ? watch : [];
    });
  }

  /** What a default did not give way to is nobody's entry any more; the others keep the places that name them. */
  private withoutOverruled(plugins: readonly PluginEntry[]): readonly PluginEntry[] {
    const ids = new Set(this.overruled.map(({ plugin }) => plugin.id));
    return plugins.map((entry) => (ids.has(entry.id) ? NOBODYS : entry));
  }

  private async prepareInTurn(
    asked: ModelRequest,
    told: readonly JsonObject[],
    context: LocalContext,
  ): Promise<StagedRequest> {
    let request = asked;
    const stages = [...told];
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

/** From one of them on: a request that each fits at once is fitted at once. */
function fitInTurn(
  fitting: readonly ActivePlugin[],
  asked: FittedRequest,
  leg: Leg,
  from = 0,
): FittedRequest | Promise<FittedRequest> {
  let fitted: FittedRequest = asked;
  for (let next = from; next < fitting.length; next++) {
    const { plugin, options } = fitting[next]!;
    const { request, stages } = fitted;
    const beganAt = performance.now();
    const done = ({ request: fit, note }: Prepared): FittedRequest => ({
      request: fit,
      stages: note ? [...stages, stageOf(plugin, note, tookSince(beganAt))] : stages,
    });
    const answer = plugin.fit!(request, leg, options);
    // No turn of the microtask queue for what is at hand.
    if (answer instanceof Promise) return answer.then((late) => fitInTurn(fitting, done(late), leg, next + 1));
    fitted = done(answer);
  }
  return fitted;
}

const NONE: readonly never[] = [];
const AT_ONCE = { milliseconds: 0 };
const NOBODYS: PluginEntry = { id: '' };

const withHook = (active: readonly ActivePlugin[], hook: keyof Plugin): readonly ActivePlugin[] =>
  active.filter(({ plugin }) => plugin[hook] !== undefined);
