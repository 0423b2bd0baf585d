const UNDOCUMENTED = 'Its API is not publicly documented';
const PICTURES = 'Images and video only: it serves no chat model';
const SPEECH = 'Speech only: it serves no chat model';
const OWN_ADDRESS = "Its address differs for each customer: state it in a catalog file";
const WORKSPACE = 'Its calls need a workspace, which credentials cannot state yet';

const sameAs = (slug: string): string => `It is served under the slug ${slug}: keep the key there`;

/**
 * Published slugs without a definition. Each published slug is either here or in `DEFINITIONS`. The text is the reason
 * for callers who store a credential of such a provider. As of 2026-11-24, by the reference of each row. A row without
 * a reference is `UNDOCUMENTED` where no address was found in any page, package or repository. The others (`PICTURES`,
 * `SPEECH`, other spellings of a slug) state what the vendor is known for, without a source.
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
  ['cosine', 'It requires a login and takes no API key'],
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
  // These models are sold on ModelArk: tanstack.com/ai/latest/docs/adapters/byteplus
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
