import type { Plugin } from '../core/plugin.js';
import { flag, object, oneOf, optional } from '../shared/http/schema.js';

/** Turns PDFs into text for models that read none (docs/wire/tools-and-plugins.md#plugins). */
export const fileParser: Plugin = {
  id: 'file-parser',
  options: {
    enabled: optional(flag()),
    pdf: optional(object({ engine: optional(oneOf(['mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text'])) })),
  },
};
