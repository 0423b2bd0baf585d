import { pluginPath, type Plugin } from '../../core/plugin.js';
import { flag, optional } from '../../shared/http/schema.js';
import { domainRules, wholeNumber } from '../../shared/http/maxima.js';
import { readDomains } from '../../tools/domain-list.js';

const ID = 'web-fetch';
const TOOL = 'openrouter:web_fetch';

/** Offers the model the tool that fetches pages (docs/use/tools-and-plugins.md#plugins). */
export const webFetch: Plugin = {
  id: ID,
  options: {
    enabled: optional(flag()),
    allowed_domains: optional(domainRules()),
    blocked_domains: optional(domainRules()),
    max_content_tokens: optional(wholeNumber({ min: 1 })),
    max_uses: optional(wholeNumber()),
  },
  prepare: (request, options) => {
    // A request that offers the tool itself sets its parameters there.
    if (request.tools.some((tool) => tool.type === 'service' && tool.id === TOOL)) return { request };
    const path = pluginPath(request, ID);
    for (const name of ['allowed_domains', 'blocked_domains']) readDomains(options[name], `${path}.${name}`);
    const tool = { type: 'service', id: TOOL, parameters: options, path, parametersPath: path } as const;
    const tools = [...request.tools, tool];
    return { request: { ...request, tools }, note: { summary: 'offered' } };
  },
};
