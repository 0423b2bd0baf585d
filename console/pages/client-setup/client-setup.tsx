import type { JSX } from 'preact';
import { ROOT } from '../../app/base.js';
import { query, setQuery } from '../../app/router.js';
import { Copy } from '../../parts/named-id.js';
import { Link } from '../../parts/link.js';
import { agentLines, curlLines, programLines, type ClientLines } from './client-lines.js';

const USUAL_MODEL = 'anthropic/claude-sonnet-4.5';
const BASE = ROOT.href.replace(/\/$/, '');

/** Lines that connect clients to this gateway, at the address that the reader has it at. */
export function ClientSetup(): JSX.Element {
  const model = query.value.get('model') ?? USUAL_MODEL;
  const place = { base: BASE, model };
  return (
    <>
      <h1 tabIndex={-1}>Client setup</h1>
      <p>
        Clients need this address and an inference key, which the lines take from <code>FAIRLEAD_API_KEY</code>:{' '}
        <Link to="keys">create one</Link>, and keep it in the environment.
      </p>
      <dl class="facts">
        <dt>For clients of Anthropic</dt>
        <dd>
          <code>{BASE}/api</code>
        </dd>
        <dt>For all others</dt>
        <dd>
          <code>{BASE}/api/v1</code>
        </dd>
      </dl>
      <section aria-labelledby="agents">
        <h2 id="agents">Coding agents</h2>
        {agentLines(place).map((one) => (
          <Lines key={one.id} of={one} />
        ))}
      </section>
      <section aria-labelledby="programs">
        <h2 id="programs">Programs</h2>
        <div class="fields one">
          <div>
            <label for="model">Model</label>
            <input
              id="model"
              value={model}
              spellcheck={false}
              autoCapitalize="none"
              aria-describedby="model-hint"
              onChange={({ currentTarget }) =>
                setQuery({ model: currentTarget.value === USUAL_MODEL ? '' : currentTarget.value }, 'replace')
              }
            />
          </div>
        </div>
        <p id="model-hint" class="hint">
          Any model of this gateway. <code>sandbox/echo</code> answers without a provider.
        </p>
        {[curlLines(place), ...programLines(place)].map((one) => (
          <Lines key={one.id} of={one} />
        ))}
      </section>
    </>
  );
}

function Lines({ of: { id, title, file, install, lines } }: { readonly of: ClientLines }): JSX.Element {
  return (
    <section class="client" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {install !== undefined && (
        <p class="hint">
          <code>npm install {install}</code>, then <code>node {file}</code>:
        </p>
      )}
      <pre tabIndex={0} aria-label={`Lines for ${title}`}>
        {lines}
      </pre>
      <Copy text={`${lines}\n`}>
        Copy<span class="unseen"> the lines for {title}</span>
      </Copy>
    </section>
  );
}
