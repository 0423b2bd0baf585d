import { Controller, Get, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { AuditRepository, type StoredEntry } from './audit.repository.js';
import { ListAuditDto, printCursor, readAuditListing } from './list-audit.dto.js';

/** A change as administrators see it (DESIGN 12). */
interface AuditEntryView {
  /** Place in the account's chain, in decimal. */
  id: string;
  created_at: string;
  /** `key_hash` is `operator` for what was done by the variables of the process. */
  actor: { key_hash: string; user_id: string | null };
  action: string;
  target: string;
  workspace_id: string | null;
  before: unknown;
  after: unknown;
  previous_hash: string;
  hash: string;
}

/** Who changed what of the account. */
@Controller('audit')
@Accepts('management')
export class AuditController {
  constructor(private readonly entries: AuditRepository) {}

  /** Newest first; `next_cursor` is null on the last page. */
  @Get()
  async list(
    @FromCaller() { accountId }: Caller,
    @Query() query: ListAuditDto,
  ): Promise<{ data: AuditEntryView[]; next_cursor: string | null }> {
    const { filter, before, limit } = readAuditListing(query);
    // One more than is shown, which tells whether there is another page.
    const found = await this.entries.list(accountId, filter, before, limit + 1);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(viewEntry), next_cursor: last ? printCursor(last.seq) : null };
  }
}

function viewEntry(entry: StoredEntry): AuditEntryView {
  return {
    id: String(entry.seq),
    created_at: entry.at,
    actor: { key_hash: entry.actor, user_id: entry.actorUser },
    action: entry.action,
    target: entry.target,
    workspace_id: entry.workspaceId,
    before: viewThing(entry.before),
    after: viewThing(entry.after),
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
}

/** As it was printed, so that whoever prints it again gets the very text that was hashed. */
const viewThing = (printed: string | null): unknown => (printed === null ? null : JSON.parse(printed));
