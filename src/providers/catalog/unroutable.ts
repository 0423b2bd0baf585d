const UNDOCUMENTED = 'Its API is not documented in a place we could read';
const PICTURES = 'Images and video only: it serves no chat model';
const SPEECH = 'Speech only: it serves no chat model';
const OWN_ADDRESS = "Its address is the customer's own: give it in a catalog file";
const WORKSPACE = 'Its calls name a workspace, for which credentials have no place yet';

const sameAs = (slug: string): string => `It is served under the slug ${slug}: keep the key there`;

/**
 * Published slugs without a definition, each with a reason for those who store a key of one. Each published slug is
 * either here or in `DEFINITIONS`. As of 2026-11-24, by the reference beside each row. A row without a reference is
 * `UNDOCUMENTED` where no page, package or repository that was found names an address. The others (`PICTURES`,
 * `SPEECH`, other spellings of a slug) follow what the vendor is known for and were not looked up.
 */
export const UNROUTABLE: ReadonlyMap<string, string> = new Map([
  // docs.litellm.ai/docs/providers/bedrock_claude_platform
  ['amazon-bedrock/claude-on-aws', WORKSPACE],
  ['anthropic/2', sameAs('anthropic')],
  ['black-forest-labs', PICTURES],
  ['cirrascale', UNDOCUMENTED],
  // docs.litellm.ai/docs/providers/bedrock_claude_platform
  ['claude-on-aws', WORKSPACE],
  // The path contains an account's id: @mastra/core 1.71.0, dist/provider-registry.json
  ['cloudflare', OWN_ADDRESS],
  // @mastra/core 1.71.0, dist/provider-registry.json
  ['coreweave', sameAs('wandb')],
  // @cosineai/claw-inference 0.1.0
  ['cosine', 'It takes a login of its own and no API key'],
  // @mastra/core 1.71.0, dist/provider-registry.json
  ['databricks', OWN_ADDRESS],
  ['decart', PICTURES],
  ['deepgram', SPEECH],
  ['dekallm', UNDOCUMENTED],
  ['fish-audio', SPEECH],
  ['heygen', PICTURES],
  ['inferact-vllm', UNDOCUMENTED],
  ['inflection', UNDOCUMENTED],
  ['ionstream', UNDOCUMENTED],
  ['krea', PICTURES],
  ['liquid', UNDOCUMENTED],
  ['mara', UNDOCUMENTED],
  // modal.com/docs/guide/endpoints
  ['modal', OWN_ADDRESS],
  ['modelrun', UNDOCUMENTED],
  ['nex-agi', UNDOCUMENTED],
  ['open-inference', UNDOCUMENTED],
  ['quiver', PICTURES],
  ['recraft', PICTURES],
  ['runway', PICTURES],
  ['sakana-ai', sameAs('sakana')],
  // Its models are sold on ModelArk: tanstack.com/ai/latest/docs/adapters/byteplus
  ['seed', sameAs('byteplus')],
  ['sourceful', PICTURES],
  ['switchpoint', UNDOCUMENTED],
  ['tenstorrent', UNDOCUMENTED],
  // github.com/juspay/neurolink, its guide of the provider typesafe
  ['typesafe', 'Typed decisions only: it serves no chat model'],
  ['unbiased', UNDOCUMENTED],
  // @portkey-ai/gateway 1.15.2
  ['voyageai', 'Embeddings and reranking only: it serves no chat model'],
  ['wandb-legacy', sameAs('wandb')],
]);
