import { hash } from 'node:crypto';
import type { GenerationRecordView } from '../ledger/generations/generation-view.js';
import type { DestinationEntity } from './destination.entity.js';
import { comparable, passes, type FilteredFields } from './filter-rules.js';

/** A generation as destinations get it: without the fields that its owner left out. */
export type BroadcastRecord = Partial<GenerationRecordView> & Pick<GenerationRecordView, 'id' | 'model' | 'created_at'>;

/** A settled generation, with the name of its key. */
export interface NamedGeneration {
  readonly record: GenerationRecordView;
  readonly keyName: string | null;
}

type Field = keyof GenerationRecordView;
const COST_FIELDS: readonly Field[] = ['usage', 'server_tool_cost', 'total_cost', 'upstream_inference_cost'];
const IDENTITY_FIELDS: readonly Field[] = ['key', 'member', 'user', 'external_user', 'workspace_id'];
const CONTEXT_FIELDS: readonly Field[] = [
  'session_id',
  'trace',
  'tags',
  'request_id',
  'http_referer',
  'user_agent',
  'origin',
];
/** Fields with texts of callers. */
const PRIVATE_FIELDS: readonly Field[] = ['trace', 'tags', 'user', 'external_user'];
/** Characters of the trace of one generation: it is the caller's own JSON. */
const TRACE_CHARACTERS_MAX = 4_096;
/** Digits of a digest that decide whether a generation is in a sample. */
const SAMPLE_DIGITS = 8;

type Receiver = Pick<
  DestinationEntity,
  | 'apiKeyHashes'
  | 'samplingRate'
  | 'filterRules'
  | 'privacyMode'
  | 'broadcastGenerationCost'
  | 'broadcastGenerationIdentity'
  | 'broadcastGenerationRequestContext'
>;

/** Whether a destination is to get a generation. The sample depends on its id alone, so that repetitions agree. */
export function isWanted(receiver: Receiver, { record, keyName }: NamedGeneration): boolean {
  const { apiKeyHashes, samplingRate, filterRules } = receiver;
  if (apiKeyHashes && !apiKeyHashes.includes(record.key)) return false;
  if (samplingRate < 1 && shareOf(record.id) >= samplingRate) return false;
  return passes(filterRules, filteredFields(record, keyName));
}

/** A generation as a destination gets it. Never content: it is not kept. */
export function recordFor(receiver: Receiver, { record }: NamedGeneration): BroadcastRecord {
  const left = new Set<Field>([
    ...(receiver.privacyMode ? PRIVATE_FIELDS : []),
    ...(receiver.broadcastGenerationCost ? [] : COST_FIELDS),
    ...(receiver.broadcastGenerationIdentity ? [] : IDENTITY_FIELDS),
    ...(receiver.broadcastGenerationRequestContext ? [] : CONTEXT_FIELDS),
    ...(JSON.stringify(record.trace ?? null).length > TRACE_CHARACTERS_MAX ? (['trace'] as const) : []),
  ]);
  const kept = Object.entries(record).filter(([name]) => !left.has(name as Field));
  return Object.fromEntries(kept) as unknown as BroadcastRecord;
}

/** Number in [0, 1) that an id yields. */
const shareOf = (id: string): number =>
  Number.parseInt(hash('sha256', id, 'hex').slice(0, SAMPLE_DIGITS), 16) / 16 ** SAMPLE_DIGITS;

const filteredFields = (record: GenerationRecordView, keyName: string | null): FilteredFields => ({
  model: record.model,
  provider: record.provider,
  session_id: record.session_id,
  user_id: comparable(record.user),
  api_key_name: keyName,
  finish_reason: record.finish_reason,
  total_cost: record.total_cost,
  total_tokens: record.tokens_prompt + record.tokens_completion,
  prompt_tokens: record.tokens_prompt,
  completion_tokens: record.tokens_completion,
});
