import { GatewayError } from '../core/errors.js';
import { SERVICE_TOOL_PREFIX, type RequestedTool } from '../core/tool.js';

/** A tool that the gateway runs is called by the model itself, and never by code that the vendor runs. */
const DIRECTLY = 'direct';

/**
 * Refuses settings of a vendor's tool that the gateway cannot keep where it runs the tool instead.
 * @param unkept fields that the gateway does not support
 * @throws GatewayError `invalid-request` naming the field
 */
export function assertServable({ type, parameters, path }: RequestedTool, unkept: readonly string[] = []): void {
  // The gateway's own tools have no such fields.
  if (type.startsWith(SERVICE_TOOL_PREFIX)) return;
  const refuse = (field: string, why: string): never => {
    throw new GatewayError('invalid-request', `${path}.${field}: ${why}`);
  };
  const { allowed_callers: callers, defer_loading: isDeferred } = parameters;
  if (Array.isArray(callers) && !callers.includes(DIRECTLY)) {
    refuse('allowed_callers', 'must contain `direct`, because the gateway runs the tool for the requested model');
  }
  if (isDeferred === true)
    refuse('defer_loading', 'must not be true: the gateway runs the tool, and has no tool search');
  for (const field of unkept) {
    if ((parameters[field] ?? null) === null) continue;
    refuse(field, 'is supported only if the vendor runs the tool; for this model the gateway runs it');
  }
}
