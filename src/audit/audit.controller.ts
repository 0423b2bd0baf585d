import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
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
import { AuditRepository, type StoredEntry } from './audit.repository.js';
import { ListAuditDto, printCursor } from './list-audit.dto.js';

/** A change as administrators see it (docs/contribute/threat-model.md#stored-credentials-and-management). */
const auditEntryView = titled(
  'audit-entry',
  object({
    id: described('Place in the account’s chain, in decimal.', text()),
    created_at: moment(),
    actor: object({
      key_hash: described('`operator` for what was done by the variables of the process.', text()),
      user_id: nullable(text()),
      session: optional(described('True: the key made it by a session of the console.', Type.Literal(true))),
    }),
    action: text(),
    target: text(),
    workspace_id: nullable(text()),
    before: described('The thing as it was shown before; null where there was none.', unknown()),
    after: described('The thing as it is shown since; null where there is none.', unknown()),
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
  ) {}

  /** Newest first; `next_cursor` is null on the last page. */
  @Get()
  @Answers(object({ data: rows(auditEntryView), next_cursor: nullable(text()) }), {
    summary: 'List changes, newest first',
    description:
      'A key that is bound to a workspace sees those of its keys, credentials and guardrails, and of the workspace itself. `next_cursor` is null on the last page.',
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListAuditDto,
  ): Promise<{ data: AuditEntryView[]; next_cursor: string | null }> {
    const { action, target, actor, cursor, limit } = query;
    const reach = reachOf(caller);
    const filter = {
      action,
      target,
      actor,
      workspaceId: await this.workspaces.idEvenIfDeleted(reach, query.workspace_id),
    };
    // One more than is shown, to see whether there is another page.
    const found = await this.entries.list(reach, filter, cursor, limit + 1);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(viewEntry), next_cursor: last ? printCursor(last.seq) : null };
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

/** In the stored key order, so that printing it again yields the hashed text. */
const viewThing = (printed: string | null): unknown => (printed === null ? null : JSON.parse(printed));
