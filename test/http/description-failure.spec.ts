/** Where the description cannot be built, suites that read it fail with the logged reason: it is made to fail. */
import { Description } from '../../src/description/description.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { ApiDescription } from '../support/description.js';

describeOnEmbedded('a description that cannot be built', (database) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database);
  });
  afterAll(() => gateway?.close());

  it('fails a suite with the status of the answer and the logged reason', async () => {
    const reason = '/dice is in no chapter of the document: add dice to TAGS.';
    gateway.gateway.app.get(Description, { strict: false }).document = () => Promise.reject(new Error(reason));
    const failure = await ApiDescription.of(gateway).catch((error: Error) => error.message);
    expect(failure).toContain('GET /openapi.json: 500');
    expect(failure).toContain(reason);
  });
});
