import { GatewayError } from '../core/errors.js';
import { SERVICE_TOOL_PREFIX, type AskedTool } from '../core/tool.js';

/** Where the gateway runs a tool the model calls it by itself, and no code of the vendor's does. */
const DIRECTLY = 'direct';

/**
 * Holds what a caller asks of a vendor's tool to what the gateway can keep to where it runs the tool instead: what it
 * could not is refused, rather than passed over.
 * @param unkept fields that the gateway has nothing for
 * @throws GatewayError `invalid-request` naming the field
 */
export function assertServable({ type, parameters, path }: AskedTool, unkept: readonly string[] = []): void {
  // The gateway's own tools have no such fields.
  if (type.startsWith(SERVICE_TOOL_PREFIX)) return;
  const refuse = (field: string, why: string): never => {
    throw new GatewayError('invalid-request', `${path}.${field}: ${why}`);
  };
  const { allowed_callers: callers, defer_loading: isDeferred } = parameters;
  if (Array.isArray(callers) && !callers.includes(DIRECTLY)) {
    refuse('allowed_callers', 'must hold direct where this gateway runs the tool, as it does for the model asked');
  }
  if (isDeferred === true)
    refuse('defer_loading', 'is true, and where this gateway runs the tool none is searched for');
  for (const field of unkept) {
    if ((parameters[field] ?? null) === null) continue;
    refuse(field, 'is kept to by the vendor alone, and this gateway runs the tool for the model asked');
  }
}
