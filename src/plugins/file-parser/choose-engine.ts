import { pluginPath } from '../../core/plugin.js';
import { GatewayError } from '../../core/errors.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { readModelName } from '../../core/routing/model-name.js';
import { modelId } from '../../core/routing/resolve-model.js';

/** The reader of the files: the models themselves, this gateway or an outside engine. */
export interface ChosenEngine {
  readonly name: 'native' | 'local' | 'mistral-ocr';
  /** No model is sent the file itself: none of them takes files, or the caller chose so. */
  readonly isForAll: boolean;
}

/** Options where the plugin is not requested: nothing that costs money is done. */
export const NOT_REQUESTED: JsonObject = { isNotRequested: true };

const ID = 'file-parser';
const SETTING = 'plugins.file-parser.mistral-ocr';

/**
 * Chooses what reads the files of a request (docs/use/plugins/file-parser.md). Pure.
 * @throws GatewayError `invalid-request` for an engine that is not set up, or that none of the models can be
 */
export function chooseEngine(request: ModelRequest, options: JsonObject, catalog: CatalogSnapshot): ChosenEngine {
  const { pdf } = options;
  const requested = isJsonObject(pdf) ? pdf['engine'] : undefined;
  const takers = takersOf(request, catalog);
  switch (requested) {
    case 'native':
      if (takers !== 'none') return { name: 'native', isForAll: false };
      throw refused(request, 'native leaves PDFs to models that take files, and no requested model does');
    case 'cloudflare-ai':
    case 'pdf-text':
      return { name: 'local', isForAll: true };
    case 'mistral-ocr':
      if (catalog.plugins.ocr) return { name: 'mistral-ocr', isForAll: true };
      throw refused(
        request,
        `mistral-ocr is not set up, or lacks its credential; the setting is ${SETTING} of the catalog file`,
      );
    default: {
      if (takers === 'all') return { name: 'native', isForAll: false };
      const maySpend = options['isNotRequested'] !== true && catalog.plugins.ocr !== undefined;
      return { name: maySpend ? 'mistral-ocr' : 'local', isForAll: takers === 'none' };
    }
  }
}

/**
 * Whether all, some or none of the requested models take files. A name that is no model of the catalog is a router's,
 * which may choose one that does.
 */
function takersOf({ model, fallbackModels }: ModelRequest, catalog: CatalogSnapshot): 'all' | 'some' | 'none' {
  const takes = [model, ...(fallbackModels?.models ?? [])].map((name) => {
    const { id } = readModelName(name);
    return catalog.models.get(modelId(catalog, id) ?? id)?.inputModalities.includes('file');
  });
  if (takes.every((takesFiles) => takesFiles === true)) return 'all';
  return takes.every((takesFiles) => takesFiles === false) ? 'none' : 'some';
}

const refused = (request: ModelRequest, reason: string): GatewayError =>
  new GatewayError('invalid-request', `${pluginPath(request, ID)}.pdf.engine: ${reason}`);
