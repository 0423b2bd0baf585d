// Written by `npm run console:types` from the description of the API: do not edit.

/** Where the operations are. */
export const OPERATIONS = {
  accountPreferencesShow: { method: 'GET', path: '/account/preferences' },
  accountPreferencesUpdate: { method: 'PATCH', path: '/account/preferences' },
  activityList: { method: 'GET', path: '/activity' },
  alarmsCreate: { method: 'POST', path: '/alarms' },
  alarmsHistory: { method: 'GET', path: '/alarms/history' },
  alarmsList: { method: 'GET', path: '/alarms' },
  alarmsRemove: { method: 'DELETE', path: '/alarms/{id}' },
  alarmsShow: { method: 'GET', path: '/alarms/{id}' },
  alarmsTest: { method: 'POST', path: '/alarms/{id}/test' },
  alarmsUpdate: { method: 'PATCH', path: '/alarms/{id}' },
  analyticsQuery: { method: 'POST', path: '/analytics/query' },
  assignmentsAssignKeys: { method: 'POST', path: '/guardrails/{id}/assignments/keys' },
  assignmentsAssignMembers: { method: 'POST', path: '/guardrails/{id}/assignments/members' },
  assignmentsListKeys: { method: 'GET', path: '/guardrails/{id}/assignments/keys' },
  assignmentsListMembers: { method: 'GET', path: '/guardrails/{id}/assignments/members' },
  assignmentsUnassignKeys: { method: 'POST', path: '/guardrails/{id}/assignments/keys/remove' },
  assignmentsUnassignMembers: { method: 'POST', path: '/guardrails/{id}/assignments/members/remove' },
  auditList: { method: 'GET', path: '/audit' },
  auditVerify: { method: 'GET', path: '/audit/verification' },
  budgetsList: { method: 'GET', path: '/workspaces/{reference}/budgets' },
  budgetsRemove: { method: 'DELETE', path: '/workspaces/{reference}/budgets/{interval}' },
  budgetsSet: { method: 'PUT', path: '/workspaces/{reference}/budgets/{interval}' },
  byokCreate: { method: 'POST', path: '/byok' },
  byokList: { method: 'GET', path: '/byok' },
  byokRemove: { method: 'DELETE', path: '/byok/{id}' },
  byokShow: { method: 'GET', path: '/byok/{id}' },
  byokTest: { method: 'POST', path: '/byok/{id}/test' },
  byokUpdate: { method: 'PATCH', path: '/byok/{id}' },
  catalogShow: { method: 'GET', path: '/catalog' },
  chatPresetsSave: { method: 'POST', path: '/presets/{slug}/chat/completions' },
  creditsEnter: { method: 'POST', path: '/credits' },
  creditsList: { method: 'GET', path: '/credits/entries' },
  creditsShow: { method: 'GET', path: '/credits' },
  creditsVerification: { method: 'GET', path: '/credits/verification' },
  destinationsCreate: { method: 'POST', path: '/observability/destinations' },
  destinationsList: { method: 'GET', path: '/observability/destinations' },
  destinationsRemove: { method: 'DELETE', path: '/observability/destinations/{id}' },
  destinationsRotate: { method: 'POST', path: '/observability/destinations/{id}/rotate' },
  destinationsShow: { method: 'GET', path: '/observability/destinations/{id}' },
  destinationsTest: { method: 'POST', path: '/observability/destinations/{id}/test' },
  destinationsUpdate: { method: 'PATCH', path: '/observability/destinations/{id}' },
  explainExplain: { method: 'POST', path: '/routing/explain' },
  generationShow: { method: 'GET', path: '/generation' },
  generationsList: { method: 'GET', path: '/generations' },
  guardrailsCreate: { method: 'POST', path: '/guardrails' },
  guardrailsList: { method: 'GET', path: '/guardrails' },
  guardrailsRemove: { method: 'DELETE', path: '/guardrails/{id}' },
  guardrailsShow: { method: 'GET', path: '/guardrails/{id}' },
  guardrailsTest: { method: 'POST', path: '/guardrails/{id}/test' },
  guardrailsUpdate: { method: 'PATCH', path: '/guardrails/{id}' },
  keysCreate: { method: 'POST', path: '/keys' },
  keysEndSecret: { method: 'DELETE', path: '/keys/{hash}/secrets/{id}' },
  keysList: { method: 'GET', path: '/keys' },
  keysRaise: { method: 'POST', path: '/keys/{hash}/raise' },
  keysRemove: { method: 'DELETE', path: '/keys/{hash}' },
  keysRotate: { method: 'POST', path: '/keys/{hash}/rotate' },
  keysShow: { method: 'GET', path: '/keys/{hash}' },
  keysUpdate: { method: 'PATCH', path: '/keys/{hash}' },
  membersAdd: { method: 'POST', path: '/workspaces/{reference}/members/add' },
  membersList: { method: 'GET', path: '/workspaces/{reference}/members' },
  membersRemove: { method: 'POST', path: '/workspaces/{reference}/members/remove' },
  messagesPresetsSave: { method: 'POST', path: '/presets/{slug}/messages' },
  modelListEndpoints: { method: 'GET', path: '/models/{author}/{slug}/endpoints' },
  modelsList: { method: 'GET', path: '/models' },
  presetsList: { method: 'GET', path: '/presets' },
  presetsListVersions: { method: 'GET', path: '/presets/{slug}/versions' },
  presetsRemove: { method: 'DELETE', path: '/presets/{slug}' },
  presetsShow: { method: 'GET', path: '/presets/{slug}' },
  presetsUpdate: { method: 'PATCH', path: '/presets/{slug}' },
  providersList: { method: 'GET', path: '/providers' },
  responsesPresetsSave: { method: 'POST', path: '/presets/{slug}/responses' },
  statementsClose: { method: 'POST', path: '/statements/{month}/close' },
  statementsList: { method: 'GET', path: '/statements' },
  statementsShow: { method: 'GET', path: '/statements/{month}' },
  subjectBudgetsList: { method: 'GET', path: '/budgets' },
  subjectBudgetsRaise: { method: 'POST', path: '/budgets/{scope}/{id}/{interval}/raise' },
  subjectBudgetsRemove: { method: 'DELETE', path: '/budgets/{scope}/{id}/{interval}' },
  subjectBudgetsSet: { method: 'PUT', path: '/budgets/{scope}/{id}/{interval}' },
  subjectBudgetsShow: { method: 'GET', path: '/budgets/{scope}/{id}/{interval}' },
  workspacesCreate: { method: 'POST', path: '/workspaces' },
  workspacesList: { method: 'GET', path: '/workspaces' },
  workspacesRemove: { method: 'DELETE', path: '/workspaces/{reference}' },
  workspacesShow: { method: 'GET', path: '/workspaces/{reference}' },
  workspacesUpdate: { method: 'PATCH', path: '/workspaces/{reference}' },
} as const;

/** What the operations take and answer. */
export interface Operations {
  accountPreferencesShow: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: AccountPreferences };
  };
  accountPreferencesUpdate: {
    path: undefined;
    query: undefined;
    body: AccountPreferencesBody;
    reply: { readonly data: AccountPreferences };
  };
  activityList: {
    path: undefined;
    query: { date?: string | undefined; from?: string | undefined; to?: string | undefined; granularity?: 'hour' | 'day' | undefined; group_by?: string | undefined; api_key_hash?: string | undefined; user_id?: string | undefined; workspace_id?: string | undefined; model?: string | undefined; provider?: string | undefined; endpoint?: string | undefined; key?: string | undefined; user?: string | undefined; member?: string | undefined; session_id?: string | undefined; status?: string | undefined; outcome?: 'completed' | 'refused' | 'untranslatable' | 'caller-gone' | 'timed-out' | 'service-unavailable' | 'forbidden' | 'provider-unreachable' | 'provider-timed-out' | 'provider-refused-credential' | 'provider-payment-required' | 'provider-not-found' | 'provider-rejected-request' | 'provider-too-large' | 'provider-rate-limited' | 'provider-unavailable' | 'provider-overloaded' | 'provider-server-error' | 'provider-malformed-reply' | 'invalid-request' | 'context-too-long' | 'unauthenticated' | 'payment-required' | 'not-found' | 'method-not-allowed' | 'conflict' | 'request-timed-out' | 'too-large' | 'unsupported-media-type' | 'unprocessable' | 'rate-limited' | 'headers-too-large' | 'client-closed' | 'internal' | 'upstream-failed' | 'unavailable' | 'overloaded' | 'recovered' | undefined; error_type?: 'authentication' | 'context_length_exceeded' | 'invalid_request' | 'not_found' | 'payload_too_large' | 'payment_required' | 'permission_denied' | 'provider_overloaded' | 'provider_unavailable' | 'rate_limit_exceeded' | 'server' | 'timeout' | 'unprocessable' | undefined; api?: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank' | undefined; dialect?: 'anthropic-messages' | 'bedrock-converse' | 'cohere-chat' | 'google-gemini' | 'openai-chat' | 'openai-responses' | 'simulated' | undefined; tag?: string | readonly (string)[] | undefined; format?: 'csv' | 'ndjson' | undefined };
    body: undefined;
    reply: { readonly data: readonly (Activity)[] };
  };
  alarmsCreate: {
    path: undefined;
    query: undefined;
    body: CreateAlarmBody;
    reply: { readonly data: Alarm };
  };
  alarmsHistory: {
    path: undefined;
    query: { alarm_id?: string | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (AlarmEvent)[]; readonly total_count: number };
  };
  alarmsList: {
    path: undefined;
    query: { format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Alarm)[]; readonly total_count: number };
  };
  alarmsRemove: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  alarmsShow: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Alarm };
  };
  alarmsTest: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: { readonly event_id: string; readonly destination_ids: readonly (string)[] } };
  };
  alarmsUpdate: {
    path: { id: string };
    query: undefined;
    body: UpdateAlarmBody;
    reply: { readonly data: Alarm };
  };
  analyticsQuery: {
    path: undefined;
    query: undefined;
    body: AnalyticsQueryBody;
    reply: { readonly data: Analytics };
  };
  assignmentsAssignKeys: {
    path: { id: string };
    query: undefined;
    body: KeyHashesBody;
    reply: { readonly assigned_count: number };
  };
  assignmentsAssignMembers: {
    path: { id: string };
    query: undefined;
    body: MemberUserIdsBody;
    reply: { readonly assigned_count: number };
  };
  assignmentsListKeys: {
    path: { id: string };
    query: { format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (KeyAssignment)[]; readonly total_count: number };
  };
  assignmentsListMembers: {
    path: { id: string };
    query: { format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (MemberAssignment)[]; readonly total_count: number };
  };
  assignmentsUnassignKeys: {
    path: { id: string };
    query: undefined;
    body: KeyHashesBody;
    reply: { readonly unassigned_count: number };
  };
  assignmentsUnassignMembers: {
    path: { id: string };
    query: undefined;
    body: MemberUserIdsBody;
    reply: { readonly unassigned_count: number };
  };
  auditList: {
    path: undefined;
    query: { limit?: string | undefined; cursor?: string | undefined; action?: 'account.preferences.update' | 'alarm.create' | 'alarm.update' | 'alarm.delete' | 'api_key.create' | 'api_key.update' | 'api_key.delete' | 'api_key.raise' | 'api_key.rotate' | 'api_key.secret.end' | 'budget.set' | 'budget.raise' | 'budget.remove' | 'byok.create' | 'byok.update' | 'byok.delete' | 'console_session.create' | 'console_session.end' | 'credits.enter' | 'destination.create' | 'destination.update' | 'destination.delete' | 'destination.rotate' | 'destination.disable' | 'guardrail.create' | 'guardrail.update' | 'guardrail.delete' | 'guardrail.assign' | 'guardrail.unassign' | 'preset.create' | 'preset.update' | 'preset.delete' | 'statement.close' | 'workspace.create' | 'workspace.update' | 'workspace.delete' | 'workspace.budget.set' | 'workspace.budget.remove' | 'workspace.members.add' | 'workspace.members.remove' | undefined; target?: string | undefined; actor?: string | undefined; workspace_id?: string | undefined; format?: 'csv' | 'ndjson' | undefined };
    body: undefined;
    reply: { readonly data: readonly (AuditEntry)[]; readonly next_cursor: string | null };
  };
  auditVerify: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: AuditVerification };
  };
  budgetsList: {
    path: { reference: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: readonly (Budget)[]; readonly include_byok_in_budgets: boolean };
  };
  budgetsRemove: {
    path: { reference: string; interval: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  budgetsSet: {
    path: { reference: string; interval: string };
    query: undefined;
    body: SetBudgetBody;
    reply: { readonly data: Budget; readonly include_byok_in_budgets: boolean };
  };
  byokCreate: {
    path: undefined;
    query: undefined;
    body: CreateCredentialBody;
    reply: { readonly data: Credential };
  };
  byokList: {
    path: undefined;
    query: { workspace_id?: string | undefined; provider?: string | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Credential)[]; readonly total_count: number };
  };
  byokRemove: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  byokShow: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Credential };
  };
  byokTest: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: CredentialTest };
  };
  byokUpdate: {
    path: { id: string };
    query: undefined;
    body: UpdateCredentialBody;
    reply: { readonly data: Credential };
  };
  catalogShow: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: { readonly in_force_since: string; readonly hash: string; readonly faults: readonly ({ readonly file: string; readonly line: number; readonly field: string; readonly message: string })[] } };
  };
  chatPresetsSave: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: CreateChatBody;
    reply: { readonly data: DesignatedPreset };
  };
  creditsEnter: {
    path: undefined;
    query: undefined;
    body: EnterCreditsBody;
    reply: { readonly data: Credits };
  };
  creditsList: {
    path: undefined;
    query: { kind?: 'grant' | 'purchase' | 'adjustment' | 'refund' | 'generation' | 'correction' | undefined; from?: string | undefined; to?: string | undefined; workspace_id?: string | undefined; cursor?: string | undefined; limit?: string | undefined; format?: 'csv' | 'ndjson' | undefined };
    body: undefined;
    reply: { readonly data: readonly (CreditEntry)[]; readonly next_cursor: string | null };
  };
  creditsShow: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: Balance };
  };
  creditsVerification: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: LedgerVerification | null };
  };
  destinationsCreate: {
    path: undefined;
    query: undefined;
    body: CreateDestinationBody;
    reply: { readonly data: Destination };
  };
  destinationsList: {
    path: undefined;
    query: { workspace_id?: string | undefined; type?: 'webhook' | 'slack' | 'otel-collector' | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Destination)[]; readonly total_count: number };
  };
  destinationsRemove: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  destinationsRotate: {
    path: { id: string };
    query: undefined;
    body: RotateSecretBody;
    reply: { readonly data: Destination };
  };
  destinationsShow: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Destination };
  };
  destinationsTest: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: DestinationTest };
  };
  destinationsUpdate: {
    path: { id: string };
    query: undefined;
    body: UpdateDestinationBody;
    reply: { readonly data: Destination };
  };
  explainExplain: {
    path: undefined;
    query: { format?: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank' | undefined; seed?: string | undefined };
    body: CreateMessageBody | CreateChatBody | CreateResponseBody | CreateEmbeddingsBody | CreateRerankBody;
    reply: { readonly data: Plan };
  };
  generationShow: {
    path: undefined;
    query: { id?: string | undefined };
    body: undefined;
    reply: { readonly data: Generation };
  };
  generationsList: {
    path: undefined;
    query: { model?: string | undefined; provider?: string | undefined; key?: string | undefined; user?: string | undefined; member?: string | undefined; session_id?: string | undefined; status?: string | undefined; outcome?: 'completed' | 'refused' | 'untranslatable' | 'caller-gone' | 'timed-out' | 'service-unavailable' | 'forbidden' | 'provider-unreachable' | 'provider-timed-out' | 'provider-refused-credential' | 'provider-payment-required' | 'provider-not-found' | 'provider-rejected-request' | 'provider-too-large' | 'provider-rate-limited' | 'provider-unavailable' | 'provider-overloaded' | 'provider-server-error' | 'provider-malformed-reply' | 'invalid-request' | 'context-too-long' | 'unauthenticated' | 'payment-required' | 'not-found' | 'method-not-allowed' | 'conflict' | 'request-timed-out' | 'too-large' | 'unsupported-media-type' | 'unprocessable' | 'rate-limited' | 'headers-too-large' | 'client-closed' | 'internal' | 'upstream-failed' | 'unavailable' | 'overloaded' | 'recovered' | undefined; error_type?: 'authentication' | 'context_length_exceeded' | 'invalid_request' | 'not_found' | 'payload_too_large' | 'payment_required' | 'permission_denied' | 'provider_overloaded' | 'provider_unavailable' | 'rate_limit_exceeded' | 'server' | 'timeout' | 'unprocessable' | undefined; min_cost?: string | undefined; api?: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank' | undefined; tag?: string | readonly (string)[] | undefined; from?: string | undefined; to?: string | undefined; workspace_id?: string | undefined; cursor?: string | undefined; limit?: string | undefined; format?: 'csv' | 'ndjson' | undefined };
    body: undefined;
    reply: { readonly data: readonly (GenerationRecord)[]; readonly next_cursor: string | null };
  };
  guardrailsCreate: {
    path: undefined;
    query: undefined;
    body: CreateGuardrailBody;
    reply: { readonly data: Guardrail };
  };
  guardrailsList: {
    path: undefined;
    query: { workspace_id?: string | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Guardrail)[]; readonly total_count: number };
  };
  guardrailsRemove: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  guardrailsShow: {
    path: { id: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Guardrail };
  };
  guardrailsTest: {
    path: { id: string };
    query: undefined;
    body: TryTextBody;
    reply: { readonly data: GuardrailTrial };
  };
  guardrailsUpdate: {
    path: { id: string };
    query: undefined;
    body: UpdateGuardrailBody;
    reply: { readonly data: Guardrail };
  };
  keysCreate: {
    path: undefined;
    query: undefined;
    body: CreateKeyBody;
    reply: { readonly data: WholeKey; readonly key: string };
  };
  keysEndSecret: {
    path: { hash: string; id: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  keysList: {
    path: undefined;
    query: { limit?: string | undefined; include_disabled?: 'true' | 'false' | undefined; include_deleted?: 'true' | 'false' | undefined; disabled?: 'true' | 'false' | undefined; kind?: 'inference' | 'management' | undefined; creator_user_id?: string | undefined; workspace_id?: string | undefined; name?: string | undefined; sort?: 'created_at' | 'usage' | 'last_used_at' | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Key)[]; readonly total_count: number };
  };
  keysRaise: {
    path: { hash: string };
    query: undefined;
    body: RaiseBody;
    reply: { readonly data: WholeKey };
  };
  keysRemove: {
    path: { hash: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  keysRotate: {
    path: { hash: string };
    query: undefined;
    body: RotateKeyBody;
    reply: { readonly data: WholeKey; readonly key: string };
  };
  keysShow: {
    path: { hash: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: WholeKey };
  };
  keysUpdate: {
    path: { hash: string };
    query: undefined;
    body: UpdateKeyBody;
    reply: { readonly data: WholeKey };
  };
  membersAdd: {
    path: { reference: string };
    query: undefined;
    body: MembersBody;
    reply: { readonly data: readonly (Member)[]; readonly added_count: number };
  };
  membersList: {
    path: { reference: string };
    query: { format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Member)[]; readonly total_count: number };
  };
  membersRemove: {
    path: { reference: string };
    query: undefined;
    body: MembersBody;
    reply: { readonly removed_count: number };
  };
  messagesPresetsSave: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: CreateMessageBody;
    reply: { readonly data: DesignatedPreset };
  };
  modelListEndpoints: {
    path: { author: string; slug: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: ModelEndpoints };
  };
  modelsList: {
    path: undefined;
    query: { offset?: string | undefined; limit?: string | undefined; after_id?: string | undefined; before_id?: string | undefined; sort?: 'most-popular' | 'newest' | 'top-weekly' | 'pricing-low-to-high' | 'pricing-high-to-low' | 'context-high-to-low' | 'throughput-high-to-low' | 'latency-low-to-high' | 'intelligence-high-to-low' | 'coding-high-to-low' | 'agentic-high-to-low' | 'design-arena-elo-high-to-low' | undefined; q?: string | undefined; supported_parameters?: string | undefined; input_modalities?: string | undefined; output_modalities?: string | undefined; context?: string | undefined; min_price?: string | undefined; max_price?: string | undefined; min_output_price?: string | undefined; max_output_price?: string | undefined; model_authors?: string | undefined; providers?: string | undefined; distillable?: 'true' | 'false' | undefined; zdr?: 'true' | undefined; region?: 'eu' | 'us' | undefined; category?: 'programming' | 'roleplay' | 'marketing' | 'marketing/seo' | 'technology' | 'science' | 'translation' | 'legal' | 'finance' | 'health' | 'trivia' | 'academia' | undefined; arch?: string | undefined; min_age_days?: string | undefined; max_age_days?: string | undefined; min_intelligence_index?: string | undefined; max_intelligence_index?: string | undefined; min_coding_index?: string | undefined; max_coding_index?: string | undefined; min_agentic_index?: string | undefined; max_agentic_index?: string | undefined; min_tool_success_rate?: string | undefined; max_tool_success_rate?: string | undefined; callable?: 'true' | 'false' | undefined; use_rss?: 'false' | undefined; use_rss_chat_links?: 'false' | undefined };
    body: undefined;
    reply: { readonly data: readonly (Model)[]; readonly total_count: number; readonly links: { readonly next: string | null }; readonly has_more: boolean; readonly first_id: string | null; readonly last_id: string | null };
  };
  presetsList: {
    path: undefined;
    query: { workspace_id?: string | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Preset)[]; readonly total_count: number };
  };
  presetsListVersions: {
    path: { slug: string };
    query: { workspace_id?: string | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (PresetVersion)[]; readonly total_count: number };
  };
  presetsRemove: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: undefined;
    reply: { readonly deleted: true };
  };
  presetsShow: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: undefined;
    reply: { readonly data: DesignatedPreset };
  };
  presetsUpdate: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: UpdatePresetBody;
    reply: { readonly data: DesignatedPreset };
  };
  providersList: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: readonly (Provider)[] };
  };
  responsesPresetsSave: {
    path: { slug: string };
    query: { workspace_id?: string | undefined };
    body: CreateResponseBody;
    reply: { readonly data: DesignatedPreset };
  };
  statementsClose: {
    path: { month: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Statement };
  };
  statementsList: {
    path: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly data: readonly (Statement)[] };
  };
  statementsShow: {
    path: { month: string };
    query: { format?: 'json' | 'csv' | undefined };
    body: undefined;
    reply: { readonly data: { readonly month: string; readonly status: 'open' | 'closed'; readonly opening_balance: number; readonly credits: number; readonly charges: number; readonly corrections: number; readonly closing_balance: number; readonly closed_at: string | null; readonly closed_by: string | null; readonly hash: string | null; readonly lines: readonly (StatementLine)[] } };
  };
  subjectBudgetsList: {
    path: undefined;
    query: { scope?: 'users' | 'members' | 'tags' | undefined; id?: string | undefined; format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (SubjectBudget)[]; readonly total_count: number };
  };
  subjectBudgetsRaise: {
    path: { scope: string; id: string; interval: string };
    query: { id?: string | undefined };
    body: RaiseBody;
    reply: { readonly data: SubjectBudget };
  };
  subjectBudgetsRemove: {
    path: { scope: string; id: string; interval: string };
    query: { id?: string | undefined };
    body: undefined;
    reply: { readonly deleted: true };
  };
  subjectBudgetsSet: {
    path: { scope: string; id: string; interval: string };
    query: { id?: string | undefined };
    body: SetSubjectBudgetBody;
    reply: { readonly data: SubjectBudget };
  };
  subjectBudgetsShow: {
    path: { scope: string; id: string; interval: string };
    query: { id?: string | undefined };
    body: undefined;
    reply: { readonly data: SubjectBudget };
  };
  workspacesCreate: {
    path: undefined;
    query: undefined;
    body: CreateWorkspaceBody;
    reply: { readonly data: Workspace };
  };
  workspacesList: {
    path: undefined;
    query: { format?: 'csv' | 'ndjson' | undefined; offset?: string | undefined; limit?: string | undefined };
    body: undefined;
    reply: { readonly data: readonly (Workspace)[]; readonly total_count: number };
  };
  workspacesRemove: {
    path: { reference: string };
    query: undefined;
    body: undefined;
    reply: { readonly deleted: true };
  };
  workspacesShow: {
    path: { reference: string };
    query: undefined;
    body: undefined;
    reply: { readonly data: Workspace };
  };
  workspacesUpdate: {
    path: { reference: string };
    query: undefined;
    body: UpdateWorkspaceBody;
    reply: { readonly data: Workspace };
  };
}

export type AccountPreferences = { readonly allowed_providers: readonly (string)[] | null; readonly ignored_providers: readonly (string)[] | null; readonly data_collection: 'allow' | 'deny'; readonly enforce_zdr: boolean; readonly plugins: readonly ({ readonly id: string; readonly enabled?: boolean; readonly prevent_overrides?: boolean })[]; readonly egress: { readonly allowed_domains: readonly (string)[] | null; readonly blocked_domains: readonly (string)[] | null } | null };

export type AccountPreferencesBody = { readonly egress?: { readonly allowed_domains?: readonly (string)[] | null; readonly blocked_domains?: readonly (string)[] | null } | null; readonly allowed_providers?: readonly (string)[] | null; readonly ignored_providers?: readonly (string)[] | null; readonly data_collection?: 'allow' | 'deny'; readonly enforce_zdr?: boolean; readonly plugins?: readonly (PluginDefault)[] | null };

export type Activity = { readonly date: string; readonly model?: string | null; readonly model_permaslug?: string; readonly endpoint_id?: string; readonly provider?: string | null; readonly provider_name?: string; readonly endpoint?: string | null; readonly key?: string | null; readonly key_name?: string | null; readonly member?: string | null; readonly user?: string | null; readonly session?: string | null; readonly workspace?: string | null; readonly api?: string | null; readonly dialect?: string | null; readonly outcome?: string | null; readonly error_type?: string | null; readonly status?: number | null; readonly usage: number; readonly byok_usage_inference: number; readonly operator_cost: number; readonly requests: number; readonly errors?: number; readonly prompt_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly cached_tokens?: number; readonly workspace_id?: string; readonly workspace_name?: string | null };

export type Alarm = { readonly id: string; readonly name: string; readonly enabled: boolean; readonly on: Readonly<Record<string, unknown>>; readonly percents: readonly (number)[] | null; readonly forecast: boolean; readonly destination_ids: readonly (string)[]; readonly status: 'watching' | 'missing'; readonly status_reason: string | null; readonly judged_at: string | null; readonly created_at: string; readonly updated_at: string };

export type AlarmEvent = { readonly id: string; readonly alarm_id: string; readonly type: string; readonly occurred_at: string; readonly data: Readonly<Record<string, unknown>>; readonly deliveries: readonly ({ readonly destination_id: string; readonly status: 'waiting' | 'sent' | 'given_up'; readonly attempts: number; readonly last_status: number | null; readonly last_error: string | null; readonly next_attempt_at: string | null; readonly finished_at: string | null })[] };

export type Analytics = { readonly data: readonly (Readonly<Record<string, unknown>>)[]; readonly metadata: { readonly query_time_ms: number; readonly row_count: number; readonly truncated: boolean }; readonly warnings?: readonly (string)[] };

export type AnalyticsQueryBody = { readonly metrics: readonly (string)[]; readonly dimensions?: readonly (string)[]; readonly filters?: readonly ({ readonly field: string; readonly operator: 'eq' | 'neq' | 'in' | 'not_in' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: readonly (string | number)[] | string | number; readonly include_unset?: boolean })[]; readonly granularity?: 'minute' | 'hour' | 'day' | 'week' | 'month'; readonly time_range?: { readonly start: string; readonly end: string }; readonly order_by?: { readonly field: string; readonly direction: 'asc' | 'desc' }; readonly limit?: number; readonly group_limit?: number };

export type AuditEntry = { readonly id: string; readonly created_at: string; readonly actor: { readonly key_hash: string; readonly user_id: string | null; readonly session?: true }; readonly action: string; readonly target: string; readonly workspace_id: string | null; readonly before: unknown; readonly after: unknown; readonly previous_hash: string; readonly hash: string; readonly seal: string | null };

export type AuditVerification = { readonly verified_at: string; readonly entries: number; readonly unsealed: number; readonly unchecked: number; readonly last: { readonly id: string; readonly hash: string; readonly seal: string | null }; readonly broken: { readonly id: string; readonly reason: string } | null };

export type Balance = { readonly total_credits: number | null; readonly total_usage: number };

export type Budget = { readonly id: string; readonly workspace_id: string; readonly interval: 'daily' | 'weekly' | 'monthly' | 'lifetime'; readonly reset_interval: 'daily' | 'weekly' | 'monthly' | null; readonly limit_usd: number; readonly include_byok_in_budgets: boolean; readonly usage: number; readonly held: number; readonly remaining: number; readonly resets_at: string | null; readonly created_at: string; readonly updated_at: string };

export type CacheControl = { readonly type: 'ephemeral'; readonly ttl?: '5m' | '1h'; readonly scope?: unknown };

export type ChatAssistantPart = ChatAssistantPartText | ChatAssistantPartRefusal;

export type ChatAssistantPartRefusal = { readonly type: 'refusal'; readonly refusal: string };

export type ChatAssistantPartText = { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl | null };

export type ChatTextPart = { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl | null };

export type ChatToolPart = ChatToolPartText | ChatToolPartImageUrl | ChatToolPartFile;

export type ChatToolPartFile = { readonly type: 'file'; readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }; readonly cache_control?: CacheControl | null };

export type ChatToolPartImageUrl = { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' | 'original' }; readonly cache_control?: CacheControl | null };

export type ChatToolPartText = { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl | null };

export type ChatUserPart = ChatUserPartText | ChatUserPartImageUrl | ChatUserPartInputAudio | ChatUserPartVideoUrl | ChatUserPartInputVideo | ChatUserPartFile;

export type ChatUserPartFile = { readonly type: 'file'; readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }; readonly cache_control?: CacheControl | null };

export type ChatUserPartImageUrl = { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' | 'original' }; readonly cache_control?: CacheControl | null };

export type ChatUserPartInputAudio = { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string }; readonly cache_control?: CacheControl | null };

export type ChatUserPartInputVideo = { readonly type: 'input_video'; readonly video_url: { readonly url: string }; readonly cache_control?: CacheControl | null };

export type ChatUserPartText = { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl | null };

export type ChatUserPartVideoUrl = { readonly type: 'video_url'; readonly video_url: { readonly url: string }; readonly cache_control?: CacheControl | null };

export type Citations = readonly ({ readonly type: 'char_location'; readonly cited_text: string; readonly document_index: number; readonly document_title: string | null; readonly start_char_index: number; readonly end_char_index: number } | { readonly type: 'page_location'; readonly cited_text: string; readonly document_index: number; readonly document_title: string | null; readonly start_page_number: number; readonly end_page_number: number } | { readonly type: 'content_block_location'; readonly cited_text: string; readonly document_index: number; readonly document_title: string | null; readonly start_block_index: number; readonly end_block_index: number } | { readonly type: 'web_search_result_location'; readonly cited_text: string; readonly url: string; readonly title: string | null; readonly encrypted_index: string } | { readonly type: 'search_result_location'; readonly cited_text: string; readonly source: string; readonly title: string | null; readonly search_result_index: number; readonly start_block_index: number; readonly end_block_index: number })[];

export type CreateAlarmBody = { readonly name: string; readonly on: { readonly kind: 'limit'; readonly key: string } | { readonly kind: 'budget'; readonly scope: 'workspaces' | 'guardrails' | 'users' | 'members' | 'tags'; readonly id: string; readonly interval: 'daily' | 'weekly' | 'monthly' | 'lifetime' } | { readonly kind: 'balance'; readonly below_usd: number } | { readonly kind: 'outage'; readonly provider?: string } | { readonly kind: 'credential' } | { readonly kind: 'operator_cost'; readonly usd_per_hour: number }; readonly destination_ids: readonly (string)[]; readonly enabled?: boolean; readonly percents?: readonly (number)[]; readonly forecast?: boolean };

export type CreateChatBody = { readonly model: string; readonly messages: readonly ({ readonly role: 'system'; readonly content: string | readonly (ChatTextPart)[]; readonly name?: string | null; readonly cache_control?: CacheControl | null } | { readonly role: 'developer'; readonly content: string | readonly (ChatTextPart)[]; readonly name?: string | null; readonly cache_control?: CacheControl | null } | { readonly role: 'user'; readonly content: string | readonly (ChatUserPart)[]; readonly name?: string | null; readonly cache_control?: CacheControl | null } | { readonly role: 'assistant'; readonly content?: string | readonly (ChatAssistantPart)[] | null; readonly name?: string | null; readonly tool_calls?: readonly ({ readonly id: string; readonly type?: 'function'; readonly index?: unknown; readonly function: { readonly name: string; readonly arguments: string } })[] | null; readonly reasoning?: string | null; readonly reasoning_details?: readonly ({ readonly type: string; readonly text?: string | null; readonly summary?: string | null; readonly data?: string | null; readonly signature?: string | null; readonly format?: string | null; readonly id?: string | null; readonly provider?: string | null; readonly index?: unknown })[] | null; readonly refusal?: string | null; readonly images?: readonly ({ readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' | 'original' }; readonly cache_control?: CacheControl | null; readonly index?: unknown })[] | null; readonly annotations?: readonly ({ readonly type: string; readonly file?: { readonly hash: string; readonly name?: string | null; readonly content?: readonly ({ readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } })[] } })[] | null; readonly phase?: unknown; readonly audio?: null; readonly function_call?: null; readonly cache_control?: CacheControl | null } | { readonly role: 'tool'; readonly content: string | readonly (ChatToolPart)[]; readonly tool_call_id: string; readonly name?: string | null; readonly cache_control?: CacheControl | null })[]; readonly web_search_options?: { readonly search_context_size?: 'low' | 'medium' | 'high' | null; readonly user_location?: Readonly<Record<string, unknown>> | null } | null; readonly stream_options?: { readonly include_usage?: boolean | null } | null; readonly max_completion_tokens?: number | null; readonly max_tokens?: number | null; readonly top_a?: number | null; readonly repetition_penalty?: number | null; readonly seed?: number | null; readonly stop?: string | readonly (string)[] | null; readonly logit_bias?: Readonly<Record<string, number>> | null; readonly logprobs?: boolean | null; readonly n?: number | null; readonly response_format?: { readonly type: 'text' } | { readonly type: 'json_object' } | { readonly type: 'json_schema'; readonly json_schema: { readonly name: string; readonly description?: string | null; readonly schema?: Readonly<Record<string, unknown>> | null; readonly strict?: boolean | null } } | { readonly type: 'grammar'; readonly grammar: string } | { readonly type: 'python' } | null; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null; readonly summary?: 'auto' | 'concise' | 'detailed' | null; readonly enabled?: boolean | null; readonly max_tokens?: number | null; readonly exclude?: boolean | null } | null; readonly reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null; readonly include_reasoning?: boolean | null; readonly verbosity?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null; readonly speed?: 'standard' | 'fast' | null; readonly inference_geo?: string | null; readonly tools?: readonly (Readonly<Record<string, unknown>>)[] | null; readonly tool_choice?: 'none' | 'auto' | 'required' | 'any' | Readonly<Record<string, unknown>> | null; readonly transforms?: readonly (string)[] | null; readonly usage?: { readonly include?: unknown } | null; readonly functions?: null; readonly function_call?: null; readonly stream?: boolean | null; readonly temperature?: number | null; readonly top_p?: number | null; readonly top_k?: number | null; readonly min_p?: number | null; readonly frequency_penalty?: number | null; readonly presence_penalty?: number | null; readonly top_logprobs?: number | null; readonly parallel_tool_calls?: boolean | null; readonly max_tool_calls?: number | null; readonly stop_server_tools_when?: readonly ({ readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string })[] | { readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string } | null; readonly plugins?: readonly ({ readonly id: 'auto-router'; readonly enabled?: boolean; readonly allowed_models?: readonly (string)[]; readonly cost_quality_tradeoff?: number } | { readonly id: 'context-compression'; readonly enabled?: boolean; readonly engine?: 'middle-out' } | { readonly id: 'file-parser'; readonly enabled?: boolean; readonly pdf?: { readonly engine?: 'mistral-ocr' | 'native' | 'cloudflare-ai' | 'pdf-text' } } | { readonly id: 'fusion'; readonly enabled?: boolean; readonly analysis_models?: readonly (string)[]; readonly model?: string; readonly preset?: 'general-high' | 'general-budget' | 'general-fast'; readonly max_tool_calls?: number; readonly tools?: readonly ({ readonly type: 'openrouter:web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'openrouter:web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'openrouter:datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'openrouter:bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'openrouter:advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'openrouter:experimental__search_models'; readonly parameters?: { readonly max_results?: number } } | { readonly type: 'experimental__search_models'; readonly parameters?: { readonly max_results?: number } })[] } | { readonly id: 'moderation' } | { readonly id: 'pareto-router'; readonly enabled?: boolean; readonly min_coding_score?: number; readonly price_source?: 'prompt' | 'weighted_avg' } | { readonly id: 'response-healing'; readonly enabled?: boolean } | { readonly id: 'web'; readonly enabled?: boolean; readonly engine?: 'native' | 'exa' | 'firecrawl' | 'parallel' | 'perplexity'; readonly max_results?: number; readonly max_uses?: number; readonly search_prompt?: string; readonly include_domains?: readonly (string)[]; readonly exclude_domains?: readonly (string)[]; readonly user_location?: UserLocation | null } | { readonly id: 'web-fetch'; readonly enabled?: boolean; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[]; readonly max_content_tokens?: number; readonly max_uses?: number })[] | null; readonly route?: 'fallback' | 'sort' | null; readonly prompt_cache_key?: string | null; readonly metadata?: Readonly<Record<string, string>> | null; readonly cache_control?: CacheControl | null; readonly service_tier?: 'auto' | 'default' | 'flex' | 'priority' | 'scale' | 'fast' | null; readonly modalities?: readonly ('text' | 'image' | 'audio')[] | null; readonly image_config?: Readonly<Record<string, unknown>> | null; readonly preset?: string | null; readonly preset_variables?: Readonly<Record<string, string>> | null; readonly debug?: { readonly echo_upstream_body?: boolean | null } | null; readonly models?: readonly (string)[] | null; readonly provider?: { readonly allow_fallbacks?: boolean | null; readonly data_collection?: 'allow' | 'deny' | null; readonly enforce_distillable_text?: boolean | null; readonly ignore?: readonly (string)[] | null; readonly only?: readonly (string)[] | null; readonly order?: readonly (string)[] | null; readonly max_price?: { readonly prompt?: string | number; readonly completion?: string | number; readonly image?: string | number; readonly audio?: string | number; readonly request?: string | number }; readonly quantizations?: readonly ('int4' | 'int8' | 'fp4' | 'fp6' | 'fp8' | 'fp16' | 'bf16' | 'fp32' | 'unknown' | 'mxfp4' | 'nvfp4' | 'mxfp8')[] | null; readonly require_parameters?: boolean | null; readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | { readonly by?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly partition?: 'model' | 'none' | null } | null; readonly zdr?: boolean; readonly preferred_max_latency?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null; readonly preferred_min_throughput?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null } | null; readonly user?: string | null; readonly session_id?: string | null; readonly trace?: { readonly trace_id?: string; readonly trace_name?: string; readonly span_name?: string; readonly generation_name?: string; readonly parent_span_id?: string; readonly tags?: Readonly<Record<string, string>> } | null };

export type CreateCredentialBody = { readonly key: string; readonly provider: string; readonly workspace_id?: string; readonly name?: string | null; readonly allowed_models?: readonly (string)[] | null; readonly allowed_user_ids?: readonly (string)[] | null; readonly allowed_api_key_hashes?: readonly (string)[] | null; readonly disabled?: boolean; readonly is_fallback?: boolean; readonly is_required?: boolean; readonly is_byok_only?: boolean; readonly declared_zdr?: boolean | null; readonly sort_order?: number };

export type CreateDestinationBody = { readonly name: string; readonly type: 'webhook' | 'slack' | 'otel-collector'; readonly config: Readonly<Record<string, unknown>>; readonly workspace_id?: string; readonly enabled?: boolean; readonly broadcast?: boolean; readonly privacy_mode?: boolean; readonly sampling_rate?: number; readonly api_key_hashes?: readonly (string)[] | null; readonly filter_rules?: { readonly enabled?: boolean; readonly groups: readonly ({ readonly logic?: 'and' | 'or'; readonly rules: readonly ({ readonly field: 'model' | 'provider' | 'session_id' | 'user_id' | 'api_key_name' | 'finish_reason' | 'total_cost' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens'; readonly operator: 'equals' | 'not_equals' | 'contains' | 'not_contains' | 'starts_with' | 'ends_with' | 'exists' | 'not_exists' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value?: string | number })[] })[] } | null; readonly broadcast_generation_cost?: boolean; readonly broadcast_generation_identity?: boolean; readonly broadcast_generation_request_context?: boolean; readonly regions?: readonly ('global')[] };

export type CreateEmbeddingsBody = { readonly input: string | readonly (string | number | readonly (number)[] | { readonly content: readonly ({ readonly type: 'text'; readonly text: string } | { readonly type: 'image_url'; readonly image_url: { readonly url: string } } | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format?: string } } | { readonly type: 'input_video'; readonly input_video: { readonly data: string; readonly format?: string } } | { readonly type: 'input_file'; readonly input_file: { readonly data: string; readonly format?: string } })[] })[]; readonly dimensions?: number | null; readonly encoding_format?: 'float' | 'base64' | null; readonly input_type?: string | null; readonly model: string; readonly preset?: null; readonly models?: readonly (string)[] | null; readonly provider?: { readonly allow_fallbacks?: boolean | null; readonly data_collection?: 'allow' | 'deny' | null; readonly enforce_distillable_text?: boolean | null; readonly ignore?: readonly (string)[] | null; readonly only?: readonly (string)[] | null; readonly order?: readonly (string)[] | null; readonly max_price?: { readonly prompt?: string | number; readonly completion?: string | number; readonly image?: string | number; readonly audio?: string | number; readonly request?: string | number }; readonly quantizations?: readonly ('int4' | 'int8' | 'fp4' | 'fp6' | 'fp8' | 'fp16' | 'bf16' | 'fp32' | 'unknown' | 'mxfp4' | 'nvfp4' | 'mxfp8')[] | null; readonly require_parameters?: boolean | null; readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | { readonly by?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly partition?: 'model' | 'none' | null } | null; readonly zdr?: boolean; readonly preferred_max_latency?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null; readonly preferred_min_throughput?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null } | null; readonly user?: string | null; readonly session_id?: string | null; readonly trace?: { readonly trace_id?: string; readonly trace_name?: string; readonly span_name?: string; readonly generation_name?: string; readonly parent_span_id?: string; readonly tags?: Readonly<Record<string, string>> } | null };

export type CreateGuardrailBody = { readonly name: string; readonly workspace_id?: string; readonly description?: string | null; readonly limit_usd?: number | null; readonly reset_interval?: 'daily' | 'weekly' | 'monthly' | null; readonly include_byok_in_budgets?: boolean; readonly allowed_models?: readonly (string)[] | null; readonly ignored_models?: readonly (string)[] | null; readonly allowed_providers?: readonly (string)[] | null; readonly ignored_providers?: readonly (string)[] | null; readonly allowed_data_regions?: null; readonly enforce_zdr?: boolean | null; readonly enforce_zdr_anthropic?: boolean | null; readonly enforce_zdr_openai?: boolean | null; readonly enforce_zdr_google?: boolean | null; readonly enforce_zdr_xai?: boolean | null; readonly enforce_zdr_other?: boolean | null; readonly content_filters?: readonly ({ readonly pattern: string; readonly action: 'redact' | 'block' | 'flag'; readonly label?: string | null })[] | null; readonly content_filter_builtins?: readonly ({ readonly slug: 'email' | 'phone' | 'ssn' | 'credit-card' | 'ip-address' | 'person-name' | 'address' | 'regex-prompt-injection'; readonly action: 'redact' | 'block' | 'flag'; readonly scan_scope?: 'user_only' | 'all_messages'; readonly label?: string | null })[] | null; readonly enable_free_model_publication?: boolean | null; readonly enable_free_model_training?: boolean | null; readonly enable_paid_model_training?: boolean | null };

export type CreateKeyBody = { readonly name: string; readonly kind?: 'inference' | 'management'; readonly limit?: number | null; readonly limit_reset?: 'daily' | 'weekly' | 'monthly' | null; readonly include_byok_in_limit?: boolean; readonly metadata?: { readonly tags?: Readonly<Record<string, string>> | null } | null; readonly expires_at?: string | null; readonly creator_user_id?: string | null; readonly workspace_id?: string; readonly external?: { readonly user: string; readonly api_key?: string }; readonly rate_limits?: { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null } | null; readonly allowed_models?: readonly (string)[] | null; readonly egress?: { readonly allowed_domains?: readonly (string)[] | null; readonly blocked_domains?: readonly (string)[] | null } | null };

export type CreateMessageBody = { readonly model: string; readonly messages: readonly (Readonly<Record<string, unknown>>)[]; readonly max_tokens?: number; readonly models?: readonly (string)[]; readonly fallbacks?: readonly ({ readonly model: string })[] | null; readonly system?: string | readonly (TextBlock)[]; readonly stream?: boolean; readonly temperature?: number; readonly top_p?: number; readonly top_k?: number; readonly stop_sequences?: readonly (string)[]; readonly metadata?: { readonly user_id?: string | null }; readonly user?: string; readonly session_id?: string; readonly service_tier?: string; readonly speed?: 'standard' | 'fast' | null; readonly inference_geo?: string | null; readonly cache_control?: CacheControl | null; readonly thinking?: { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: 'summarized' | 'omitted' | 'updates' | null } | { readonly type: 'disabled' } | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' | 'updates' | null } | { readonly type: 'between_tools' }; readonly tool_choice?: unknown; readonly tools?: readonly (Readonly<Record<string, unknown>>)[]; readonly output_config?: { readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null; readonly format?: { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> } | null; readonly task_budget?: { readonly type: 'tokens'; readonly total: number; readonly remaining?: number | null } | null }; readonly context_management?: { readonly edits?: readonly ({ readonly type: 'clear_tool_uses_20250919'; readonly clear_at_least?: { readonly type: 'input_tokens'; readonly value: number } | null; readonly clear_tool_inputs?: boolean | readonly (string)[] | null; readonly exclude_tools?: readonly (string)[] | null; readonly keep?: { readonly type: 'tool_uses'; readonly value: number }; readonly trigger?: { readonly type: 'input_tokens'; readonly value: number } | { readonly type: 'tool_uses'; readonly value: number } } | { readonly type: 'clear_thinking_20251015'; readonly keep?: 'all' | { readonly type: 'thinking_turns'; readonly value: number } | { readonly type: 'all' } } | { readonly type: 'compact_20260112'; readonly instructions?: string | null; readonly pause_after_compaction?: boolean; readonly trigger?: { readonly type: 'input_tokens'; readonly value: number } | null })[] } | null; readonly plugins?: readonly ({ readonly id: 'auto-router'; readonly enabled?: boolean; readonly allowed_models?: readonly (string)[]; readonly cost_quality_tradeoff?: number } | { readonly id: 'context-compression'; readonly enabled?: boolean; readonly engine?: 'middle-out' } | { readonly id: 'file-parser'; readonly enabled?: boolean; readonly pdf?: { readonly engine?: 'mistral-ocr' | 'native' | 'cloudflare-ai' | 'pdf-text' } } | { readonly id: 'fusion'; readonly enabled?: boolean; readonly analysis_models?: readonly (string)[]; readonly model?: string; readonly preset?: 'general-high' | 'general-budget' | 'general-fast'; readonly max_tool_calls?: number; readonly tools?: readonly ({ readonly type: 'openrouter:web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'openrouter:web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'openrouter:datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'openrouter:bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'openrouter:advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'openrouter:experimental__search_models'; readonly parameters?: { readonly max_results?: number } } | { readonly type: 'experimental__search_models'; readonly parameters?: { readonly max_results?: number } })[] } | { readonly id: 'moderation' } | { readonly id: 'pareto-router'; readonly enabled?: boolean; readonly min_coding_score?: number; readonly price_source?: 'prompt' | 'weighted_avg' } | { readonly id: 'response-healing'; readonly enabled?: boolean } | { readonly id: 'web'; readonly enabled?: boolean; readonly engine?: 'native' | 'exa' | 'firecrawl' | 'parallel' | 'perplexity'; readonly max_results?: number; readonly max_uses?: number; readonly search_prompt?: string; readonly include_domains?: readonly (string)[]; readonly exclude_domains?: readonly (string)[]; readonly user_location?: UserLocation | null } | { readonly id: 'web-fetch'; readonly enabled?: boolean; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[]; readonly max_content_tokens?: number; readonly max_uses?: number })[]; readonly provider?: { readonly allow_fallbacks?: boolean | null; readonly data_collection?: 'allow' | 'deny' | null; readonly enforce_distillable_text?: boolean | null; readonly ignore?: readonly (string)[] | null; readonly only?: readonly (string)[] | null; readonly order?: readonly (string)[] | null; readonly max_price?: { readonly prompt?: string | number; readonly completion?: string | number; readonly image?: string | number; readonly audio?: string | number; readonly request?: string | number }; readonly quantizations?: readonly ('int4' | 'int8' | 'fp4' | 'fp6' | 'fp8' | 'fp16' | 'bf16' | 'fp32' | 'unknown' | 'mxfp4' | 'nvfp4' | 'mxfp8')[] | null; readonly require_parameters?: boolean | null; readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | { readonly by?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly partition?: 'model' | 'none' | null } | null; readonly zdr?: boolean; readonly preferred_max_latency?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null; readonly preferred_min_throughput?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null } | null; readonly route?: 'fallback' | 'sort' | null; readonly stop_server_tools_when?: readonly ({ readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string })[] | { readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string }; readonly max_tool_calls?: number; readonly trace?: { readonly trace_id?: string; readonly trace_name?: string; readonly span_name?: string; readonly generation_name?: string; readonly parent_span_id?: string; readonly tags?: Readonly<Record<string, string>> }; readonly preset?: string; readonly preset_variables?: Readonly<Record<string, string>> };

export type CreateRerankBody = { readonly query: string; readonly documents: readonly (string | { readonly text?: string; readonly image?: string })[]; readonly top_n?: number | null; readonly model: string; readonly preset?: null; readonly models?: readonly (string)[] | null; readonly provider?: { readonly allow_fallbacks?: boolean | null; readonly data_collection?: 'allow' | 'deny' | null; readonly enforce_distillable_text?: boolean | null; readonly ignore?: readonly (string)[] | null; readonly only?: readonly (string)[] | null; readonly order?: readonly (string)[] | null; readonly max_price?: { readonly prompt?: string | number; readonly completion?: string | number; readonly image?: string | number; readonly audio?: string | number; readonly request?: string | number }; readonly quantizations?: readonly ('int4' | 'int8' | 'fp4' | 'fp6' | 'fp8' | 'fp16' | 'bf16' | 'fp32' | 'unknown' | 'mxfp4' | 'nvfp4' | 'mxfp8')[] | null; readonly require_parameters?: boolean | null; readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | { readonly by?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly partition?: 'model' | 'none' | null } | null; readonly zdr?: boolean; readonly preferred_max_latency?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null; readonly preferred_min_throughput?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null } | null; readonly user?: string | null; readonly session_id?: string | null; readonly trace?: { readonly trace_id?: string; readonly trace_name?: string; readonly span_name?: string; readonly generation_name?: string; readonly parent_span_id?: string; readonly tags?: Readonly<Record<string, string>> } | null };

export type CreateResponseBody = { readonly model?: string | null; readonly input: string | readonly (Readonly<Record<string, unknown>>)[]; readonly instructions?: string | null; readonly max_output_tokens?: number | null; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null; readonly summary?: 'auto' | 'concise' | 'detailed' | null; readonly enabled?: boolean | null; readonly max_tokens?: number | null; readonly generate_summary?: 'auto' | 'concise' | 'detailed' | null; readonly context?: 'auto' | 'all_turns' | 'current_turn' | null; readonly mode?: 'standard' | 'pro' | null } | null; readonly text?: { readonly format?: { readonly type: 'text' } | { readonly type: 'json_object' } | { readonly type: 'json_schema'; readonly name: string; readonly description?: string | null; readonly schema?: Readonly<Record<string, unknown>> | null; readonly strict?: boolean | null } | { readonly type: 'grammar'; readonly definition?: string } | null; readonly verbosity?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null } | null; readonly include?: readonly ('reasoning.encrypted_content' | 'message.output_text.logprobs' | 'file_search_call.results' | 'web_search_call.results' | 'web_search_call.action.sources' | 'message.input_image.image_url' | 'computer_call_output.output.image_url' | 'code_interpreter_call.outputs')[] | null; readonly truncation?: 'auto' | 'disabled' | null; readonly tools?: readonly (Readonly<Record<string, unknown>>)[] | null; readonly tool_choice?: 'none' | 'auto' | 'required' | Readonly<Record<string, unknown>> | null; readonly safety_identifier?: string | null; readonly store?: unknown; readonly background?: unknown; readonly previous_response_id?: unknown; readonly conversation?: unknown; readonly prompt?: unknown; readonly messages?: unknown; readonly stream?: boolean | null; readonly temperature?: number | null; readonly top_p?: number | null; readonly top_k?: number | null; readonly min_p?: number | null; readonly frequency_penalty?: number | null; readonly presence_penalty?: number | null; readonly top_logprobs?: number | null; readonly parallel_tool_calls?: boolean | null; readonly max_tool_calls?: number | null; readonly stop_server_tools_when?: readonly ({ readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string })[] | { readonly type: 'step_count_is'; readonly step_count: number } | { readonly type: 'has_tool_call'; readonly tool_name: string } | { readonly type: 'max_tokens_used'; readonly max_tokens: number } | { readonly type: 'max_cost'; readonly max_cost_in_dollars: number } | { readonly type: 'finish_reason_is'; readonly reason: string } | null; readonly plugins?: readonly ({ readonly id: 'auto-router'; readonly enabled?: boolean; readonly allowed_models?: readonly (string)[]; readonly cost_quality_tradeoff?: number } | { readonly id: 'context-compression'; readonly enabled?: boolean; readonly engine?: 'middle-out' } | { readonly id: 'file-parser'; readonly enabled?: boolean; readonly pdf?: { readonly engine?: 'mistral-ocr' | 'native' | 'cloudflare-ai' | 'pdf-text' } } | { readonly id: 'fusion'; readonly enabled?: boolean; readonly analysis_models?: readonly (string)[]; readonly model?: string; readonly preset?: 'general-high' | 'general-budget' | 'general-fast'; readonly max_tool_calls?: number; readonly tools?: readonly ({ readonly type: 'openrouter:web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'openrouter:web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'openrouter:datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'openrouter:bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'openrouter:advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'openrouter:experimental__search_models'; readonly parameters?: { readonly max_results?: number } } | { readonly type: 'experimental__search_models'; readonly parameters?: { readonly max_results?: number } })[] } | { readonly id: 'moderation' } | { readonly id: 'pareto-router'; readonly enabled?: boolean; readonly min_coding_score?: number; readonly price_source?: 'prompt' | 'weighted_avg' } | { readonly id: 'response-healing'; readonly enabled?: boolean } | { readonly id: 'web'; readonly enabled?: boolean; readonly engine?: 'native' | 'exa' | 'firecrawl' | 'parallel' | 'perplexity'; readonly max_results?: number; readonly max_uses?: number; readonly search_prompt?: string; readonly include_domains?: readonly (string)[]; readonly exclude_domains?: readonly (string)[]; readonly user_location?: UserLocation | null } | { readonly id: 'web-fetch'; readonly enabled?: boolean; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[]; readonly max_content_tokens?: number; readonly max_uses?: number })[] | null; readonly route?: 'fallback' | 'sort' | null; readonly prompt_cache_key?: string | null; readonly metadata?: Readonly<Record<string, string>> | null; readonly cache_control?: CacheControl | null; readonly service_tier?: 'auto' | 'default' | 'flex' | 'priority' | 'scale' | 'fast' | null; readonly modalities?: readonly ('text' | 'image' | 'audio')[] | null; readonly image_config?: Readonly<Record<string, unknown>> | null; readonly preset?: string | null; readonly preset_variables?: Readonly<Record<string, string>> | null; readonly debug?: { readonly echo_upstream_body?: boolean | null } | null; readonly models?: readonly (string)[] | null; readonly provider?: { readonly allow_fallbacks?: boolean | null; readonly data_collection?: 'allow' | 'deny' | null; readonly enforce_distillable_text?: boolean | null; readonly ignore?: readonly (string)[] | null; readonly only?: readonly (string)[] | null; readonly order?: readonly (string)[] | null; readonly max_price?: { readonly prompt?: string | number; readonly completion?: string | number; readonly image?: string | number; readonly audio?: string | number; readonly request?: string | number }; readonly quantizations?: readonly ('int4' | 'int8' | 'fp4' | 'fp6' | 'fp8' | 'fp16' | 'bf16' | 'fp32' | 'unknown' | 'mxfp4' | 'nvfp4' | 'mxfp8')[] | null; readonly require_parameters?: boolean | null; readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | { readonly by?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly partition?: 'model' | 'none' | null } | null; readonly zdr?: boolean; readonly preferred_max_latency?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null; readonly preferred_min_throughput?: number | { readonly p50?: number | null; readonly p75?: number | null; readonly p90?: number | null; readonly p99?: number | null } | null } | null; readonly user?: string | null; readonly session_id?: string | null; readonly trace?: { readonly trace_id?: string; readonly trace_name?: string; readonly span_name?: string; readonly generation_name?: string; readonly parent_span_id?: string; readonly tags?: Readonly<Record<string, string>> } | null };

export type CreateWorkspaceBody = { readonly name: string; readonly slug: string; readonly description?: string | null; readonly default_text_model?: string | null; readonly default_image_model?: string | null; readonly default_provider_sort?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly is_data_discount_logging_enabled?: boolean; readonly is_observability_broadcast_enabled?: boolean; readonly is_observability_io_logging_enabled?: boolean; readonly io_logging_sampling_rate?: number; readonly io_logging_api_key_ids?: readonly (number)[] | null; readonly include_byok_in_budgets?: boolean; readonly tags?: Readonly<Record<string, string>> | null; readonly required_tags?: readonly (string)[] | null; readonly disabled_server_tools?: unknown; readonly allowed_providers?: readonly (string)[] | null; readonly ignored_providers?: readonly (string)[] | null; readonly data_collection?: 'allow' | 'deny'; readonly enforce_zdr?: boolean; readonly plugins?: readonly (PluginDefault)[] | null };

export type Credential = { readonly id: string; readonly provider: string; readonly name: string | null; readonly label: string; readonly disabled: boolean; readonly is_fallback: boolean; readonly sort_order: number; readonly workspace_id: string; readonly created_at: string; readonly allowed_models: readonly (string)[] | null; readonly allowed_user_ids: readonly (string)[] | null; readonly allowed_api_key_hashes: readonly (string)[] | null; readonly is_required: boolean; readonly is_byok_only: boolean; readonly declared_zdr: boolean | null; readonly status: 'untested' | 'ok' | 'failing' | 'undecryptable' | 'key_service_unavailable'; readonly status_reason: string | null; readonly status_at: string | null; readonly last_used_at: string | null; readonly last_refusal: string | null; readonly last_refused_at: string | null; readonly routable: boolean; readonly reason?: string };

export type CredentialTest = { readonly works: boolean | null; readonly status: number | null; readonly model: string | null; readonly latency_ms: number | null; readonly message: string };

export type CreditEntry = { readonly id: string; readonly kind: 'grant' | 'purchase' | 'adjustment' | 'refund' | 'generation' | 'correction'; readonly amount: number; readonly generation_id: string | null; readonly key: string | null; readonly workspace_id: string | null; readonly note: string | null; readonly created_at: string; readonly entered_at: string };

export type Credits = { readonly id: string; readonly kind: 'grant' | 'purchase' | 'adjustment' | 'refund'; readonly amount: number; readonly note: string | null; readonly created_at: string };

export type DesignatedPreset = { readonly id: string; readonly slug: string; readonly name: string; readonly description: string | null; readonly status: 'active' | 'disabled' | 'archived'; readonly status_updated_at: string | null; readonly designated_version_id: string; readonly creator_user_id: string | null; readonly workspace_id: string; readonly created_at: string; readonly updated_at: string; readonly designated_version: PresetVersion };

export type Destination = { readonly id: string; readonly workspace_id: string; readonly name: string; readonly type: 'webhook' | 'slack' | 'otel-collector'; readonly config: Readonly<Record<string, unknown>>; readonly enabled: boolean; readonly broadcast: boolean; readonly privacy_mode: boolean; readonly sampling_rate: number; readonly api_key_hashes: readonly (string)[] | null; readonly filter_rules: unknown; readonly broadcast_generation_cost: boolean; readonly broadcast_generation_identity: boolean; readonly broadcast_generation_request_context: boolean; readonly regions: readonly (string)[]; readonly status: 'untested' | 'ok' | 'failing' | 'switched_off'; readonly status_reason: string | null; readonly status_at: string | null; readonly created_at: string; readonly updated_at: string };

export type DestinationTest = { readonly delivered: boolean; readonly status: number | null; readonly message: string; readonly latency_ms: number; readonly event_id: string };

export type Endpoint = { readonly name: string; readonly model_id: string; readonly model_name: string; readonly context_length: number; readonly pricing: Pricing; readonly provider_name: string; readonly tag: string; readonly quantization: string; readonly max_completion_tokens: number | null; readonly max_prompt_tokens: null; readonly supported_parameters: readonly (string)[]; readonly supports_tool_choice: { readonly auto: boolean; readonly function: boolean; readonly none: boolean; readonly required: boolean }; readonly supports_implicit_caching: boolean; readonly status?: number; readonly uptime_last_5m: number | null; readonly uptime_last_30m: number | null; readonly uptime_last_1d: number | null; readonly latency_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null; readonly throughput_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null };

export type EnterCreditsBody = { readonly amount: number; readonly kind?: 'purchase' | 'adjustment' | 'refund'; readonly note?: string | null; readonly idempotency_key?: string };

export type Generation = { readonly id: string; readonly request_id: string | null; readonly session_id: string | null; readonly workspace_id: string; readonly key: string; readonly member: string | null; readonly upstream_id: string | null; readonly created_at: string; readonly model: string; readonly requested_model: string; readonly upstream_model: string | null; readonly provider: string | null; readonly provider_name: string | null; readonly provider_responses: readonly ({ readonly status: number | null; readonly provider_name?: string; readonly model_permaslug?: string; readonly endpoint_id?: string; readonly is_byok?: boolean; readonly credential_refused?: boolean })[]; readonly api: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank'; readonly api_type: string; readonly router: null; readonly preset_id: string | null; readonly service_tier: string | null; readonly data_region: string; readonly is_byok: boolean; readonly outcome: string; readonly status: number | null; readonly error_type: string | null; readonly streamed: boolean; readonly cancelled: boolean; readonly finish_reason: string | null; readonly native_finish_reason: string | null; readonly latency: number | null; readonly generation_time: number | null; readonly moderation_latency: null; readonly tokens_prompt: number; readonly tokens_completion: number; readonly native_tokens_prompt: number; readonly native_tokens_completion: number; readonly native_tokens_completion_images: null; readonly native_tokens_reasoning: number; readonly native_tokens_cached: number; readonly num_media_prompt: number | null; readonly num_media_completion: null; readonly num_input_audio_prompt: null; readonly num_search_results: number | null; readonly num_searches: number | null; readonly num_fetches: number | null; readonly web_search_engine: string | null; readonly usage: number; readonly server_tool_cost: number; readonly total_cost: number; readonly price_version: string | null; readonly cache_discount: null; readonly upstream_inference_cost: number; readonly is_estimated: boolean; readonly is_over_bound: boolean; readonly is_recovered: boolean; readonly user: string | null; readonly external_user: string | null; readonly trace: unknown; readonly tags: Readonly<Record<string, string>> | null; readonly response_cache_source_id: string | null; readonly app_id: null; readonly origin: string; readonly http_referer: null; readonly user_agent: null; readonly attempts: readonly ({ readonly provider: string | null; readonly model: string | null; readonly status: number | null; readonly fault: string | null; readonly started_at: string | null; readonly duration_ms: number | null; readonly cost: number | null })[]; readonly decision: Readonly<Record<string, unknown>> | null };

export type GenerationRecord = { readonly id: string; readonly request_id: string | null; readonly session_id: string | null; readonly workspace_id: string; readonly key: string; readonly member: string | null; readonly upstream_id: string | null; readonly created_at: string; readonly model: string; readonly requested_model: string; readonly upstream_model: string | null; readonly provider: string | null; readonly provider_name: string | null; readonly provider_responses: readonly ({ readonly status: number | null; readonly provider_name?: string; readonly model_permaslug?: string; readonly endpoint_id?: string; readonly is_byok?: boolean; readonly credential_refused?: boolean })[]; readonly api: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank'; readonly api_type: string; readonly router: null; readonly preset_id: string | null; readonly service_tier: string | null; readonly data_region: string; readonly is_byok: boolean; readonly outcome: string; readonly status: number | null; readonly error_type: string | null; readonly streamed: boolean; readonly cancelled: boolean; readonly finish_reason: string | null; readonly native_finish_reason: string | null; readonly latency: number | null; readonly generation_time: number | null; readonly moderation_latency: null; readonly tokens_prompt: number; readonly tokens_completion: number; readonly native_tokens_prompt: number; readonly native_tokens_completion: number; readonly native_tokens_completion_images: null; readonly native_tokens_reasoning: number; readonly native_tokens_cached: number; readonly num_media_prompt: number | null; readonly num_media_completion: null; readonly num_input_audio_prompt: null; readonly num_search_results: number | null; readonly num_searches: number | null; readonly num_fetches: number | null; readonly web_search_engine: string | null; readonly usage: number; readonly server_tool_cost: number; readonly total_cost: number; readonly price_version: string | null; readonly cache_discount: null; readonly upstream_inference_cost: number; readonly is_estimated: boolean; readonly is_over_bound: boolean; readonly is_recovered: boolean; readonly user: string | null; readonly external_user: string | null; readonly trace: unknown; readonly tags: Readonly<Record<string, string>> | null; readonly response_cache_source_id: string | null; readonly app_id: null; readonly origin: string; readonly http_referer: null; readonly user_agent: null };

export type Guardrail = { readonly id: string; readonly workspace_id: string; readonly name: string; readonly description: string | null; readonly limit_usd: number | null; readonly reset_interval: string | null; readonly include_byok_in_budgets: boolean; readonly allowed_models: readonly (string)[] | null; readonly ignored_models: readonly (string)[] | null; readonly allowed_providers: readonly (string)[] | null; readonly ignored_providers: readonly (string)[] | null; readonly allowed_data_regions: null; readonly enforce_zdr: boolean | null; readonly enforce_zdr_anthropic: boolean | null; readonly enforce_zdr_openai: boolean | null; readonly enforce_zdr_google: boolean | null; readonly enforce_zdr_xai: boolean | null; readonly enforce_zdr_other: boolean | null; readonly content_filters: readonly ({ readonly pattern: string; readonly action: 'redact' | 'block' | 'flag'; readonly label: string | null })[] | null; readonly content_filter_builtins: readonly ({ readonly slug: 'email' | 'phone' | 'ssn' | 'credit-card' | 'ip-address' | 'person-name' | 'address' | 'regex-prompt-injection'; readonly action: 'redact' | 'block' | 'flag'; readonly label: string; readonly scan_scope?: 'user_only' | 'all_messages' })[] | null; readonly enable_free_model_publication: boolean | null; readonly enable_free_model_training: boolean | null; readonly enable_paid_model_training: boolean | null; readonly created_at: string; readonly updated_at: string | null };

export type GuardrailTrial = { readonly outcome: 'passed' | 'flagged' | 'redacted' | 'blocked'; readonly text: string | null; readonly message: string | null; readonly findings: readonly ({ readonly name: string; readonly action: 'redact' | 'block' | 'flag'; readonly patterns: readonly (string)[] })[] };

export type Key = { readonly hash: string; readonly name: string; readonly label: string; readonly kind: 'inference' | 'management'; readonly is_workspace_bound: boolean; readonly disabled: boolean; readonly limit: number | null; readonly limit_remaining: number | null; readonly limit_raise: { readonly amount_usd: number; readonly until: string } | null; readonly limit_reset: 'daily' | 'weekly' | 'monthly' | null; readonly limit_held: number; readonly include_byok_in_limit: boolean; readonly usage: number; readonly usage_daily: number; readonly usage_weekly: number; readonly usage_monthly: number; readonly byok_usage: number; readonly byok_usage_daily: number; readonly byok_usage_weekly: number; readonly byok_usage_monthly: number; readonly rate_limits: { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null } | null; readonly allowed_models: readonly (string)[] | null; readonly egress: { readonly allowed_domains: readonly (string)[] | null; readonly blocked_domains: readonly (string)[] | null } | null; readonly metadata: { readonly tags: Readonly<Record<string, string>> }; readonly created_at: string; readonly updated_at: string | null; readonly expires_at: string | null; readonly creator_user_id: string | null; readonly external_user: string | null; readonly workspace_id: string; readonly last_used_at: string | null; readonly deleted_at?: string };

export type KeyAssignment = { readonly id: string; readonly guardrail_id: string; readonly key_hash: string; readonly key_name: string; readonly key_label: string; readonly assigned_by: string | null; readonly created_at: string };

export type KeyHashesBody = { readonly key_hashes: readonly (string)[] };

export type LedgerVerification = { readonly verified_at: string; readonly differences: number; readonly warnings: number };

export type Member = { readonly id: string; readonly workspace_id: string; readonly user_id: string; readonly role: 'member'; readonly created_at: string };

export type MemberAssignment = { readonly id: string; readonly guardrail_id: string; readonly user_id: string; readonly organization_id: string; readonly assigned_by: string | null; readonly created_at: string };

export type MemberUserIdsBody = { readonly member_user_ids: readonly (string)[] };

export type MembersBody = { readonly user_ids: readonly (string)[] };

export type Model = { readonly id: string; readonly type: 'model'; readonly canonical_slug: string; readonly name: string; readonly display_name: string; readonly created: number; readonly created_at: string; readonly context_length: number; readonly architecture: { readonly modality: string; readonly input_modalities: readonly (string)[]; readonly output_modalities: readonly (string)[]; readonly instruct_type: null }; readonly pricing: Pricing; readonly top_provider: { readonly context_length: number; readonly max_completion_tokens: number | null; readonly is_moderated: boolean }; readonly per_request_limits: null; readonly dimensions?: readonly (number)[]; readonly supported_parameters: readonly (string)[]; readonly default_parameters: null; readonly supported_voices: null; readonly links: { readonly details: string }; readonly callable: boolean };

export type ModelEndpoints = { readonly id: string; readonly name: string; readonly created: number; readonly description: string; readonly architecture: { readonly modality: string; readonly input_modalities: readonly (string)[]; readonly output_modalities: readonly (string)[]; readonly instruct_type: null; readonly tokenizer: null }; readonly endpoints: readonly (Endpoint)[] };

export type Plan = { readonly requested: string; readonly strategy: 'direct' | 'alias' | 'fallback' | 'auto' | 'free' | 'pareto' | 'fusion'; readonly models: readonly (string)[]; readonly choice?: { readonly by: string; readonly summary: string; readonly details: Readonly<Record<string, unknown>>; readonly ranking: readonly (Readonly<Record<string, unknown>>)[] }; readonly ordering: string; readonly seed: string; readonly catalog_hash: string; readonly session: { readonly decides: boolean; readonly pins: readonly ({ readonly model: string; readonly tag: string })[] }; readonly attempts_max: number; readonly candidates: readonly ({ readonly position: number; readonly model: string; readonly provider: string; readonly provider_name: string; readonly tag: string; readonly tier: string; readonly geography: string | null; readonly credential: string; readonly is_byok: boolean; readonly weight: number | null; readonly price: { readonly prompt: string; readonly completion: string; readonly reasoning?: string; readonly image_output?: string; readonly input_cache_read?: string; readonly input_cache_write?: string; readonly input_cache_write_1h?: string; readonly request?: string; readonly image?: string; readonly web_search?: string }; readonly price_per_million: number; readonly bound?: string; readonly byok_bound?: string; readonly would_be_granted?: boolean; readonly refused_by?: { readonly counter: string; readonly interval: string; readonly limit: string; readonly left: string } | null; readonly untranslatable?: { readonly field: string; readonly reason: string }; readonly set_back: string | null; readonly pinned: boolean; readonly health: { readonly latency: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null; readonly throughput: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null; readonly fault_share: number | null; readonly out: boolean; readonly widening?: { readonly input: number; readonly output: number } } | null; readonly dropped: readonly (string)[] })[]; readonly excluded: readonly ({ readonly model: string; readonly tag: string | null; readonly provider: string | null; readonly credential?: string; readonly reason: string; readonly words: string; readonly detail?: string; readonly cooling_by?: string; readonly retry_at?: string })[]; readonly preset?: { readonly id: string; readonly slug: string; readonly version: number }; readonly tags?: Readonly<Record<string, string>>; readonly budgets?: readonly ({ readonly scope: 'users' | 'members' | 'tags'; readonly id: string; readonly interval: 'daily' | 'weekly' | 'monthly' | 'lifetime'; readonly limit_usd: number; readonly remaining_usd: number })[]; readonly plugins?: readonly ({ readonly id: string; readonly enabled: boolean; readonly set_by: 'account' | 'workspace' | 'request' | 'model'; readonly override_prevented: boolean })[]; readonly tools?: readonly ({ readonly type: string; readonly runs_at: 'gateway' | 'caller' | 'vendor' | null; readonly function: string | null; readonly engine: string | null; readonly model: string | null; readonly model_pricing?: { readonly prompt: string; readonly completion: string; readonly reasoning?: string; readonly image_output?: string; readonly input_cache_read?: string; readonly input_cache_write?: string; readonly input_cache_write_1h?: string; readonly request?: string; readonly image?: string; readonly web_search?: string } | null; readonly refusal?: string; readonly price?: string; readonly uses_max?: number | null; readonly native_at: readonly ({ readonly tag: string; readonly price: string | null; readonly model_pricing?: { readonly prompt: string; readonly completion: string; readonly reasoning?: string; readonly image_output?: string; readonly input_cache_read?: string; readonly input_cache_write?: string; readonly input_cache_write_1h?: string; readonly request?: string; readonly image?: string; readonly web_search?: string } })[] })[]; readonly consulted?: readonly ({ readonly type: string; readonly model: string; readonly bound: string | null; readonly refusal?: string; readonly tool_uses_max: number | null; readonly tools: readonly ({ readonly type: string; readonly runs_at: 'gateway' | 'caller' | 'vendor' | null; readonly price?: string })[] })[]; readonly warnings?: readonly (string)[]; readonly unknown_providers?: readonly ({ readonly field: string; readonly name: string; readonly nearest: readonly (string)[] })[] };

export type PluginDefault = PluginDefaultAutoRouter | PluginDefaultContextCompression | PluginDefaultFileParser | PluginDefaultFusion | PluginDefaultModeration | PluginDefaultParetoRouter | PluginDefaultResponseHealing | PluginDefaultWeb | PluginDefaultWebFetch;

export type PluginDefaultAutoRouter = { readonly id: 'auto-router'; readonly enabled?: boolean; readonly allowed_models?: readonly (string)[]; readonly cost_quality_tradeoff?: number; readonly prevent_overrides?: boolean };

export type PluginDefaultContextCompression = { readonly id: 'context-compression'; readonly enabled?: boolean; readonly engine?: 'middle-out'; readonly prevent_overrides?: boolean };

export type PluginDefaultFileParser = { readonly id: 'file-parser'; readonly enabled?: boolean; readonly pdf?: { readonly engine?: 'mistral-ocr' | 'native' | 'cloudflare-ai' | 'pdf-text' }; readonly prevent_overrides?: boolean };

export type PluginDefaultFusion = { readonly id: 'fusion'; readonly enabled?: boolean; readonly analysis_models?: readonly (string)[]; readonly model?: string; readonly preset?: 'general-high' | 'general-budget' | 'general-fast'; readonly max_tool_calls?: number; readonly tools?: readonly ({ readonly type: 'openrouter:web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'web_search'; readonly parameters?: Readonly<Record<string, unknown>> } | { readonly type: 'openrouter:web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'web_fetch'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter' | 'exa' | 'parallel' | 'firecrawl'; readonly max_uses?: number; readonly max_content_tokens?: number; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[] } } | { readonly type: 'openrouter:datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'datetime'; readonly parameters?: { readonly timezone?: string } } | { readonly type: 'openrouter:bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'bash'; readonly parameters?: { readonly engine?: 'auto' | 'native' | 'openrouter'; readonly environment?: { readonly type: 'container_auto' } | { readonly type: 'container_reference'; readonly container_id: string }; readonly sleep_after_seconds?: number } } | { readonly type: 'openrouter:advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'advisor'; readonly parameters?: { readonly model?: string; readonly name?: string; readonly instructions?: string; readonly forward_transcript?: boolean; readonly max_uses?: number; readonly max_tokens?: number; readonly max_completion_tokens?: number; readonly temperature?: number; readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'; readonly max_tokens?: number }; readonly stream?: boolean; readonly tools?: readonly (unknown)[]; readonly max_tool_calls?: number } } | { readonly type: 'openrouter:experimental__search_models'; readonly parameters?: { readonly max_results?: number } } | { readonly type: 'experimental__search_models'; readonly parameters?: { readonly max_results?: number } })[]; readonly prevent_overrides?: boolean };

export type PluginDefaultModeration = { readonly id: 'moderation'; readonly prevent_overrides?: boolean };

export type PluginDefaultParetoRouter = { readonly id: 'pareto-router'; readonly enabled?: boolean; readonly min_coding_score?: number; readonly price_source?: 'prompt' | 'weighted_avg'; readonly prevent_overrides?: boolean };

export type PluginDefaultResponseHealing = { readonly id: 'response-healing'; readonly enabled?: boolean; readonly prevent_overrides?: boolean };

export type PluginDefaultWeb = { readonly id: 'web'; readonly enabled?: boolean; readonly engine?: 'native' | 'exa' | 'firecrawl' | 'parallel' | 'perplexity'; readonly max_results?: number; readonly max_uses?: number; readonly search_prompt?: string; readonly include_domains?: readonly (string)[]; readonly exclude_domains?: readonly (string)[]; readonly user_location?: UserLocation | null; readonly prevent_overrides?: boolean };

export type PluginDefaultWebFetch = { readonly id: 'web-fetch'; readonly enabled?: boolean; readonly allowed_domains?: readonly (string)[]; readonly blocked_domains?: readonly (string)[]; readonly max_content_tokens?: number; readonly max_uses?: number; readonly prevent_overrides?: boolean };

export type Preset = { readonly id: string; readonly slug: string; readonly name: string; readonly description: string | null; readonly status: 'active' | 'disabled' | 'archived'; readonly status_updated_at: string | null; readonly designated_version_id: string; readonly creator_user_id: string | null; readonly workspace_id: string; readonly created_at: string; readonly updated_at: string };

export type PresetVersion = { readonly id: string; readonly preset_id: string; readonly version: number; readonly api: 'messages' | 'chat' | 'responses'; readonly creator_id: string; readonly config: Readonly<Record<string, unknown>>; readonly system_prompt: string | null; readonly created_at: string; readonly updated_at: string };

export type Pricing = { readonly prompt: string; readonly completion: string; readonly internal_reasoning?: string; readonly image_output?: string; readonly input_cache_read?: string; readonly input_cache_write?: string; readonly input_cache_write_1h?: string; readonly request?: string; readonly image?: string; readonly web_search?: string; readonly overrides?: readonly ({ readonly min_prompt_tokens: number; readonly prompt?: string; readonly completion?: string; readonly internal_reasoning?: string; readonly image_output?: string; readonly input_cache_read?: string; readonly input_cache_write?: string; readonly input_cache_write_1h?: string })[] };

export type Provider = { readonly name: string; readonly slug: string; readonly privacy_policy_url: null; readonly terms_of_service_url: null; readonly status_page_url: null; readonly data_policy: { readonly collects_data: boolean; readonly trains: boolean; readonly retention_days: number | null; readonly zero_data_retention: boolean; readonly region: string | null }; readonly routable: boolean; readonly reason?: string; readonly needs_own_credential: boolean; readonly status: 'operational' | 'degraded' | 'down' | 'unknown'; readonly endpoints: { readonly operational: number; readonly rate_limited: number; readonly failing: number; readonly unknown: number }; readonly uptime_last_30m: number | null; readonly latency_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null; readonly throughput_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null; readonly last_fault: { readonly at: string; readonly kind: 'unreachable' | 'timed-out' | 'refused-credential' | 'payment-required' | 'not-found' | 'rejected-request' | 'too-large' | 'rate-limited' | 'unavailable' | 'overloaded' | 'server-error' | 'malformed-reply'; readonly status?: number; readonly model: string } | null };

export type RaiseBody = { readonly amount_usd: number; readonly until: string };

export type RotateKeyBody = { readonly grace_seconds: number };

export type RotateSecretBody = { readonly grace_seconds: number };

export type SetBudgetBody = { readonly limit_usd: number; readonly include_byok_in_budgets?: boolean };

export type SetSubjectBudgetBody = { readonly limit_usd: number };

export type Statement = { readonly month: string; readonly status: 'open' | 'closed'; readonly opening_balance: number; readonly credits: number; readonly charges: number; readonly corrections: number; readonly closing_balance: number; readonly closed_at: string | null; readonly closed_by: string | null; readonly hash: string | null };

export type StatementLine = { readonly month: string; readonly kind: 'charge' | 'correction' | 'purchase' | 'grant' | 'adjustment' | 'refund'; readonly workspace_id: string | null; readonly workspace: string | null; readonly key: string | null; readonly key_name: string | null; readonly member: string | null; readonly model: string | null; readonly count: number; readonly prompt_tokens: number; readonly completion_tokens: number; readonly cached_tokens: number; readonly reasoning_tokens: number; readonly amount: number; readonly byok_amount: number; readonly operator_cost: number };

export type SubjectBudget = { readonly scope: 'users' | 'members' | 'tags'; readonly id: string; readonly interval: 'daily' | 'weekly' | 'monthly' | 'lifetime'; readonly limit_usd: number; readonly raise: { readonly amount_usd: number; readonly until: string } | null; readonly usage: number | null; readonly held: number | null; readonly remaining_usd: number | null; readonly created_at: string; readonly updated_at: string };

export type TextBlock = { readonly type: 'text'; readonly text: string; readonly citations?: Citations | null; readonly phase?: unknown; readonly cache_control?: CacheControl | null };

export type TryTextBody = { readonly text: string; readonly content_filters?: readonly ({ readonly pattern: string; readonly action: 'redact' | 'block' | 'flag'; readonly label?: string | null })[] | null; readonly content_filter_builtins?: readonly ({ readonly slug: 'email' | 'phone' | 'ssn' | 'credit-card' | 'ip-address' | 'person-name' | 'address' | 'regex-prompt-injection'; readonly action: 'redact' | 'block' | 'flag'; readonly scan_scope?: 'user_only' | 'all_messages'; readonly label?: string | null })[] | null };

export type UpdateAlarmBody = { readonly name?: string; readonly on?: { readonly kind: 'limit'; readonly key: string } | { readonly kind: 'budget'; readonly scope: 'workspaces' | 'guardrails' | 'users' | 'members' | 'tags'; readonly id: string; readonly interval: 'daily' | 'weekly' | 'monthly' | 'lifetime' } | { readonly kind: 'balance'; readonly below_usd: number } | { readonly kind: 'outage'; readonly provider?: string } | { readonly kind: 'credential' } | { readonly kind: 'operator_cost'; readonly usd_per_hour: number }; readonly destination_ids?: readonly (string)[]; readonly enabled?: boolean; readonly percents?: readonly (number)[]; readonly forecast?: boolean };

export type UpdateCredentialBody = { readonly key?: string; readonly provider?: unknown; readonly workspace_id?: unknown; readonly name?: string | null; readonly allowed_models?: readonly (string)[] | null; readonly allowed_user_ids?: readonly (string)[] | null; readonly allowed_api_key_hashes?: readonly (string)[] | null; readonly disabled?: boolean; readonly is_fallback?: boolean; readonly is_required?: boolean; readonly is_byok_only?: boolean; readonly declared_zdr?: boolean | null; readonly sort_order?: number };

export type UpdateDestinationBody = { readonly name?: string; readonly config?: Readonly<Record<string, unknown>>; readonly type?: unknown; readonly workspace_id?: unknown; readonly enabled?: boolean; readonly broadcast?: boolean; readonly privacy_mode?: boolean; readonly sampling_rate?: number; readonly api_key_hashes?: readonly (string)[] | null; readonly filter_rules?: { readonly enabled?: boolean; readonly groups: readonly ({ readonly logic?: 'and' | 'or'; readonly rules: readonly ({ readonly field: 'model' | 'provider' | 'session_id' | 'user_id' | 'api_key_name' | 'finish_reason' | 'total_cost' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens'; readonly operator: 'equals' | 'not_equals' | 'contains' | 'not_contains' | 'starts_with' | 'ends_with' | 'exists' | 'not_exists' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value?: string | number })[] })[] } | null; readonly broadcast_generation_cost?: boolean; readonly broadcast_generation_identity?: boolean; readonly broadcast_generation_request_context?: boolean; readonly regions?: readonly ('global')[] };

export type UpdateGuardrailBody = { readonly name?: string; readonly workspace_id?: unknown; readonly description?: string | null; readonly limit_usd?: number | null; readonly reset_interval?: 'daily' | 'weekly' | 'monthly' | null; readonly include_byok_in_budgets?: boolean; readonly allowed_models?: readonly (string)[] | null; readonly ignored_models?: readonly (string)[] | null; readonly allowed_providers?: readonly (string)[] | null; readonly ignored_providers?: readonly (string)[] | null; readonly allowed_data_regions?: null; readonly enforce_zdr?: boolean | null; readonly enforce_zdr_anthropic?: boolean | null; readonly enforce_zdr_openai?: boolean | null; readonly enforce_zdr_google?: boolean | null; readonly enforce_zdr_xai?: boolean | null; readonly enforce_zdr_other?: boolean | null; readonly content_filters?: readonly ({ readonly pattern: string; readonly action: 'redact' | 'block' | 'flag'; readonly label?: string | null })[] | null; readonly content_filter_builtins?: readonly ({ readonly slug: 'email' | 'phone' | 'ssn' | 'credit-card' | 'ip-address' | 'person-name' | 'address' | 'regex-prompt-injection'; readonly action: 'redact' | 'block' | 'flag'; readonly scan_scope?: 'user_only' | 'all_messages'; readonly label?: string | null })[] | null; readonly enable_free_model_publication?: boolean | null; readonly enable_free_model_training?: boolean | null; readonly enable_paid_model_training?: boolean | null };

export type UpdateKeyBody = { readonly name?: string; readonly disabled?: boolean; readonly limit?: number | null; readonly limit_reset?: 'daily' | 'weekly' | 'monthly' | null; readonly include_byok_in_limit?: boolean; readonly metadata?: { readonly tags?: Readonly<Record<string, string>> | null } | null; readonly kind?: unknown; readonly is_workspace_bound?: unknown; readonly expires_at?: unknown; readonly creator_user_id?: unknown; readonly workspace_id?: unknown; readonly external?: unknown; readonly rate_limits?: { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null } | null; readonly allowed_models?: readonly (string)[] | null; readonly egress?: { readonly allowed_domains?: readonly (string)[] | null; readonly blocked_domains?: readonly (string)[] | null } | null };

export type UpdatePresetBody = { readonly name?: string; readonly description?: string | null; readonly status?: 'active' | 'disabled' | 'archived'; readonly designated_version?: number };

export type UpdateWorkspaceBody = { readonly name?: string; readonly slug?: string; readonly default_guardrail_id?: string | null; readonly description?: string | null; readonly default_text_model?: string | null; readonly default_image_model?: string | null; readonly default_provider_sort?: 'price' | 'throughput' | 'latency' | 'exacto' | null; readonly is_data_discount_logging_enabled?: boolean; readonly is_observability_broadcast_enabled?: boolean; readonly is_observability_io_logging_enabled?: boolean; readonly io_logging_sampling_rate?: number; readonly io_logging_api_key_ids?: readonly (number)[] | null; readonly include_byok_in_budgets?: boolean; readonly tags?: Readonly<Record<string, string>> | null; readonly required_tags?: readonly (string)[] | null; readonly disabled_server_tools?: unknown; readonly allowed_providers?: readonly (string)[] | null; readonly ignored_providers?: readonly (string)[] | null; readonly data_collection?: 'allow' | 'deny'; readonly enforce_zdr?: boolean; readonly plugins?: readonly (PluginDefault)[] | null };

export type UserLocation = { readonly type: 'approximate'; readonly city?: string | null; readonly country?: string | null; readonly region?: string | null; readonly timezone?: string | null };

export type WholeKey = { readonly hash: string; readonly name: string; readonly label: string; readonly kind: 'inference' | 'management'; readonly is_workspace_bound: boolean; readonly disabled: boolean; readonly limit: number | null; readonly limit_remaining: number | null; readonly limit_raise: { readonly amount_usd: number; readonly until: string } | null; readonly limit_reset: 'daily' | 'weekly' | 'monthly' | null; readonly limit_held: number; readonly include_byok_in_limit: boolean; readonly usage: number; readonly usage_daily: number; readonly usage_weekly: number; readonly usage_monthly: number; readonly byok_usage: number; readonly byok_usage_daily: number; readonly byok_usage_weekly: number; readonly byok_usage_monthly: number; readonly rate_limits: { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null } | null; readonly allowed_models: readonly (string)[] | null; readonly egress: { readonly allowed_domains: readonly (string)[] | null; readonly blocked_domains: readonly (string)[] | null } | null; readonly metadata: { readonly tags: Readonly<Record<string, string>> }; readonly created_at: string; readonly updated_at: string | null; readonly expires_at: string | null; readonly creator_user_id: string | null; readonly external_user: string | null; readonly workspace_id: string; readonly last_used_at: string | null; readonly deleted_at?: string; readonly former_secrets: readonly ({ readonly id: string; readonly label: string | null; readonly expires_at: string })[] };

export type Workspace = { readonly id: string; readonly name: string; readonly slug: string; readonly description: string | null; readonly created_at: string; readonly updated_at: string | null; readonly created_by: string | null; readonly default_text_model: string | null; readonly default_image_model: string | null; readonly default_provider_sort: string | null; readonly default_guardrail_id: string; readonly is_data_discount_logging_enabled: boolean; readonly is_observability_broadcast_enabled: boolean; readonly is_observability_io_logging_enabled: boolean; readonly io_logging_sampling_rate: number; readonly io_logging_api_key_ids: readonly (number)[] | null; readonly include_byok_in_budgets: boolean; readonly tags: Readonly<Record<string, string>>; readonly required_tags: readonly (string)[]; readonly allowed_providers: readonly (string)[] | null; readonly ignored_providers: readonly (string)[] | null; readonly data_collection: 'allow' | 'deny'; readonly enforce_zdr: boolean; readonly plugins: readonly ({ readonly id: string; readonly enabled?: boolean; readonly prevent_overrides?: boolean })[] };
