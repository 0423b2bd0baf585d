import { Inject, Injectable } from '@nestjs/common';
import type { ModelRequest, PluginEntry } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { GatewayError } from '../../core/errors.js';
import type { Plugin } from '../../core/plugin.js';
import { NO_DEFAULTS, type PluginDefaults } from '../../core/plugin-defaults.js';
import { readModelName } from '../../core/routing/model-name.js';
import { repeatedEntry } from '../../plugins/plugin-entries.js';
import { PLUGINS } from '../../plugins/plugin-list.js';
import { ActivePlugins, type ActivePlugin, type PluginStanding, type SetBy } from './active-plugins.js';

/** The entry that is in force for a plugin, and its source. */
interface Ruling {
  readonly entry: PluginEntry;
  readonly setBy: SetBy;
  /** The request has an entry that this one overrules. */
  readonly isRequestOverruled?: boolean;
}
type Rulings = ReadonlyMap<string, Ruling>;

/** The result of the defaults of a workspace and its account. */
interface StandingRulings {
  readonly rulings: Rulings;
  /** For requests without plugins, to which no conditional plugin applies. */
  readonly active: ActivePlugins;
}

/**
 * Decides which plugins are on for a request, and with which options: from its `plugins`, its model name, and the
 * defaults of its workspace and account (docs/use/tools-and-plugins.md#defaults).
 */
@Injectable()
export class PluginSets {
  /** Plugin ids by the model names that enable them. */
  private readonly routers: ReadonlyMap<string, string>;
  private readonly standing = new WeakMap<PluginDefaults, StandingRulings>();
  /** Those that are on only for requests that they apply to. */
  private readonly conditional: readonly Plugin[];

  constructor(@Inject(PLUGINS) private readonly all: readonly Plugin[]) {
    this.routers = new Map(all.flatMap(({ id, models = [] }) => models.map((model) => [model, id] as const)));
    this.conditional = all.filter((plugin) => plugin.concerns !== undefined);
  }

  /**
   * @param defaults those in force for its caller
   * @param isConsulted it is a request of the gateway's own. Defaults apply to requests of callers: here they only
   *   configure the router that the model name enables
   * @throws GatewayError `invalid-request` where two entries have one id
   */
  of(request: ModelRequest, defaults: PluginDefaults, isConsulted = false): ActivePlugins {
    const { plugins, model, messages } = request;
    const router = this.routers.get(model.includes(':') ? readModelName(model).id : model);
    if (isConsulted && defaults !== NO_DEFAULTS) return this.of(request, ofRouter(defaults, router));
    const standing = this.standing.get(defaults) ?? this.keepStanding(defaults);
    if (plugins.length === 0 && router === undefined && (traitsOf(messages).isPlain || !this.concernsAny(request)))
      return standing.active;
    const rulings = new Map(standing.rulings);
    if (router !== undefined) addNamed(router, rulings);
    addRequested(plugins, rulings);
    return this.make(rulings, (plugin) => plugin.concerns?.(request) ?? true);
  }

  private concernsAny(request: ModelRequest): boolean {
    return this.conditional.some((plugin) => plugin.concerns!(request));
  }

  private keepStanding(defaults: PluginDefaults): StandingRulings {
    const rulings = rulingsOf(defaults);
    const standing = { rulings, active: this.make(rulings, (plugin) => plugin.concerns === undefined) };
    this.standing.set(defaults, standing);
    return standing;
  }

  private make(rulings: Rulings, isConcerned: (plugin: Plugin) => boolean): ActivePlugins {
    const active: ActivePlugin[] = [];
    const standings: PluginStanding[] = [];
    for (const plugin of this.all) {
      if (!isConcerned(plugin)) continue;
      const ruling = rulings.get(plugin.id);
      if (!ruling) {
        if (plugin.whenNotRequested) active.push({ plugin, options: plugin.whenNotRequested });
        continue;
      }
      const { entry, setBy, isRequestOverruled = false } = ruling;
      const { id: _id, enabled, prevent_overrides: _isFixed, ...options } = entry;
      // A plugin without that option is on where it is named.
      const isOn = enabled !== false || !('enabled' in plugin.options);
      if (isOn) active.push({ plugin, options });
      standings.push({ plugin, isOn, setBy, isRequestOverruled });
    }
    return new ActivePlugins(active, standings);
  }
}

/** Without a router none of them applies. */
function ofRouter({ account, workspace }: PluginDefaults, router: string | undefined): PluginDefaults {
  if (router === undefined) return NO_DEFAULTS;
  const isRouters = ({ id }: PluginEntry): boolean => id === router;
  return { account: account.filter(isRouters), workspace: workspace.filter(isRouters) };
}

/** Entries of requests cannot prevent overrides. */
const isFixed = ({ entry, setBy }: Ruling): boolean => setBy !== 'request' && entry['prevent_overrides'] === true;

/** The workspace's entry wins, unless the account's prevents overrides. */
function rulingsOf({ account, workspace }: PluginDefaults): Rulings {
  const rulings = new Map<string, Ruling>();
  for (const entry of account) rulings.set(entry.id, { entry, setBy: 'account' });
  for (const entry of workspace) {
    const above = rulings.get(entry.id);
    if (!above || !isFixed(above)) rulings.set(entry.id, { entry, setBy: 'workspace' });
  }
  return rulings;
}

/** A model name that enables a plugin does so with the options of its default. */
function addNamed(id: string, rulings: Map<string, Ruling>): void {
  const ruling = rulings.get(id);
  if (!ruling) rulings.set(id, { entry: { id }, setBy: 'model' });
  else if (!isFixed(ruling)) rulings.set(id, { ...ruling, entry: { ...ruling.entry, enabled: true } });
}

function addRequested(plugins: readonly PluginEntry[], rulings: Map<string, Ruling>): void {
  const repeated = repeatedEntry(plugins);
  if (repeated) throw new GatewayError('invalid-request', `plugins.${repeated.at}.id: ${repeated.reason}`);
  for (const entry of plugins) {
    const ruling = rulings.get(entry.id);
    const isOverruled = ruling !== undefined && isFixed(ruling);
    rulings.set(entry.id, isOverruled ? { ...ruling, isRequestOverruled: true } : { entry, setBy: 'request' });
  }
}
