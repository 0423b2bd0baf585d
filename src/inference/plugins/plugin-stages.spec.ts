import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, gatewayFull } from '../../core/extension.js';
import type { Plugin } from '../../core/plugin.js';
import { errorOfPlugin } from './plugin-stages.js';

const PLUGIN = { id: 'file-parser' } as Plugin;

it('the failure of a full gateway states when to try again, as the gateway’s own', () => {
  expect(errorOfPlugin(PLUGIN, gatewayFull('too much is being worked on'))).toMatchObject({
    kind: 'service-unavailable',
    message: 'The plugin file-parser failed: too much is being worked on.',
    detail: { retryAfterMs: 1_000 },
  });
});

it('the failure of a service is one of a provider', () => {
  const failure = errorOfPlugin(PLUGIN, new ExtensionFault('busy', 'The engine answered with status 429.'));
  expect(failure).toBeInstanceOf(GatewayError);
  expect(failure).toMatchObject({ kind: 'unavailable', detail: {} });
});
