import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Reka: the chat format, with the key in a separate header (docs.reka.ai/chat/overview, by way of
 * github.com/juspay/neurolink, src/lib/providers/catalog/reka.json; read 2026-11-24).
 */
export const reka: ProviderDefinition = { slug: 'reka', credential: 'x-api-key', quirks: {} };
