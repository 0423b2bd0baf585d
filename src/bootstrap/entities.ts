import { AccountEntity } from '../accounts/account.entity.js';
import { BudgetEntity } from '../accounts/budget.entity.js';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import {
  AlarmDestinationEntity,
  AlarmEntity,
  AlarmFiringEntity,
  AlarmObservationEntity,
} from '../alarms/alarm.entity.js';
import { AuditAnchorEntity } from '../audit/audit-anchor.entity.js';
import { AuditEntryEntity } from '../audit/audit-entry.entity.js';
import { ProviderCredentialEntity } from '../byok/provider-credential.entity.js';
import { ConsoleLinkEntity, ConsoleSessionEntity } from '../console/console-session.entity.js';
import { DestinationEntity } from '../destinations/destination.entity.js';
import { OutboxDeliveryEntity, OutboxEventEntity } from '../destinations/outbox.entity.js';
import { GuardrailAssignmentEntity } from '../guardrails/guardrail-assignment.entity.js';
import { GuardrailEntity } from '../guardrails/guardrail.entity.js';
import { ApiKeySecretEntity } from '../keys/api-key-secret.entity.js';
import { ApiKeyEntity } from '../keys/api-key.entity.js';
import { BroadcastQueueEntity } from '../ledger/broadcast-queue.entity.js';
import { CreditGrantEntity } from '../ledger/credits/credit-grant.entity.js';
import { FigureChangeEntity } from '../ledger/figures/figure-change.entity.js';
import { FigureProgressEntity } from '../ledger/figures/figure-progress.entity.js';
import { GenerationFiguresEntity } from '../ledger/figures/generation-figures.entity.js';
import { GenerationEntity } from '../ledger/generations/generation.entity.js';
import { HoldEntity } from '../ledger/hold.entity.js';
import { HoldEpochEntity } from '../ledger/hold-epoch.entity.js';
import { LedgerClosingEntity } from '../ledger/ledger-closing.entity.js';
import { LedgerEntryEntity } from '../ledger/ledger-entry.entity.js';
import { LedgerVerificationEntity } from '../ledger/ledger-verification.entity.js';
import { LateEntryEntity } from '../ledger/month-end/late-entry.entity.js';
import { StatementEntity } from '../ledger/month-end/statement.entity.js';
import { StatementLineEntity } from '../ledger/month-end/statement-line.entity.js';
import { PriceVersionEntity } from '../ledger/price-version.entity.js';
import { ReplicaEntity } from '../ledger/replica.entity.js';
import { SpendingWindowEntity } from '../ledger/spending-window.entity.js';
import { ConsultedDecisionEntity } from '../routing/consulted-decision.entity.js';
import { RouteDecisionEntity } from '../routing/route-decision.entity.js';
import { ToolContainerEntity } from '../tools/containers/tool-container.entity.js';
import { ToolContainerPieceEntity } from '../tools/containers/tool-container-piece.entity.js';
import { DataKeyEntity } from '../vault/data-key.entity.js';
import { WorkspaceMemberEntity } from '../workspaces/workspace-member.entity.js';

/**
 * Every table of the store, as the TypeORM commands compare it with the database. The gateway itself loads only those
 * with a TypeORM repository; the others are read and written by statements.
 */
export const ENTITIES = [
  AccountEntity,
  AlarmDestinationEntity,
  AlarmEntity,
  AlarmFiringEntity,
  AlarmObservationEntity,
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditAnchorEntity,
  AuditEntryEntity,
  BroadcastQueueEntity,
  BudgetEntity,
  ConsoleLinkEntity,
  ConsoleSessionEntity,
  CreditGrantEntity,
  DataKeyEntity,
  DestinationEntity,
  FigureChangeEntity,
  FigureProgressEntity,
  GenerationEntity,
  GenerationFiguresEntity,
  GuardrailAssignmentEntity,
  GuardrailEntity,
  HoldEntity,
  HoldEpochEntity,
  LateEntryEntity,
  LedgerClosingEntity,
  LedgerEntryEntity,
  LedgerVerificationEntity,
  OutboxDeliveryEntity,
  OutboxEventEntity,
  PriceVersionEntity,
  ProviderCredentialEntity,
  ReplicaEntity,
  RouteDecisionEntity,
  ConsultedDecisionEntity,
  SpendingWindowEntity,
  StatementEntity,
  StatementLineEntity,
  ToolContainerEntity,
  ToolContainerPieceEntity,
  WorkspaceEntity,
  WorkspaceMemberEntity,
];
