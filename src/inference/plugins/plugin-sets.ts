import { Inject, Injectable } from '@nestjs/common';
import type { ModelRequest, PluginEntry } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { Plugin } from '../../core/plugin.js';
import { readModelName } from '../../core/routing/model-name.js';
import { PLUGINS } from '../../plugins/plugin-list.js';
import { ActivePlugins, type ActivePlugin } from './active-plugins.js';

/** Which plugins are on for a request: those that it asks for, and the one that its model's name stands for. */
@Injectable()
export class PluginSets {
  /** Ids by the names of models that stand for them. */
  private readonly routers: ReadonlyMap<string, string>;
  /** Of nearly every request. */
  private readonly unasked: ActivePlugins;
  /** Who is on unasked where a request has something for it. */
  private readonly conditional: readonly Plugin[];

  constructor(@Inject(PLUGINS) private readonly all: readonly Plugin[]) {
    this.routers = new Map(all.flatMap(({ id, models = [] }) => models.map((model) => [model, id] as const)));
    this.conditional = all.filter((plugin) => plugin.unasked && plugin.concerns !== undefined);
    this.unasked = this.make(new Map(), () => false);
  }

  /** @throws GatewayError `invalid-request` where two entries have one id */
  of(request: ModelRequest): ActivePlugins {
    const { plugins, model } = request;
    const router = this.routers.get(readModelName(model).id);
    const isConcerned = (plugin: Plugin): boolean => plugin.concerns?.(request) ?? true;
    if (plugins.length === 0 && router === undefined && !this.conditional.some(isConcerned)) return this.unasked;
    const entries = new Map<string, PluginEntry>();
    if (router !== undefined) entries.set(router, { id: router });
    addAsked(plugins, entries);
    return this.make(entries, isConcerned);
  }

  private make(entries: ReadonlyMap<string, PluginEntry>, isConcerned: (plugin: Plugin) => boolean): ActivePlugins {
    const active: ActivePlugin[] = [];
    for (const plugin of this.all) {
      if (plugin.concerns && !isConcerned(plugin)) continue;
      const entry = entries.get(plugin.id);
      if (!entry) {
        if (plugin.unasked) active.push({ plugin, options: plugin.unasked });
        continue;
      }
      const { id: _id, enabled, ...options } = entry;
      if (enabled !== false) active.push({ plugin, options });
    }
    return new ActivePlugins(active);
  }
}

function addAsked(plugins: readonly PluginEntry[], entries: Map<string, PluginEntry>): void {
  const seen = new Set<string>();
  for (const [index, entry] of plugins.entries()) {
    if (seen.has(entry.id)) {
      throw new GatewayError('invalid-request', `plugins.${index}.id: ${entry.id} has an entry already; send one`);
    }
    seen.add(entry.id);
    entries.set(entry.id, entry);
  }
}
