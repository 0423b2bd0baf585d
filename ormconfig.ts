import { DataSource } from 'typeorm';
import { Secret } from './src/core/secret.js';
import { databaseOptions } from './src/shared/database/options.js';

const url = process.env['DATABASE_URL'];
if (url === undefined || url === '')
  throw new Error('Set DATABASE_URL: the TypeORM commands work on a PostgreSQL server.');

/** For the TypeORM command line only; the gateway migrates its database itself when it starts. */
export default new DataSource(databaseOptions({ databaseUrl: new Secret(url), databasePool: 1 }));
