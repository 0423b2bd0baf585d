import { Check, Column, Entity, Index, ManyToOne, JoinColumn, PrimaryColumn, Unique } from 'typeorm';
import { isOneOf } from '../shared/database/is-one-of.js';

/** The reasons to keep a reply. */
export const KEPT_KINDS = ['idempotency', 'stream', 'cache'] as const;
export type KeptKind = (typeof KEPT_KINDS)[number];

/** `dropped`: its contents are not kept. `lost`: the process that wrote it died. */
export const KEPT_STATES = ['running', 'kept', 'dropped', 'lost'] as const;
export type KeptState = (typeof KEPT_STATES)[number];

/** The claim of one request to a kept reply. */
@Entity('kept_replies')
@Check('kept_replies_kind_check', isOneOf('kind', KEPT_KINDS))
@Check('kept_replies_state_check', isOneOf('state', KEPT_STATES))
@Unique('kept_replies_name', ['keyHash', 'kind', 'name'])
@Index('kept_replies_generation', ['generationId'], { where: 'resumable' })
@Index('kept_replies_expired', ['expiresAt'])
@Index('kept_replies_contents', ['keyHash', 'kind', 'createdAt'], { where: `state <> 'dropped'` })
export class KeptReplyEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'key_hash', type: 'text' })
  keyHash!: string;

  @Column({ type: 'text' })
  kind!: KeptKind;

  /** SHA-256, hex, of the caller's name of the reply, or of a random one; in the response cache a keyed hash. */
  @Column({ type: 'text' })
  name!: string;

  /** Hash of route and body, under a key of the vault, whose id it begins with. */
  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ name: 'generation_id', type: 'text', nullable: true })
  generationId!: string | null;

  @Column({ type: 'text' })
  state!: KeptState;

  @Column({ type: 'boolean' })
  resumable!: boolean;

  /** The process that runs the request, which renews its lease. */
  @Column({ type: 'uuid' })
  owner!: string;

  @Column({ name: 'leased_until', type: 'timestamptz', precision: 3 })
  leasedUntil!: Date;

  @Column({ name: 'data_key', type: 'uuid', nullable: true })
  dataKey!: string | null;

  /** The sealed `ReplyHead`. */
  @Column({ type: 'bytea', nullable: true })
  head!: Buffer | null;

  /** The number of its parts. */
  @Column({ type: 'integer' })
  parts!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}

/** A piece of a reply, sealed. */
@Entity('kept_reply_parts')
export class KeptReplyPartEntity {
  @PrimaryColumn({ name: 'reply_id', type: 'uuid' })
  replyId!: string;

  @ManyToOne(() => KeptReplyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'reply_id' })
  reply?: KeptReplyEntity;

  @PrimaryColumn({ type: 'integer' })
  number!: number;

  @Column({ name: 'data_key', type: 'uuid' })
  dataKey!: string;

  @Column({ type: 'bytea' })
  sealed!: Buffer;
}
