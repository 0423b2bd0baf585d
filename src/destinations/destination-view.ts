import type { JsonObject } from '../core/json/json.js';
import {
  described,
  flag,
  freeForm,
  integer,
  moment,
  nullable,
  number,
  object,
  oneOf,
  rows,
  text,
  titled,
  unknown,
  type Static,
} from '../shared/http/schema.js';
import { DESTINATION_STATUSES, DESTINATION_TYPES, type DestinationEntity } from './destination.entity.js';

/** A destination as management sees it: secrets are masked. */
export const destinationView = titled(
  'destination',
  object({
    id: text(),
    workspace_id: text(),
    name: text(),
    type: oneOf(DESTINATION_TYPES),
    config: described(
      'Secrets are masked. The generated secret of a webhook is shown only in the reply that created it.',
      freeForm(),
    ),
    enabled: flag(),
    broadcast: described('Whether it gets the generations of its workspace.', flag()),
    privacy_mode: described('Leaves out the callers’ values of `trace` and `user`.', flag()),
    sampling_rate: number(),
    api_key_hashes: nullable(rows(text())),
    filter_rules: described('Null: none.', unknown()),
    broadcast_generation_cost: flag(),
    broadcast_generation_identity: flag(),
    broadcast_generation_request_context: flag(),
    regions: rows(text()),
    status: described(
      'Whether it works, by the last event or test that was sent to it. `switched_off`: it kept failing; `enabled: true` resumes it.',
      oneOf(DESTINATION_STATUSES),
    ),
    status_reason: described('Of one that does not work.', nullable(text())),
    status_at: described('When the status was found; null before that.', nullable(moment())),
    created_at: moment(),
    updated_at: moment(),
  }),
);
export type DestinationView = Static<typeof destinationView>;

/** @param config as it may be shown */
export const viewDestination = (row: DestinationEntity, config: JsonObject = row.shown): DestinationView => ({
  id: row.id,
  workspace_id: row.workspaceId,
  name: row.name,
  type: row.type,
  config,
  enabled: row.enabled,
  broadcast: row.broadcast,
  privacy_mode: row.privacyMode,
  sampling_rate: row.samplingRate,
  api_key_hashes: row.apiKeyHashes,
  filter_rules: row.filterRules,
  broadcast_generation_cost: row.broadcastGenerationCost,
  broadcast_generation_identity: row.broadcastGenerationIdentity,
  broadcast_generation_request_context: row.broadcastGenerationRequestContext,
  regions: ['global'],
  status: row.status,
  status_reason: row.statusReason,
  status_at: row.statusAt && row.statusAt.toISOString(),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** The result of a test call. */
export const destinationTestView = titled(
  'destination-test',
  object({
    delivered: flag(),
    status: described('HTTP status of the answer; null where none came.', nullable(integer())),
    message: text(),
    latency_ms: integer(),
    event_id: described('The `id` of the event that was sent.', text()),
  }),
);
export type DestinationTestView = Static<typeof destinationTestView>;
