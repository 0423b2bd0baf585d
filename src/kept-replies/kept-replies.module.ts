import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LedgerModule } from '../ledger/ledger.module.js';
import { RedisModule } from '../shared/redis/redis.module.js';
import { VaultModule } from '../vault/vault.module.js';
import { KeptContents } from './kept-contents.js';
import { KeptRepliesRepository } from './kept-replies.repository.js';
import { KeptReplies } from './kept-replies.service.js';
import { KeptReplyEntity, KeptReplyPartEntity } from './kept-reply.entity.js';
import { IdempotencyErrors } from './idempotency-errors.js';
import { RedisReplies } from './redis-replies.js';

/** Kept replies: for repeated requests, resumed streams, and the response cache. */
@Module({
  imports: [LedgerModule, RedisModule, VaultModule, TypeOrmModule.forFeature([KeptReplyEntity, KeptReplyPartEntity])],
  providers: [KeptContents, KeptReplies, KeptRepliesRepository, IdempotencyErrors, RedisReplies],
  exports: [KeptContents, KeptReplies],
})
export class KeptRepliesModule {}
