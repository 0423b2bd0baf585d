import { AccountEntity } from './accounts/account.entity.js';
import { BudgetEntity } from './accounts/budget.entity.js';
import { WorkspaceEntity } from './accounts/workspace.entity.js';
import { AuditAnchorEntity } from './audit/audit-anchor.entity.js';
import { AuditEntryEntity } from './audit/audit-entry.entity.js';
import { ProviderCredentialEntity } from './byok/provider-credential.entity.js';
import { GuardrailAssignmentEntity } from './guardrails/guardrail-assignment.entity.js';
import { GuardrailEntity } from './guardrails/guardrail.entity.js';
import { ApiKeySecretEntity } from './keys/api-key-secret.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { CreditGrantEntity } from './ledger/credit-grant.entity.js';
import { GenerationEntity } from './ledger/generation.entity.js';
import { HoldEntity } from './ledger/hold.entity.js';
import { HoldEpochEntity } from './ledger/hold-epoch.entity.js';
import { LedgerClosingEntity } from './ledger/ledger-closing.entity.js';
import { LedgerEntryEntity } from './ledger/ledger-entry.entity.js';
import { PriceVersionEntity } from './ledger/price-version.entity.js';
import { ReplicaEntity } from './ledger/replica.entity.js';
import { SpendingWindowEntity } from './ledger/spending-window.entity.js';
import { ConsultedDecisionEntity } from './routing/consulted-decision.entity.js';
import { RouteDecisionEntity } from './routing/route-decision.entity.js';
import { ToolContainerEntity } from './tools/containers/tool-container.entity.js';
import { ToolContainerPieceEntity } from './tools/containers/tool-container-piece.entity.js';
import { DataKeyEntity } from './vault/data-key.entity.js';
import { WorkspaceMemberEntity } from './workspaces/workspace-member.entity.js';

/**
 * Every table of the store, as the TypeORM commands compare it with the database. The gateway itself loads only those
 * that a repository of TypeORM's serves; the others are read and written by statements.
 */
export const ENTITIES = [
  AccountEntity,
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditAnchorEntity,
  AuditEntryEntity,
  BudgetEntity,
  CreditGrantEntity,
  DataKeyEntity,
  GenerationEntity,
  GuardrailAssignmentEntity,
  GuardrailEntity,
  HoldEntity,
  HoldEpochEntity,
  LedgerClosingEntity,
  LedgerEntryEntity,
  PriceVersionEntity,
  ProviderCredentialEntity,
  ReplicaEntity,
  RouteDecisionEntity,
  ConsultedDecisionEntity,
  SpendingWindowEntity,
  ToolContainerEntity,
  ToolContainerPieceEntity,
  WorkspaceEntity,
  WorkspaceMemberEntity,
];
