// `npm run build && node bench/tools.mjs`: the cost of the gateway's tools alone, without sockets: medians of warm
// rounds in this process. For a request without tools or plugins, the check for them; for a history of tool results,
// the longest step of restoring them for models.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
/** Time for the compiler before measuring. */
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 1_500);
const LOOKS = 10_000;
const LOOK_US_MAX = 5;
const STEP_MS_MAX = 20;

const load = (path) => import(new URL(`../dist/${path}.js`, import.meta.url));
const { RoutingPolicies } = await load('accounts/routing-policies');
const { PluginSelector } = await load('inference/plugins/plugin-selector');
const { ALL_PLUGINS } = await load('plugins/plugin-list');
const { ToolOfferPlanner } = await load('inference/tools/tool-offer-planner');
const { findSeals, openSeals, recallTurns } = await load('inference/tools/recall-turns');
const { ALL_SERVICE_TOOLS } = await load('tools/service-tools');
const { ToolContexts } = await load('tools/tool-contexts');
const { open, seal } = await load('vault/sealed-box');
const { SealRing } = await load('vault/seal-ring');

const median = (figures) => figures.toSorted((one, other) => one - other)[figures.length >> 1];
const missed = [];
function report(name, figures, max, unit) {
  const figure = median(figures);
  if (figure > max) missed.push(name);
  const worst = Math.max(...figures).toFixed(2);
  console.log(`${name.padEnd(64)} ${figure.toFixed(2)} ${unit}, worst ${worst} (at most ${max})`);
}

/** Microseconds of one check, by rounds. */
function looksOf(look) {
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end;) look();
  return Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    for (let count = 0; count < LOOKS; count++) look();
    return ((performance.now() - startedAt) * 1_000) / LOOKS;
  });
}

const someone = {
  accountId: '0198c0de-0000-7000-8000-000000000001',
  workspaceId: '0198c0de-0000-7000-8000-000000000002',
};
const text = (words) => [{ type: 'text', text: words }];
const conversation = (turns) =>
  Array.from({ length: turns }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content: text('word') }));
const functions = (count) =>
  Array.from({ length: count }, (_, index) => ({ type: 'function', name: `f${index}`, inputSchema: {} }));

const offers = new ToolOfferPlanner(ALL_SERVICE_TOOLS, {}, {});
const routed = { inputs: { catalog: { tools: {} } }, plan: { legs: [] } };
for (const [turns, tools] of [
  [1, 0],
  [11, 20],
  [101, 20],
]) {
  const request = { model: 'a/b', system: [], messages: conversation(turns), tools: functions(tools) };
  const look = () => {
    if (offers.offer(offers.recall(request, {}), routed).request !== request) throw new Error('It was changed.');
  };
  report(`a request without them, ${turns} turns, ${tools} functions`, looksOf(look), LOOK_US_MAX, 'µs');
}

const policiesOf = async (plugins) => {
  const row = { of: 'account', plugins };
  const policies = new RoutingPolicies({ run: async () => [row] }, { now: () => 0 });
  await policies.pluginsOf(someone);
  return policies;
};
const sets = new PluginSelector(ALL_PLUGINS);
for (const [name, plugins] of [
  ['', []],
  [', with defaults of two', [{ id: 'response-healing' }, { id: 'web', enabled: false, prevent_overrides: true }]],
]) {
  const policies = await policiesOf(plugins);
  const request = { model: 'a/b', messages: conversation(1), plugins: [] };
  const look = () => {
    const set = sets.of(request, policies.pluginsOf(someone));
    if (set.prepare(request).request !== request || set.chooser(request)) throw new Error('It was changed.');
  };
  report(`a request without plugins${name}`, looksOf(look), LOOK_US_MAX, 'µs');
}

/** One data key, without a store. */
const key = randomBytes(32);
const ring = Object.assign(new SealRing({}), {
  newest: { id: '00000000-0000-4000-8000-000000000000', seal: (plain, context) => seal(plain, key, context) },
  ring: { find: () => ({ open: (sealed, context) => open(sealed, key, context) }) },
});
const contexts = new ToolContexts(ring, {}, {}, {}, {}, {}, {});
const caller = { accountId: 'a' };
const byResult = new Map(ALL_SERVICE_TOOLS.map((service) => [service.resultType, service]));

/** The longest body that is allowed: this many results, of this many pages, of this many characters each. */
function history(results, pages, characters) {
  const words = 'Die Züge fahren um “acht”. '.repeat(characters).slice(0, characters);
  const page = () => ({
    type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: contexts.seal(caller, words), page_age: null,
  }); // oxfmt-ignore
  const blocks = Array.from({ length: results }, (_, index) => {
    const id = `srvtoolu_fl${String(index).padStart(22, '0')}`;
    return [
      { type: 'server_tool_use', id, name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: id, content: Array.from({ length: pages }, page) },
    ];
  });
  const content = blocks.flat().map((value) => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } }));
  return [
    { role: 'user', content: text('q') },
    { role: 'assistant', content },
    { role: 'user', content: text('r') },
  ];
}

/** The longest step, and the result of all. */
function longest(steps) {
  let most = 0;
  for (;;) {
    const startedAt = performance.now();
    const step = steps.next();
    most = Math.max(most, performance.now() - startedAt);
    if (step.done) return [most, step.value];
  }
}

for (const [results, pages, characters] of [
  [10, 25, 60_000],
  [240, 1, 64_000],
  [10_000, 2, 500],
]) {
  const messages = history(results, pages, characters);
  const opening = contexts.opener(caller);
  const figures = [];
  const whole = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const [finding, seals] = longest(findSeals(messages));
    const [openingMs, opened] = longest(openSeals(seals, opening));
    if (opened.size !== results * pages) throw new Error('Not all was opened.');
    const [recalling] = longest(recallTurns(messages, { tools: byResult, opened, taken: new Set() }));
    figures.push(Math.max(finding, openingMs, recalling));
    whole.push(performance.now() - startedAt);
  }
  const bytes = ((results * pages * characters) / 1024 / 1024).toFixed(0);
  report(`the longest step of ${results} results of ${pages} pages, ${bytes} MiB`, figures, STEP_MS_MAX, 'ms');
  console.log(`  all of it ${median(whole).toFixed(1)} ms`);
}

if (missed.length > 0) {
  console.error(`Missed: ${missed.join('; ')}`);
  process.exitCode = 1;
}
