// Any module gets the catalog that the environment names, read before the application is up; a bad one stops the start.
// A Nest application of two modules, without a server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Environment } from '../shared/environment.js';
import { CatalogStore } from './catalog-store.js';
import { CatalogModule } from './catalog.module.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-catalog-'));
const catalogPath = join(folder, 'catalog.yaml');

afterAll(() => rmSync(folder, { recursive: true }));

@Global()
@Module({ providers: [{ provide: Environment, useValue: { catalogPath } }], exports: [Environment] })
class EnvironmentModule {}

@Injectable()
class Reader {
  constructor(readonly catalog: CatalogStore) {}
}

@Module({ providers: [Reader] })
class ReaderModule {}

const start = (): Promise<TestingModule> =>
  Test.createTestingModule({
    imports: [EnvironmentModule, CatalogModule.register({ shippedPath: catalogPath }), ReaderModule],
  }).compile();

it('gives every module the catalog', async () => {
  writeFileSync(catalogPath, 'version: 1\nproviders: [{ slug: acme, name: Acme, dialect: simulated }]\nmodels: []\n');
  const application = await start();
  await application.init();
  expect([...application.get(Reader).catalog.current.providers.keys()]).toEqual(['acme']);
  await application.close();
});

it('stops the start when the catalog is bad', async () => {
  writeFileSync(catalogPath, 'version: 3\n');
  await expect(start()).rejects.toThrow(`${catalogPath}:1: version: must be 1`);
});
