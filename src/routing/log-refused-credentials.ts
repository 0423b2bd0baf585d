import { Injectable, Logger } from '@nestjs/common';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { dialectOf } from '../core/routing/catalog.js';
import { DIALECTS } from '../providers/dialects/index.js';
import { isOperatorsRefusal } from './is-refused-credential.js';
import { nameCredential } from './check-verdict.js';

/**
 * Logs which of the operator's credentials a provider refuses and where the credential is configured: one line in ten
 * seconds (`PinoLogger`). Of the provider's answer only the status is logged, because some providers repeat what they
 * were sent.
 */
@Injectable()
export class RefusedCredentials {
  private readonly logger = new Logger('providers');

  /** @param call that failed because of its provider */
  report({ fault, leg }: ProviderCall): void {
    if (!fault || !isOperatorsRefusal(fault, leg)) return;
    const { endpoint } = leg;
    if (DIALECTS[dialectOf(endpoint)].failsOnPurpose) return;
    const { slug, credential, credentialSource } = endpoint.provider;
    const { status } = fault.detail;
    const what = fault.kind === 'payment-required' ? 'wants payment for' : 'refuses';
    const whose = credential ? nameCredential(credentialSource) : 'a call without a credential';
    this.logger.error(`${slug} ${what} ${whose}${status === undefined ? '' : `: status ${status}`}`);
  }
}
