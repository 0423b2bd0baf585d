import type { VendorTool } from '../../core/conversation/tools.js';
import { Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';

/**
 * @param path the field, as the caller wrote it
 * @param what this target cannot carry
 * @throws Untranslatable always
 */
export function refuse({ model, endpoint }: Target, path: string, what: string): never {
  throw new Untranslatable(path, `${what} cannot be sent to ${model.id} at ${endpoint.provider.name}`);
}

/** A vendor's own tool in a refusal. */
export function vendorToolName({ name, opaque }: VendorTool): string {
  const { type } = opaque.value;
  const kind = typeof type === 'string' ? type : 'unknown';
  return name === undefined || name === kind ? `the vendor's tool ${kind}` : `the vendor's tool ${name} (${kind})`;
}
