import { Controller, Get, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { Response } from 'express';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import { reachOf, type Caller, type Reach } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { columnsOf, EXPORT_BATCH, ListReplies } from '../shared/http/list-replies.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import {
  moment,
  nullable,
  object,
  optional,
  rows,
  text,
  titled,
  described,
  unknown,
  type Static,
} from '../shared/http/schema.js';
import { BY_SESSION } from './audit-log.js';
import { AuditVerification, auditVerificationView, type AuditVerificationView } from './audit-verification.js';
import { AuditRepository, type AuditFilter, type StoredEntry } from './audit.repository.js';
import { ListAuditDto, printCursor } from './list-audit.dto.js';

/** A change as administrators see it (docs/contribute/threat-model.md#stored-credentials-and-management). */
const auditEntryView = titled(
  'audit-entry',
  object({
    id: described('Position in the account’s chain, in decimal.', text()),
    created_at: moment(),
    actor: object({
      key_hash: described(
        'Of a key; `operator` for changes by environment variables of the process; `oidc:` with issuer and subject for who signed in to the console by an issuer.',
        text(),
      ),
      user_id: described('The user of the key, or the name of who signed in by an issuer.', nullable(text())),
      session: optional(described('True if the key made the change in a session of the console.', Type.Literal(true))),
    }),
    action: text(),
    target: text(),
    workspace_id: nullable(text()),
    before: described('The resource before the change; null if it did not exist.', unknown()),
    after: described('The resource after the change; null if it no longer exists.', unknown()),
    previous_hash: text(),
    hash: text(),
    seal: described('HMAC of the hash; null in entries from before there were seals.', nullable(text())),
  }),
);
type AuditEntryView = Static<typeof auditEntryView>;

/** The log of the account's management changes. */
@Controller('audit')
@Accepts('management')
export class AuditController {
  constructor(
    private readonly entries: AuditRepository,
    private readonly workspaces: WorkspaceDirectory,
    private readonly verification: AuditVerification,
    private readonly replies: ListReplies,
  ) {}

  /** Newest first; `next_cursor` is null on the last page. */
  @Get()
  @Answers(object({ data: rows(auditEntryView), next_cursor: nullable(text()) }), {
    summary: 'List changes, newest first',
    description:
      'A key that is bound to a workspace sees those of its keys, credentials and guardrails, and of the workspace itself. `next_cursor` is null on the last page. `format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(@FromCaller() caller: Caller, @FromQuery() query: ListAuditDto, @Res() response: Response): Promise<void> {
    const { action, target, actor, cursor, limit, format } = query;
    const reach = reachOf(caller);
    const filter = {
      action,
      target,
      actor,
      workspaceId: await this.workspaces.idEvenIfDeleted(reach, query.workspace_id),
    };
    if (format !== undefined) {
      const batches = this.readAll(reach, filter, cursor);
      const { accountId } = caller;
      await this.replies.export(response, { accountId, format, columns: columnsOf(auditEntryView), batches });
      return;
    }
    // One entry more than the page has: it shows whether there is another page.
    const found = await this.entries.list(reach, filter, cursor, limit + 1);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    response.json({ data: shown.map(viewEntry), next_cursor: last ? printCursor(last.seq) : null });
  }

  private async *readAll(
    reach: Reach,
    filter: AuditFilter,
    cursor: number | undefined,
  ): AsyncGenerator<readonly AuditEntryView[]> {
    for (let before = cursor; ;) {
      const found = await this.entries.list(reach, filter, before, EXPORT_BATCH);
      if (found.length > 0) yield found.map(viewEntry);
      if (found.length < EXPORT_BATCH) return;
      before = found.at(-1)!.seq;
    }
  }

  @Get('verification')
  @Answers(single(auditVerificationView), {
    summary: 'Verify the chain of the account',
    description:
      'Recomputes each hash and each seal, as `fairlead verify audit` does. It cannot see that the newest entries were cut off: for that give the command a seal that was kept elsewhere.',
    errors: ['service-unavailable'],
  })
  async verify(@FromCaller() { accountId }: Caller): Promise<{ data: AuditVerificationView }> {
    return { data: await this.verification.run(accountId) };
  }
}

function viewEntry(entry: StoredEntry): AuditEntryView {
  return {
    id: String(entry.seq),
    created_at: entry.at,
    actor: viewActor(entry),
    action: entry.action,
    target: entry.target,
    workspace_id: entry.workspaceId,
    before: viewThing(entry.before),
    after: viewThing(entry.after),
    previous_hash: entry.previousHash,
    hash: entry.hash,
    seal: entry.seal?.seal ?? null,
  };
}

function viewActor({ actor, actorUser }: StoredEntry): AuditEntryView['actor'] {
  if (!actor.startsWith(BY_SESSION)) return { key_hash: actor, user_id: actorUser };
  return { key_hash: actor.slice(BY_SESSION.length), user_id: actorUser, session: true };
}

/** Keeps the stored order of keys, so that printing the object again yields the hashed text. */
const viewThing = (printed: string | null): unknown => (printed === null ? null : JSON.parse(printed));
