import type { ProviderDefinition } from '../../core/provider.js';

/** Amazon Bedrock. What its models take beyond the format stands in `dialects/bedrock-converse/families.ts`. */
export const amazonBedrock: ProviderDefinition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} };
