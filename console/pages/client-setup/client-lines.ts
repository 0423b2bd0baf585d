/** Lines that connect a client to this gateway. */
export interface ClientLines {
  readonly id: string;
  readonly title: string;
  /** Kind of the lines: commands of a shell, or the content of a file of this name. */
  readonly file: 'shell' | `${string}.mjs`;
  readonly lines: string;
  /** The package that they need. */
  readonly install?: string;
}

/** Address of this gateway, and the model that the lines call. */
export interface LinesFor {
  /** `https://gateway.example.com`, without a slash at the end. */
  readonly base: string;
  /** Model of programs; coding agents need one that works with tools. */
  readonly model: string;
}

/** The lines of coding agents, as docs/use/client-setup.md has them with the versions that were tried. */
export const agentLines = ({ base }: LinesFor): readonly ClientLines[] => [
  {
    id: 'claude-code',
    title: 'Claude Code',
    file: 'shell',
    lines: `export ANTHROPIC_BASE_URL=${base}/api
export ANTHROPIC_AUTH_TOKEN=$FAIRLEAD_API_KEY ANTHROPIC_MODEL=claude-sonnet-4-5
claude -p "Say hello"`,
  },
  {
    id: 'codex',
    title: 'Codex',
    file: 'shell',
    lines: `codex exec -m anthropic/claude-sonnet-4.5 -c model_provider=fairlead -c 'model_providers.fairlead={ name="Fairlead",
  base_url="${base}/api/v1", env_key="FAIRLEAD_API_KEY", wire_api="responses" }' "Say hello"`,
  },
  {
    id: 'opencode',
    title: 'opencode',
    file: 'shell',
    lines: `echo '{ "model": "anthropic/claude-sonnet-4-5", "provider": { "anthropic": { "options": {
  "baseURL": "${base}/api/v1", "apiKey": "{env:FAIRLEAD_API_KEY}" } } } }' > opencode.json
opencode run "Say hello"`,
  },
];

/** Programs that print one reply, to be run with FAIRLEAD_API_KEY. */
export const programLines = ({ base, model }: LinesFor): readonly ClientLines[] => [
  {
    id: 'openai',
    title: 'openai',
    file: 'openai.mjs',
    install: 'openai',
    lines: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/api/v1', apiKey: process.env.FAIRLEAD_API_KEY });
const reply = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Say hello' }],
});
console.log(reply.choices[0].message.content);`,
  },
  {
    id: 'anthropic',
    title: '@anthropic-ai/sdk',
    file: 'anthropic.mjs',
    install: '@anthropic-ai/sdk',
    lines: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}/api', apiKey: process.env.FAIRLEAD_API_KEY });
const reply = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Say hello' }],
});
console.log(reply.content[0].text);`,
  },
  {
    id: 'ai-sdk',
    title: 'AI SDK',
    file: 'ai-sdk.mjs',
    install: 'ai @ai-sdk/anthropic',
    lines: `import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';

const gateway = createAnthropic({ baseURL: '${base}/api/v1', apiKey: process.env.FAIRLEAD_API_KEY });
const { text } = await generateText({ model: gateway(${quoted(model)}), prompt: 'Say hello' });
console.log(text);`,
  },
  {
    id: 'langchain',
    title: 'LangChain',
    file: 'langchain.mjs',
    install: '@langchain/openai @langchain/core',
    lines: `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${quoted(model)},
  apiKey: process.env.FAIRLEAD_API_KEY,
  configuration: { baseURL: '${base}/api/v1' },
});
console.log((await model.invoke('Say hello')).content);`,
  },
];

/** The request as a curl command. */
export const curlLines = ({ base, model }: LinesFor): ClientLines => ({
  id: 'curl',
  title: 'curl',
  file: 'shell',
  lines: `curl ${base}/api/v1/chat/completions \\
  -H "authorization: Bearer $FAIRLEAD_API_KEY" -H "content-type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] }).replaceAll("'", String.raw`'\''`)}'`,
});

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll('\n', ' ')}'`;
