import { Injectable } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import { type CancelSignal, toAbortSignal } from '../core/cancellation.js';
import { GatewayError, ProviderFault, Untranslatable } from '../core/errors.js';
import type { Secret } from '../core/secret.js';
import { ProviderClient } from '../providers/provider-client.js';
import { ProviderRegistry } from '../providers/registry.js';
import { SMALLEST_REQUEST } from '../providers/smallest-request.js';
import { flag, integer, nullable, object, text, titled, described, type Static } from '../shared/http/schema.js';
import { CredentialOpener, UNREADABLE } from './credential-opener.js';
import { CredentialStates } from './credential-states.js';
import { reasonOf, VERDICTS, WORKS } from './credential-verdict.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';
import { findTestEndpoint, type TestEndpoint } from './test-endpoint.js';

/** The result of a credential test, and the body of the response. */
export const credentialTestView = titled(
  'credential-test',
  object({
    works: described('Null: the result shows nothing about the credential; the message states why.', nullable(flag())),
    status: described('HTTP status the provider answered with; null where none came.', nullable(integer())),
    model: described('Id of the model that was called; null where none was.', nullable(text())),
    latency_ms: described('Of the call; null where there was none.', nullable(integer())),
    message: text(),
  }),
);
export type CredentialTestView = Static<typeof credentialTestView>;

/** Time-out of the whole test: connection, call, answer. */
const TEST_MS_MAX = 10_000;
const REPLY_BYTES_MAX = 1024 * 1024;
/** Concurrent tests in this process: each holds a connection. */
const TESTS_MAX = 16;
const TESTS_RETRY_AFTER_MS = 1_000;

/**
 * Tests a stored credential with one small call to its provider. Nothing is charged, held or recorded, and no
 * endpoint's health is touched, because the result concerns the credential, not the endpoint.
 */
@Injectable()
export class CredentialTest {
  private underWay = 0;

  constructor(
    private readonly catalog: CatalogStore,
    private readonly providers: ProviderRegistry,
    private readonly client: ProviderClient,
    private readonly opener: CredentialOpener,
    private readonly states: CredentialStates,
  ) {}

  /**
   * @param signal ends it when the caller has gone
   * @throws GatewayError `service-unavailable` when too many are under way; the signal's reason
   */
  async run(row: ProviderCredentialEntity, signal: CancelSignal): Promise<CredentialTestView> {
    if (row.disabled) return untried('The credential is disabled; enable it to test it.');
    const { provider, allowedModels } = row;
    const catalog = this.catalog.current;
    const tested = findTestEndpoint(catalog, provider, allowedModels);
    if (!tested) {
      const models = allowedModels === null ? 'no model' : 'none of the allowed models';
      return untried(`The catalog has ${models} at the provider ${provider}: there is nothing to call.`);
    }
    if (!this.providers.wantsCredential(tested.endpoint.provider))
      return untried('The provider takes no credential: there is nothing to test.');
    const opening = await this.opener.open(row);
    if (opening.status !== 'ok') return untried(UNREADABLE[opening.status]);
    if (this.underWay >= TESTS_MAX) {
      const message = 'Too many credentials are being tested; try again shortly.';
      throw new GatewayError('service-unavailable', message, { retryAfterMs: TESTS_RETRY_AFTER_MS });
    }
    this.underWay++;
    try {
      // A credential for listed models may not serve the cheapest one. Where it serves none, the result states that.
      const led = findTestEndpoint(catalog, provider, allowedModels, ({ model, endpoint }) =>
        this.client.mayUseCredential({ model, endpoint, tier: 'standard' }, opening.secret),
      );
      return await this.try(row, led ?? tested, opening.secret, signal);
    } finally {
      this.underWay--;
    }
  }

  private async try(
    row: ProviderCredentialEntity,
    { model, endpoint }: TestEndpoint,
    credential: Secret,
    gone: CancelSignal,
  ): Promise<CredentialTestView> {
    const request = { ...SMALLEST_REQUEST, model: model.id };
    const call = this.client.prepare({ model, endpoint, tier: 'standard' }, request, credential);
    const limit = AbortSignal.timeout(TEST_MS_MAX);
    const startedAt = performance.now();
    const view = (works: boolean | null, message: string): CredentialTestView => ({
      works,
      status: call.status ?? null,
      model: model.id,
      latency_ms: Math.round(performance.now() - startedAt),
      message,
    });
    let accepted: CredentialTestView;
    try {
      await call.answer(AbortSignal.any([toAbortSignal(gone), limit]), REPLY_BYTES_MAX);
      accepted = view(true, 'The provider accepts the credential.');
    } catch (error) {
      gone.throwIfAborted();
      if (limit.aborted) return view(null, `The provider did not answer within ${TEST_MS_MAX / 1000} s.`);
      if (error instanceof Untranslatable)
        return view(null, 'The provider cannot be called with a request as small as that of the test.');
      if (!(error instanceof ProviderFault)) throw error;
      const { works, words } = VERDICTS[error.kind];
      const failed = view(works, `${words}: ${error.message}`);
      if (works === false) await this.states.tested(row, { status: 'failing', reason: reasonOf(error) });
      return failed;
    }
    await this.states.tested(row, WORKS);
    return accepted;
  }
}

const untried = (message: string): CredentialTestView => ({
  works: null,
  status: null,
  model: null,
  latency_ms: null,
  message,
});
