import type { ErrorKind } from '../../core/errors.js';
import { APPEARANCES } from '../../shared/http/error-views.js';
import { MEANINGS } from '../error-replies.js';
import { escapeHtml } from './html.js';

const KINDS = Object.entries(MEANINGS) as readonly (readonly [ErrorKind, string])[];

/** All kinds of errors by status. */
export function errorKinds(): readonly (readonly [status: number, kinds: typeof KINDS])[] {
  const statuses = new Set(KINDS.map(([kind]) => APPEARANCES[kind].status));
  return [...statuses]
    .toSorted((one, other) => one - other)
    .map((status) => [status, KINDS.filter(([kind]) => APPEARANCES[kind].status === status)]);
}

export const printErrors = (): string =>
  `<h1 tabindex="-1">Statuses and kinds of errors</h1>
<p>The type is <code>error.type</code> in the Messages format; <code>error_type</code> is in every format. <a href="use/errors">Errors</a> explains them.</p>
${errorKinds()
  .map(
    ([status, kinds]) => `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status}</h2>
<ul class="members">
${kinds
  .map(([kind, meaning]) => {
    const { type, errorType } = APPEARANCES[kind];
    return `<li id="${kind}"><p><a class="anchor" href="#${kind}"><code>${kind}</code></a> <span class="form">type <code>${type}</code>, error_type <code>${errorType}</code></span></p>
<p>${escapeHtml(meaning)}</p></li>`;
  })
  .join('\n')}
</ul>
</section>`,
  )
  .join('\n')}
`;
