import type { Source, SourceList } from '../catalog-sources.js';
import { text, type WrittenEntry } from './printing.js';
import type { ProviderEntry, ProviderPolicy } from './read-providers.js';

/** The table of what providers do with calls that are left, with the page behind each row. */
const LEFT_CALLS: Source = {
  id: 'left-calls',
  title: 'OpenRouter, Streaming: cancellation',
  url: 'https://openrouter.ai/docs/api-reference/streaming',
  read: '2026-11-23',
};

export function providerEntry(book: SourceList, provider: ProviderEntry): WrittenEntry {
  const { policy } = provider;
  return {
    lines: [
      `  - slug: ${provider.slug}`,
      `    name: ${text(provider.name)}`,
      `    dialect: ${provider.dialect}`,
      ...(provider.platform === undefined ? [] : [`    platform: ${provider.platform}`]),
      `    base_url: ${provider.baseUrl}`,
      `    credential: { env: ${provider.credentialVariable} }`,
      ...(policy ? [`    policy: ${policyOf(policy)}`] : []),
      ...(provider.billsLeftStreams ? [`    aborts: { stream: billed }`] : []),
    ],
    origins: {
      base_url: book.add(provider.source),
      ...(provider.parameters && { supported_parameters: book.add(provider.parametersSource) }),
      ...(policy && { policy: book.add(policy.source) }),
      ...(provider.billsLeftStreams && { aborts: book.add(LEFT_CALLS) }),
    },
  };
}

function policyOf({ collectsData, trains, retentionDays, zeroDataRetention }: ProviderPolicy): string {
  const parts = [
    ...(collectsData === undefined ? [] : [`collects_data: ${collectsData}`]),
    ...(trains === undefined ? [] : [`trains: ${trains}`]),
    ...(retentionDays === undefined ? [] : [`retention_days: ${retentionDays}`]),
    ...(zeroDataRetention ? [`zero_data_retention: true`] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}
