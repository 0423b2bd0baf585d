import { pluginPath } from '../../core/plugin.js';
import { GatewayError } from '../../core/errors.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { readModelName } from '../../core/routing/model-name.js';
import { modelId } from '../../core/routing/resolve-model.js';

/** Who is to read files: the models themselves, this gateway, or an engine outside. */
export interface ChosenEngine {
  readonly name: 'native' | 'local' | 'mistral-ocr';
  /** No model is to have the file itself: none of them takes any, or the caller wants it so. */
  readonly isForAll: boolean;
}

/** Options of who did not ask for the plugin: nothing that costs is done for him. */
export const UNASKED: JsonObject = { isUnasked: true };

const ID = 'file-parser';
const SETTING = 'plugins.file-parser.mistral-ocr';

/**
 * Who reads the files of a request (docs/wire/tools-and-plugins.md#the-plugin-file-parser). Pure.
 * @throws GatewayError `invalid-request` for an engine that is not set up, or that none of the models can be
 */
export function chooseEngine(request: ModelRequest, options: JsonObject, catalog: CatalogSnapshot): ChosenEngine {
  const { pdf } = options;
  const asked = isJsonObject(pdf) ? pdf['engine'] : undefined;
  const takers = takersOf(request, catalog);
  switch (asked) {
    case 'native':
      if (takers !== 'none') return { name: 'native', isForAll: false };
      throw refused(request, 'native leaves PDFs to models that take files, and none that is asked for does');
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
      const maySpend = options['isUnasked'] !== true && catalog.plugins.ocr !== undefined;
      return { name: maySpend ? 'mistral-ocr' : 'local', isForAll: takers === 'none' };
    }
  }
}

/** Which of the models that a request names take files. What is no model of the catalog may be chosen among all. */
function takersOf({ model, fallbackModels }: ModelRequest, catalog: CatalogSnapshot): 'all' | 'some' | 'none' {
  const takes = [model, ...(fallbackModels?.models ?? [])].map((name) => {
    const { id } = readModelName(name);
    return catalog.models.get(modelId(catalog, id) ?? id)?.inputModalities.includes('file');
  });
  if (takes.every((one) => one === true)) return 'all';
  return takes.every((one) => one === false) ? 'none' : 'some';
}

const refused = (request: ModelRequest, reason: string): GatewayError =>
  new GatewayError('invalid-request', `${pluginPath(request, ID)}.pdf.engine: ${reason}`);
