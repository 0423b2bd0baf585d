import type { DecodeContext } from '../../src/core/provider.js';
import { modelRequest } from './model-request.js';
import { endpoint, model } from './route-inputs.js';

/** For an empty request, to a provider without quirks. */
export function decodeContext(): DecodeContext {
  const one = endpoint('acme');
  return {
    request: modelRequest(),
    target: {
      model: model('a/b', [one]),
      endpoint: one,
      tier: 'standard',
      definition: { slug: 'acme', credential: 'x-api-key', quirks: {} },
    },
  };
}
