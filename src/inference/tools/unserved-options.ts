import { GatewayError } from '../../core/errors.js';
import type { AskedTool } from '../../core/tool.js';

/**
 * Refuses what a vendor's tool is asked that the loop here has no way for: to be called from code that the vendor runs
 * alone, and to be shown to the model only when a search for tools finds it. Never left out unsaid.
 * @param asked a tool of a vendor's, which this gateway is to serve
 * @throws GatewayError `invalid-request` naming the field
 */
export function refuseUnserved({ parameters, path }: AskedTool): void {
  const { allowed_callers: callers, defer_loading: isDeferred } = parameters;
  if (Array.isArray(callers) && !callers.includes('direct')) {
    throw unserved(`${path}.allowed_callers`, 'does not name direct, and no code runs there that could call it');
  }
  if (isDeferred === true) throw unserved(`${path}.defer_loading`, 'is true, and no search for tools runs there');
}

const unserved = (field: string, why: string): GatewayError =>
  new GatewayError(
    'invalid-request',
    `${field}: ${why}, because the vendor that answers does not run this tool itself`,
  );
