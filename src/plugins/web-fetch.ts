import type { Plugin } from '../core/plugin.js';
import { flag, optional } from '../shared/http/schema.js';
import { domainList, wholeNumber } from '../shared/http/bounds.js';

const TOOL = 'openrouter:web_fetch';

/** Offers the model the tool that fetches pages (docs/wire/tools-and-plugins.md#plugins). */
export const webFetch: Plugin = {
  id: 'web-fetch',
  options: {
    enabled: optional(flag()),
    allowed_domains: optional(domainList()),
    blocked_domains: optional(domainList()),
    max_content_tokens: optional(wholeNumber()),
    max_uses: optional(wholeNumber()),
  },
  prepare: (request, options) => {
    // Who asks for the tool itself says how it is to be.
    if (request.tools.some((tool) => tool.type === 'service' && tool.id === TOOL)) return { request };
    const tools = [...request.tools, { type: 'service', id: TOOL, parameters: options } as const];
    return { request: { ...request, tools }, note: { summary: 'offered' } };
  },
};
