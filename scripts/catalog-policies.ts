/**
 * What the providers of the shipped catalog publish on data of API calls: what holds by default and for everybody, of
 * all their models chosen here. What needs a setting, an agreement or an application is not here, and nothing is where
 * no page at hand says it: that counts as restrictive.
 *
 * Left out for that reason: Amazon Bedrock (retention depends on the model), Google AI Studio (depends on whether the
 * project is billed), Venice (depends on the model), Mistral, DeepSeek and others whose own page was not at hand.
 */

/** `policy` of a provider in the catalog file. */
export interface PolicyChoice {
  readonly collectsData?: false;
  readonly trains?: false;
  /** At most. */
  readonly retentionDays?: number;
  readonly zeroDataRetention?: true;
  readonly source: string;
}

/** When the pages were read. */
export const POLICY_DATE = '2026-11-24';

/** By slug. */
export const POLICIES: Readonly<Record<string, PolicyChoice>> = {
  // Neither prompts nor replies are stored; metadata are. Models of Google and Anthropic, which it passes on, are not
  // chosen.
  deepinfra: { collectsData: false, trains: false, source: 'https://docs.deepinfra.com/account/data-privacy' },
  // Stored replies, batches and training store, and are not what is called here.
  fireworks: {
    collectsData: false,
    zeroDataRetention: true,
    source: 'https://docs.fireworks.ai/guides/security_compliance/data_handling',
  },
  baseten: {
    collectsData: false,
    zeroDataRetention: true,
    source: 'https://docs.baseten.co/observability/security',
  },
  // Nothing by default; to find failures and abuse, for at most this long.
  groq: { collectsData: false, retentionDays: 30, source: 'https://console.groq.com/docs/your-data' },
  // Pieces of calls in logs of errors, for at most this long.
  wandb: {
    collectsData: false,
    trains: false,
    retentionDays: 14,
    source: 'https://docs.coreweave.com/products/inference/serverless/privacy-and-security',
  },
  // Of its own search models, which are those chosen.
  perplexity: {
    collectsData: false,
    trains: false,
    zeroDataRetention: true,
    source: 'https://docs.perplexity.ai/docs/resources/privacy-security',
  },
  // Of commercial products, the API among them. For how long it keeps data no page at hand says.
  anthropic: {
    trains: false,
    source: 'https://support.anthropic.com/en/articles/9267385-does-anthropic-act-as-a-data-processor-or-controller',
  },
  // Against abuse; shorter by an agreement.
  xai: { trains: false, retentionDays: 30, source: 'https://docs.x.ai/developers/faq/security' },
  // What abuse is looked for in.
  openai: { trains: false, retentionDays: 30, source: 'https://developers.openai.com/api/docs/guides/your-data' },
  // Kept unless the organization says otherwise; training is an option that is off.
  together: { trains: false, source: 'https://docs.together.ai/docs/zero-data-retention' },
  'google-vertex': {
    trains: false,
    source: 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/resources/zero-data-retention',
  },
};
