/** The demo from start to end: a plane, its agents, the scenes, and the drift between log, ledger and audit. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@mandate/client';
import { LISTS, planChanges } from '@mandate/control/plan';
import { readControlFiles } from '@mandate/documents';
import { openPlane, type Plane, planeConfig } from '@mandate/plane';
import { auditSource, ledgerSource, reconcileSources } from '@mandate/reconcile';
import type { Decision, Shadow } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { createAgent } from './governed-agent.ts';
import { followLoggedCalls, type LoggedCalls } from './logged-calls.ts';
import { type McpProxies, optionsOf, startMcpProxies } from './mcp-proxies.ts';
import { ownFunctions } from './own-functions.ts';
import { playProxied } from './proxied.ts';
import { playResearch } from './research/play-research.ts';
import { inWords, stopRunaway } from './runaway.ts';
import { AGENTS, PROXIED_AGENT, SDK_AGENT, scenes } from './scenes.ts';
import { createSdkAgent } from './sdk-agent.ts';
import { startToolServers, type ToolServers } from './tool-servers.ts';
import { playTutor } from './tutor.ts';

export type DemoOptions = { keep: boolean; port: number };

/** The scene with the runners takes seconds. After this time it fails. */
const MOST_RESEARCH_MS = 60_000;

type Row = Readonly<Record<string, unknown>>;

/** How the demo shows its parts. */
export type DemoView = {
  /** Shows a line of the story. */
  say(text: string): Promise<void>;
  title(text: string): Promise<void>;
  decision(decision: Decision): void;
  /** Shows the audit's answer to one question. */
  table(title: string, question: 'spend' | 'codes' | 'tools', rows: readonly Row[]): Promise<void>;
  /** Returns a sentence about what the shadow rules would have decided. */
  shadow(shadow: Shadow): string;
  /** Returns a number with its noun: `1 call`, `2 calls`. */
  counted(count: number, noun: string): string;
};

/** At most this many decisions of each agent are shown, so that an agent in a loop does not hide the others. */
const SHOWN_OF_ONE_AGENT = 12;

const TABLES = [
  { title: 'Spend by agent', question: 'spend', rows: 'agents' },
  { title: 'Why actions were allowed, blocked or deferred', question: 'codes', rows: 'codes' },
  { title: 'Calls by tool', question: 'tools', rows: 'tools' },
] as const;

/** Resolves to true if log, ledger and audit agree, and no call of the killed agent reached a tool. */
export async function runDemo(
  { keep, port }: DemoOptions,
  view: DemoView,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-demo-'));
  const [files, research] = [join(folder, 'files'), join(folder, 'research')];
  for (const made of [files, research]) mkdirSync(made);

  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  });
  const config = planeConfig.parse({
    PLANE_DATA_PATH: join(folder, 'data'),
    PLANE_PORT: port,
    // Runners in processes of their own perform the runs, because one of them is killed.
    PLANE_PERFORM_RUNS: false,
  });
  const startingTools = inBackground(cleaning, startToolServers(files));
  const plane = cleaning.adopt(
    await openPlane(config, createLogger({ name: 'demo', level: 'error' })),
    (opened) => opened.stop(),
  );
  await view.say(`The plane is up at ${plane.url}. Log, ledger, ClickHouse and HTTP are in this process.`);
  const tools = await startingTools;
  const proxies = inBackground(cleaning, startMcpProxies(tools.urls, plane.url));
  await view.say(
    'Two MCP servers run too: "files" reads and writes files, and "everything" has sample tools. In front of each server is the MCP proxy:\n' +
      `  mandate mcp --listen 127.0.0.1:<port> --upstream <url> ${optionsOf('files').join(' ')}\n` +
      'The agents are MCP clients that know only the address of the proxy. Every ALLOW below is a real call of a tool.',
  );
  const logged = cleaning.adopt(await followLoggedCalls(plane.bus, signal), (reader) => reader.stop());

  const parts = { plane, tools, proxies, logged };
  const played = await play(parts, { files, research }, view, signal);
  // The demo promises that its last line shows the measured drift, even if the drift is not zero.
  await view.say(`drift ${played.driftMicros} micro-dollars`);
  if (keep) await keepRunning(plane, view, signal);
  return played.driftMicros === 0 && played.ranAfterKill === 0 && played.researched;
}

type Parts = { plane: Plane; tools: ToolServers; proxies: Promise<McpProxies>; logged: LoggedCalls };

async function play(
  { plane, tools, proxies, logged }: Parts,
  { files, research }: { files: string; research: string },
  view: DemoView,
  signal: AbortSignal,
): Promise<{ driftMicros: number; ranAfterKill: number; researched: boolean }> {
  const { say, counted } = view;
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key;
  const api = createApiClient({ url: plane.url, key, signal });
  const onDecision = onFirstDecisions(view);
  const keys = await register(api);
  const { urls } = await proxies;
  const agents = new Map(
    [...keys].map(([id, key]) => [id, createAgent({ id, key, proxies: urls, logged, onDecision })]),
  );
  await say(
    `${counted(agents.size, 'agent')} are registered over HTTP, each with a key, policies and rules.\n` +
      'Each line shows one decision: the time, verdict, agent and tool, and the charge, or the code that says why not.',
  );
  const agent = (id: string) => {
    const known = agents.get(id);
    if (known === undefined) throw new TypeError(`no registration has the agent ${id}`);
    return known;
  };

  const functions = ownFunctions();
  const sdkAgent = createSdkAgent(
    { id: SDK_AGENT, url: plane.url, key: keys.get(SDK_AGENT) ?? '' },
    functions,
  );
  for (const { title, play } of scenes({
    ...{ agent, sdkAgent, api, folder: files },
    say: (text) => say(`  ${text}`),
    shadowInWords: view.shadow,
  })) {
    await view.title(title);
    await play();
  }

  await view.title(
    'An agent starts its MCP server through the proxy, and sees only the tools that it may use',
  );
  const proxiedCalls = await playProxied({
    ...{ agentId: PROXIED_AGENT, key: keys.get(PROXIED_AGENT) ?? '', url: plane.url },
    ...{ api, folder: files, counted, serverTools: await tools.countTools('files') },
    say: (text) => say(`  ${text}`),
  });

  await view.title('A tutor has a manifest, and its model wants more than the manifest allows');
  await playTutor({
    api: await tutorApi(api, plane, signal),
    functions,
    onDecision,
    say: (text) => say(`  ${text}`),
  });

  await view.title('A manifest with a workflow runs, its runner is killed, and another runner goes on');
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(MOST_RESEARCH_MS)]);
  const researched = await playResearch({
    ...{ plane, folder: research, counted, signal: deadline },
    api: createApiClient({ url: plane.url, key, signal: deadline }),
    say: (text) => say(`  ${text}`),
  });

  await view.title('An agent runs in a loop until the kill switch stops it');
  const stopped = await stopRunaway(
    agent('runaway'),
    api,
    () => new Set(tools.reached.map(({ args }) => args.message)),
  );
  for (const line of inWords(stopped)) await say(`  ${line}`);

  await view.title('The audit in ClickHouse');
  // Outcomes that a proxy has not reported yet are reported at its end.
  await (await proxies).stop();
  await plane.atRest(signal);
  for (const { title, question, rows } of TABLES) {
    const answer = await api.get<Record<string, readonly Row[]>>(`/v1/audit/analytics/${question}`);
    await view.table(title, question, answer[rows] ?? []);
  }
  const path = '/v1/audit/analytics/verdicts';
  const { verdicts } = await api.get<{ verdicts: { decisions: number }[] }>(path, { shadow: 'differs' });
  const changed = verdicts.reduce((sum, { decisions }) => sum + decisions, 0);
  await say(
    `\nIf the shadow rule were enforced, it would have changed ${counted(changed, 'decision')} of the whole demo.`,
  );
  const sources = { bus: plane.bus, ledger: ledgerSource(plane.ledger), audit: auditSource(plane.audit) };
  const report = await reconcileSources(sources, await plane.ledger.tenants());
  await say(
    `\nThe agents made ${counted(tools.reached.length + proxiedCalls + functions.calls(), 'real tool call')}. ` +
      `The log contains ${counted(report.decisions, 'decision')} and ${counted(report.settlements, 'settlement')}. ` +
      `The demo compared ${counted(report.counters, 'budget counter')} of log, ledger and audit.`,
  );
  for (const difference of report.differences) await say(`  ${JSON.stringify(difference)}`);
  const { posts, ledgerMicros, auditMicros } = researched;
  return {
    driftMicros: report.driftMicros,
    ranAfterKill: stopped.ranAfter,
    researched: posts === 1 && ledgerMicros === auditMicros,
  };
}

/** Starts something while the caller goes on. It is stopped with the other parts, also if the caller fails before. */
function inBackground<Part extends { stop(): Promise<void> }>(
  cleaning: AsyncDisposableStack,
  starting: Promise<Part>,
): Promise<Part> {
  const ended = starting.catch(() => null);
  cleaning.defer(async () => (await ended)?.stop());
  return starting;
}

/** Applies the files as `mandate apply` does, and registers the agents. Returns the key of each agent. */
async function register(api: ApiClient): Promise<ReadonlyMap<string, string>> {
  const documents = ['control.yaml', 'tutor'].map((name) => join(import.meta.dirname, name));
  const wanted = readControlFiles(documents);
  for (const { kind, id, after, revision } of planChanges(wanted, [], { prune: false, atMs: Date.now() })) {
    await api.put(`/v1/${LISTS[kind]}/${id}`, after, { revision });
  }
  const keys = new Map<string, string>();
  for (const agent of AGENTS) {
    const { key } = await api.post<{ key: { key: string } }>('/v1/agents', agent);
    keys.set(agent.id, key.key);
  }
  return keys;
}

/** Returns a client with a key of the tutor. Its manifest has registered it. */
async function tutorApi(api: ApiClient, { url }: Plane, signal: AbortSignal): Promise<ApiClient> {
  const { key } = await api.post<{ key: { key: string } }>('/v1/agents/tutor/keys', {});
  return createApiClient({ url, key: key.key, signal });
}

/** Returns a function that shows only the first decisions of each agent. */
function onFirstDecisions(view: DemoView): (decision: Decision) => void {
  const shown = new Map<string, number>();
  return (decision) => {
    const times = (shown.get(decision.agentId) ?? 0) + 1;
    shown.set(decision.agentId, times);
    if (times <= SHOWN_OF_ONE_AGENT) view.decision(decision);
    else if (times === SHOWN_OF_ONE_AGENT + 1)
      void view.say(`  … and more decisions about ${decision.agentId}`);
  };
}

async function keepRunning(
  { url, folder, firstKeys }: Plane,
  view: DemoView,
  signal: AbortSignal,
): Promise<void> {
  const operator = firstKeys.find(({ name }) => name === 'operator')?.key ?? '';
  await view.say(
    `\nThe plane runs at ${url} until Ctrl-C. Its data stays in ${folder.path}. Its keys are:\n` +
      firstKeys.map(({ name, key }) => `  ${name.padEnd(10)} ${key}\n`).join('') +
      `\nLook at it in a browser (the link signs in):\n  ${url}/sign-in#key=${operator}\n` +
      `\nIn another terminal, run:\n  npx mandate login --url ${url}   (with the operator key)\n` +
      '  npx mandate agents list\n  npx mandate decisions list --verdict BLOCK\n' +
      `  npx mandate reconcile --data ${folder.path}`,
  );
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
