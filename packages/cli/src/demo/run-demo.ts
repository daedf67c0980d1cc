/**
 * The main job, seen in a minute: a fleet of agents whose tools are real MCP servers, governed by an embedded plane.
 * Ends with the drift between log, ledger and audit.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@mandate/client';
import { planChanges } from '@mandate/control/plan';
import { readControlFiles } from '@mandate/documents';
import { openPlane, type Plane, planeConfig } from '@mandate/plane';
import { auditSource, ledgerSource, reconcileSources } from '@mandate/reconcile';
import type { Decision } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { failureOf } from '../api-failure.ts';
import { SPEND } from '../audit/questions.ts';
import type { CommandContext } from '../command-context.ts';
import { PATHS } from '../control/standing-control.ts';
import type { ExitCode } from '../exit-codes.ts';
import { decisionLine } from '../output/decision-line.ts';
import { counted } from '../output/for-people.ts';
import { type Row, showAnswerRows } from '../output/show-answer-rows.ts';
import { paint } from '../output/table.ts';
import { write } from '../output/write.ts';
import { createAgent } from './governed-agent.ts';
import { inWords, stopRunaway } from './runaway.ts';
import { AGENTS, scenes } from './scenes.ts';
import { startToolServers } from './tool-servers.ts';

export type DemoOptions = { keep: boolean; port: number };

/** Of an agent that loops, so many decisions are shown. */
const SHOWN_OF_ONE_AGENT = 12;

const TABLES = [
  { title: 'Spend by agent', question: 'spend', rows: 'agents', presentation: SPEND },
  { title: 'Why decisions fell as they did', question: 'codes', rows: 'codes', presentation: {} },
  { title: 'Calls by tool', question: 'tools', rows: 'tools', presentation: {} },
] as const;

export async function runDemo({ keep, port }: DemoOptions, context: CommandContext): Promise<ExitCode> {
  const { stdout } = context;
  const folder = mkdtempSync(join(tmpdir(), 'mandate-demo-'));
  const files = join(folder, 'files');
  mkdirSync(files);

  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  });
  const config = planeConfig.parse({
    PLANE_DATA_PATH: join(folder, 'data'),
    PLANE_PORT: port,
  });
  const plane = cleaning.adopt(
    await openPlane(config, createLogger({ name: 'demo', level: 'error' })),
    (opened) => opened.stop(),
  );
  await write(stdout, `The plane is up at ${plane.url}: log, ledger, ClickHouse and HTTP in this process.\n`);
  const tools = cleaning.adopt(await startToolServers(files), (servers) => servers.close());
  await write(
    stdout,
    'Two MCP servers run beside it (filesystem, everything): every ALLOW below is a real call.\n',
  );

  const drift = await play(plane, tools, files, context);
  // The last line of the demo, by promise: what was measured, whatever it is.
  await write(stdout, `drift ${drift.micros} micro-dollars\n`);
  if (keep) await keepRunning(plane, context);
  return drift.micros === 0 && drift.ranAfterKill === 0 ? 0 : 1;
}

async function play(
  plane: Plane,
  tools: Awaited<ReturnType<typeof startToolServers>>,
  files: string,
  context: CommandContext,
): Promise<{ micros: number; ranAfterKill: number }> {
  const { stdout, signal } = context;
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key;
  const api = createApiClient({ url: plane.url, key, signal, failure: failureOf });
  const show = decisionPrinter(stdout);
  const say = (text: string) => write(stdout, `  ${text}\n`);
  const agents = await register(api, (id, key) => {
    const own = createApiClient({ url: plane.url, key, signal, failure: failureOf });
    return createAgent({ id, api: own, tools, onDecision: show });
  });
  await write(
    stdout,
    `${counted(agents.size, 'agent')} registered over HTTP, each with a key, policies and rules.\n`,
  );
  const agent = (id: string) => {
    const known = agents.get(id);
    if (known === undefined) throw new TypeError(`nobody registered the agent ${id}`);
    return known;
  };

  for (const { title, play } of scenes({ agent, api, folder: files, say })) {
    await write(stdout, `\n${paint('bold', title, stdout)}\n`);
    await play();
  }

  await write(stdout, `\n${paint('bold', 'A runaway loop, and the kill switch', stdout)}\n`);
  const stopped = await stopRunaway(agent('runaway'), api);
  for (const line of inWords(stopped)) await write(stdout, `  ${line}\n`);

  await write(stdout, `\n${paint('bold', 'What ClickHouse says', stdout)}\n`);
  await plane.atRest(signal);
  for (const { title, question, rows, presentation } of TABLES) {
    await write(stdout, `\n${title}\n`);
    const answer = await api.get<Record<string, readonly Row[]>>(`/v1/audit/analytics/${question}`);
    await showAnswerRows(answer[rows] ?? [], stdout, presentation);
  }
  const path = '/v1/audit/analytics/verdicts';
  const { verdicts } = await api.get<{ verdicts: { decisions: number }[] }>(path, { shadow: 'differs' });
  const changed = verdicts.reduce((sum, { decisions }) => sum + decisions, 0);
  await write(
    stdout,
    `\nThe rule in shadow, were it in force, would have changed ${counted(changed, 'decision')}.\n`,
  );
  const sources = { bus: plane.bus, ledger: ledgerSource(plane.ledger), audit: auditSource(plane.audit) };
  const report = await reconcileSources(sources, await plane.ledger.tenants());
  await write(
    stdout,
    `\n${counted(tools.calls(), 'real tool call')}. ` +
      `${counted(report.decisions, 'decision')} and ${counted(report.settlements, 'settlement')} on the log; ` +
      `${counted(report.counters, 'budget counter')} compared between log, ledger and audit.\n`,
  );
  for (const difference of report.differences) await write(stdout, `  ${JSON.stringify(difference)}\n`);
  return { micros: report.driftMicros, ranAfterKill: stopped.ranAfter };
}

/** What `mandate apply` does, and each agent with the key that its registration answers. */
async function register<Agent>(
  api: ApiClient,
  made: (id: string, key: string) => Agent,
): Promise<ReadonlyMap<string, Agent>> {
  const wanted = readControlFiles([join(import.meta.dirname, 'control.yaml')]);
  for (const { kind, id, after, revision } of planChanges(wanted, [], { prune: false, atMs: Date.now() })) {
    await api.put(`${PATHS[kind]}/${id}`, after, { revision });
  }
  const agents = new Map<string, Agent>();
  for (const agent of AGENTS) {
    const { key } = await api.post<{ key: { key: string } }>('/v1/agents', agent);
    agents.set(agent.id, made(agent.id, key.key));
  }
  return agents;
}

/** Decisions as they fall; of one agent only the first, so that a loop does not drown the others. */
function decisionPrinter(stdout: CommandContext['stdout']): (decision: Decision) => void {
  const shown = new Map<string, number>();
  return (decision) => {
    const times = (shown.get(decision.agentId) ?? 0) + 1;
    shown.set(decision.agentId, times);
    if (times <= SHOWN_OF_ONE_AGENT) stdout.write(`${decisionLine(decision, stdout, Date.now())}\n`);
    else if (times === SHOWN_OF_ONE_AGENT + 1) stdout.write(`  … and more of ${decision.agentId}\n`);
  };
}

async function keepRunning(
  { url, folder, firstKeys }: Plane,
  { stdout, signal }: CommandContext,
): Promise<void> {
  await write(
    stdout,
    `\nKept running at ${url} (data in ${folder.path}, which stays). Ctrl-C ends it. In another terminal:\n` +
      firstKeys.map(({ name, key }) => `  ${name.padEnd(10)} ${key}\n`).join('') +
      `\n  export MANDATE_URL=${url}\n` +
      `  export MANDATE_API_KEY=${firstKeys.find(({ name }) => name === 'operator')?.key ?? ''}\n` +
      '  npx mandate agents\n  npx mandate query decisions --verdict BLOCK\n' +
      `  npx mandate reconcile --data ${folder.path}\n`,
  );
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
