/**
 * Checks that no number is changed on its way, in either direction, even where a double would change it
 * (docs/contribute/reasons/translation.md#numbers-are-not-changed). Ids past 2⁵³ and long decimals in tool inputs,
 * schemas and metadata are compared as the text that each side really received.
 */
import { describeOnEmbedded } from '../support/database.js';
import { json } from '../support/upstream-answers.js';
import { API_KEY } from '../support/app.js';
import { MessagesBench } from './messages-bench.js';

const ID = '9007199254740993';
const LONG = '0.1000000000000000055511151231257827';
const INPUT = `{"id":${ID},"share":${LONG},"plain":1.5}`;

describeOnEmbedded('numbers past a double', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const send = (model: string, stream = false): Promise<Response> =>
    fetch(`${bench.gateway.origin}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: `{"model":"${model}","max_tokens":100,"stream":${stream},"metadata":{"user_id":"u"},
        "tools":[{"name":"look_up","input_schema":{"type":"object","properties":{"id":{"type":"integer","maximum":${ID}}}}}],
        "messages":[
          {"role":"user","content":"Look it up"},
          {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look_up","input":${INPUT}}]},
          {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}]}`,
    });

  it('reach an upstream of the same format in their spelling', async () => {
    const sent = bench.anthropic.request();
    await (await send('test/native')).text();
    const body = (await sent).rawBody.toString();
    expect(body).toContain(`"input":${INPUT}`);
    expect(body).toContain(`"maximum":${ID}`);
  });

  it('reach an upstream of the other format, in its arguments and its schema', async () => {
    const sent = bench.openai.request();
    await (await send('test/translated')).text();
    const body = (await sent).rawBody.toString();
    expect(body).toContain(JSON.stringify(INPUT));
    expect(body).toContain(`"maximum":${ID}`);
  });

  const anthropicReply = `{"id":"msg_1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","stop_sequence":null,
    "content":[{"type":"tool_use","id":"t2","name":"look_up","input":${INPUT}}],"usage":{"input_tokens":1,"output_tokens":1}}`;
  const openaiReply = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls",
    "message":{"role":"assistant","content":null,"tool_calls":[{"id":"t2","type":"function","function":{"name":"look_up","arguments":${JSON.stringify(INPUT)}}}]}}],
    "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`;

  it.each([
    ['the same format', 'test/native', 'anthropic', anthropicReply],
    ['the other format', 'test/translated', 'openai', openaiReply],
  ] as const)('come back whole from an upstream of %s', async (_, model, upstream, reply) => {
    bench[upstream].script({ ...json({}), body: [reply] });
    const text = await (await send(model)).text();
    expect(text).toContain(`"input":${INPUT}`);
  });

  it('come back in a stream that was answered whole', async () => {
    bench.anthropic.script({ ...json({}), body: [anthropicReply] });
    const text = await (await send('test/native', true)).text();
    expect(text).toContain(JSON.stringify(INPUT).slice(1, -1));
  });
});
