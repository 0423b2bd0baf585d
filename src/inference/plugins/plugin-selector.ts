import { Inject, Injectable } from '@nestjs/common';
import type { ModelRequest, PluginEntry } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { GatewayError } from '../../core/errors.js';
import type { Plugin } from '../../core/plugin.js';
import { NO_DEFAULTS, type PluginDefaults } from '../../core/plugin-defaults.js';
import { readModelName } from '../../core/routing/model-name.js';
import { repeatedEntry } from '../../plugins/plugin-entries.js';
import { PLUGINS } from '../../plugins/plugin-list.js';
import { ActivePlugins, type ActivePlugin, type PluginState, type SetBy } from './active-plugins.js';

/** The entry that is in force for a plugin, and its source. */
interface PluginSetting {
  readonly entry: PluginEntry;
  readonly setBy: SetBy;
  /** The request has an entry that this one overrules. */
  readonly isRequestOverruled?: boolean;
}
type PluginSettings = ReadonlyMap<string, PluginSetting>;

/** The result of the defaults of a workspace and its account. */
interface DefaultSettings {
  readonly settings: PluginSettings;
  /** For requests without plugins, to which no conditional plugin applies. */
  readonly active: ActivePlugins;
}

/**
 * Decides which plugins are on for a request, and with which options: from its `plugins`, its model name, and the
 * defaults of its workspace and account (docs/use/tools-and-plugins.md#defaults).
 */
@Injectable()
export class PluginSelector {
  /** Plugin ids by the model names that enable them. */
  private readonly routers: ReadonlyMap<string, string>;
  private readonly defaultSettings = new WeakMap<PluginDefaults, DefaultSettings>();
  /** The plugins that are on only for requests that they apply to. */
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
    const { plugins, model, messages, task } = request;
    // Plugins are about conversations: a task has none, whatever the defaults.
    if (task) return NO_PLUGINS;
    const router = this.routers.get(model.includes(':') ? readModelName(model).id : model);
    if (isConsulted && defaults !== NO_DEFAULTS) return this.of(request, ofRouter(defaults, router));
    const defaultSettings = this.defaultSettings.get(defaults) ?? this.keepDefaultSettings(defaults);
    if (plugins.length === 0 && router === undefined && (traitsOf(messages).isPlain || !this.concernsAny(request)))
      return defaultSettings.active;
    const settings = new Map(defaultSettings.settings);
    if (router !== undefined) addNamed(router, settings);
    addRequested(plugins, settings);
    return this.make(settings, (plugin) => plugin.concerns?.(request) ?? true);
  }

  private concernsAny(request: ModelRequest): boolean {
    return this.conditional.some((plugin) => plugin.concerns!(request));
  }

  private keepDefaultSettings(defaults: PluginDefaults): DefaultSettings {
    const settings = settingsOf(defaults);
    const defaultSettings = { settings, active: this.make(settings, (plugin) => plugin.concerns === undefined) };
    this.defaultSettings.set(defaults, defaultSettings);
    return defaultSettings;
  }

  private make(settings: PluginSettings, isConcerned: (plugin: Plugin) => boolean): ActivePlugins {
    const active: ActivePlugin[] = [];
    const states: PluginState[] = [];
    for (const plugin of this.all) {
      if (!isConcerned(plugin)) continue;
      const setting = settings.get(plugin.id);
      if (!setting) {
        if (plugin.whenNotRequested) active.push({ plugin, options: plugin.whenNotRequested });
        continue;
      }
      const { entry, setBy, isRequestOverruled = false } = setting;
      const { id: _id, enabled, prevent_overrides: _isFixed, ...options } = entry;
      // A plugin without that option is on where it is named.
      const isOn = enabled !== false || !('enabled' in plugin.options);
      if (isOn) active.push({ plugin, options });
      states.push({ plugin, isOn, setBy, isRequestOverruled });
    }
    return new ActivePlugins(active, states);
  }
}

const NO_PLUGINS = new ActivePlugins([], []);

/** Without a router no default applies. */
function ofRouter({ account, workspace }: PluginDefaults, router: string | undefined): PluginDefaults {
  if (router === undefined) return NO_DEFAULTS;
  const isRouters = ({ id }: PluginEntry): boolean => id === router;
  return { account: account.filter(isRouters), workspace: workspace.filter(isRouters) };
}

/** Entries of requests cannot prevent overrides. */
const isFixed = ({ entry, setBy }: PluginSetting): boolean =>
  setBy !== 'request' && entry['prevent_overrides'] === true;

/** The workspace's entry wins, unless the account's prevents overrides. */
function settingsOf({ account, workspace }: PluginDefaults): PluginSettings {
  const settings = new Map<string, PluginSetting>();
  for (const entry of account) settings.set(entry.id, { entry, setBy: 'account' });
  for (const entry of workspace) {
    const above = settings.get(entry.id);
    if (!above || !isFixed(above)) settings.set(entry.id, { entry, setBy: 'workspace' });
  }
  return settings;
}

/** A model name that enables a plugin does so with the options of its default. */
function addNamed(id: string, settings: Map<string, PluginSetting>): void {
  const setting = settings.get(id);
  if (!setting) settings.set(id, { entry: { id }, setBy: 'model' });
  else if (!isFixed(setting)) settings.set(id, { ...setting, entry: { ...setting.entry, enabled: true } });
}

function addRequested(plugins: readonly PluginEntry[], settings: Map<string, PluginSetting>): void {
  const repeated = repeatedEntry(plugins);
  if (repeated) throw new GatewayError('invalid-request', `plugins.${repeated.at}.id: ${repeated.reason}`);
  for (const entry of plugins) {
    const setting = settings.get(entry.id);
    const isOverruled = setting !== undefined && isFixed(setting);
    settings.set(entry.id, isOverruled ? { ...setting, isRequestOverruled: true } : { entry, setBy: 'request' });
  }
}
