// The floor for whole replies: a bare Nest application that parses the body, forwards it with undici and returns the
// parsed answer.
import 'reflect-metadata';
import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM, { connections: 256, pipelining: 1 });

class PassThroughController {
  async create(request) {
    const answer = await pool.request({
      method: 'POST',
      path: '/v1/messages',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    return answer.body.json();
  }
}
// Decorators are applied by hand: this file runs without a compiler.
const method = Object.getOwnPropertyDescriptor(PassThroughController.prototype, 'create');
Req()(PassThroughController.prototype, 'create', 0);
Post()(PassThroughController.prototype, 'create', method);
HttpCode(200)(PassThroughController.prototype, 'create', method);
Controller('v1/messages')(PassThroughController);
class PassThroughModule {}
Module({ controllers: [PassThroughController] })(PassThroughModule);

const application = await NestFactory.create(PassThroughModule, { logger: false });
await application.listen(0, '127.0.0.1');
process.send?.({ port: application.getHttpServer().address().port });
