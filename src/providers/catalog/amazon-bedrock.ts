import type { ProviderDefinition } from '../../core/provider.js';

/** Amazon Bedrock. `dialects/bedrock-converse/families.ts` lists what its models take beyond the format. */
export const amazonBedrock: ProviderDefinition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} };
