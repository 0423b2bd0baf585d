import { pluginPath } from '../../core/plugin.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ModerationEngine } from './engine.js';
import { guardModel } from './guard-model.js';
import { local } from './local.js';
import { openai } from './openai.js';

/**
 * The engine that the operator has set up; the local rules by default.
 * @throws GatewayError `invalid-request` naming the setting that is missing
 */
export function chooseEngine(request: ModelRequest, { catalog }: Pick<ExtensionContext, 'catalog'>): ModerationEngine {
  const { moderation } = catalog.plugins;
  switch (moderation?.engine) {
    case undefined:
    case 'local':
      return local;
    case 'openai':
      if (moderation.service) return openai(moderation.service, moderation.model);
      throw missing(request, 'the engine openai lacks its credential', 'openai');
    case 'model': {
      const model = catalog.models.get(moderation.model);
      if (model) return guardModel(model);
      throw missing(request, 'its guard model is not in the catalog', 'model');
    }
  }
}

const missing = (request: Pick<ModelRequest, 'plugins'>, why: string, setting: string): GatewayError =>
  new GatewayError(
    'invalid-request',
    `${pluginPath(request, 'moderation')}: nothing is moderated, because ${why}; the setting is ` +
      `plugins.moderation.${setting} of the catalog file`,
  );
