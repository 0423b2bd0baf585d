import type { JSX } from 'preact';
import { ROOT } from '../app/base.js';
import { Copy } from './named-id.js';

/** The variable that the lines read the secret from. */
const VARIABLE = '$FAIRLEAD_API_KEY';

/**
 * Lines that start each client with the address and key of this gateway.
 * @param secret absent: the lines read it from a variable of the terminal
 */
function linesOf(secret: string = VARIABLE): readonly (readonly [client: string, lines: string])[] {
  const api = new URL('api', ROOT).href;
  return [
    ['Environment', `export FAIRLEAD_API_KEY=${secret === VARIABLE ? '…' : secret}`],
    [
      'curl',
      `curl ${api}/v1/messages -H "authorization: Bearer ${VARIABLE}" -H "content-type: application/json" \\
  -d '{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}'`,
    ],
    [
      'Claude Code',
      `export ANTHROPIC_BASE_URL=${api} ANTHROPIC_AUTH_TOKEN=${VARIABLE}
claude --model claude-sonnet-4-5`,
    ],
    [
      'Codex',
      `codex -m anthropic/claude-sonnet-4.5 -c model_provider=fairlead -c 'model_providers.fairlead={ name="Fairlead",
  base_url="${api}/v1", env_key="FAIRLEAD_API_KEY", wire_api="responses" }'`,
    ],
    ['OpenAI SDKs', `export OPENAI_BASE_URL=${api}/v1 OPENAI_API_KEY=${VARIABLE}`],
  ];
}

/** Lines for clients, with the address of this gateway in them. */
export const ClientLines = ({ secret }: { readonly secret?: string }): JSX.Element => (
  <details class="clients">
    <summary>Lines for clients</summary>
    <dl>
      {linesOf(secret)
        .filter(([client]) => secret !== undefined || client !== 'Environment')
        .map(([client, lines]) => (
          <div key={client}>
            <dt>
              {client}{' '}
              <Copy text={lines}>
                Copy<span class="unseen"> the lines for {client}</span>
              </Copy>
            </dt>
            <dd>
              <pre class="command" tabIndex={0} aria-label={`Lines for ${client}`}>
                {lines}
              </pre>
            </dd>
          </div>
        ))}
    </dl>
  </details>
);
