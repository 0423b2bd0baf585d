// What only some models of Claude refuse.

/**
 * Models of Claude whose strict tools and forms of the answer Bedrock does not know: vercel/ai#16121, #18199, #17919;
 * BerriAI/litellm#31582, #33193, #31943, #32455; read 2026-11-29.
 */
const SCHEMALESS = /claude-(?:opus-4-[78]|sonnet-5|fable-5|sonnet-4-2|opus-4-[12])/;
export const refusesSchemas = (model: string): boolean => SCHEMALESS.test(model);

/** run-llama/llama_index#23207, vercel/ai#21290; read 2026-11-29. */
export const isForcedRefused = (model: string): boolean => model.includes('claude-opus-5-5');
