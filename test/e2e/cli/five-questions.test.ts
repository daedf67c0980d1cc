/**
 * Runs every command of docs/five-questions.md with curl, as a reader would. On the same plane, `mandate` prints
 * explanations, tables and CSV, and repeats a request.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Explanation } from '@mandate/query';
import { wireTime } from '@mandate/schemas';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonLines, type RunHereOptions, runMandate } from './run-mandate.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/five-questions.md'), 'utf8');

const MANDATES = `version: 1
id: team
agents: ["researcher", "writer", "loop", "parent", "child", "payer"]
maxCostTotal: 0.25
deniedTools: ["*_admin"]
toolPolicies:
  search: { cost: 0.10 }
  look: { cost: 0.01 }
  pay: { cost: 0.02, requiresConfirmation: true }
`;

let plane: PlaneProcess;
const folder = mkdtempSync(join(tmpdir(), 'mandate-questions-'));
const startedMs = Date.now();

const request = (agentId: string, tool: string, id: string, more: object = {}) => ({
  id,
  agentId,
  type: 'tool_call',
  tool,
  ...more,
});

/** The requests before the kill, in this order. */
const REQUESTS = [
  request('researcher', 'search', 'r1'),
  request('researcher', 'search', 'r2'),
  request('writer', 'look', 'w1'),
  request('parent', 'look', 'p1'),
  request('child', 'look', 'c1', { parentActionId: 'p1' }),
  request('loop', 'look', 'l1'),
  request('loop', 'look', 'l2'),
  request('loop', 'look', 'l2'),
];

/** The requests after the kill. The guide asks about the last one, which is refused. */
const REFUSED = [
  request('loop', 'look', 'l3'),
  request('loop', 'look', 'l4'),
  request('researcher', 'search', 'r3'),
];

function mandate(args: readonly string[], options: RunHereOptions = {}) {
  const env = { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' };
  return runMandate(args, { ...options, env });
}

/**
 * Publishes one request after the other, each after the decision on the request before. If all were published at
 * once, requests of different agents would be decided in any order.
 */
async function publishEach(requests: readonly object[]): Promise<void> {
  for (const action of requests) {
    const stdin = JSON.stringify({ event: 'action.requested', action });
    await mandate(['publish', '--file', '-'], { stdin });
  }
}

beforeAll(async () => {
  writeFileSync(join(folder, 'mandates.yaml'), MANDATES);
  plane = await startPlane({ data: join(folder, 'data'), mandates: join(folder, 'mandates.yaml') });
  await publishEach(REQUESTS);
  await mandate(['kill', 'loop', '--reason', 'it goes round in circles']);
  await publishEach(REFUSED);
  await waitUntil('everything in the audit', async () => {
    const { stdout } = await mandate(['decisions', 'list', '--json']);
    return jsonLines(stdout).length === REQUESTS.length + REFUSED.length;
  });
});
afterAll(async () => {
  await plane?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the ids of actions in sorted order, because requests within one millisecond have no fixed order. */
function actionsIn(answer: unknown): string[] {
  const { decisions } = answer as { decisions: { actionId: string }[] };
  return decisions.map(({ actionId }) => actionId).toSorted();
}

describe('docs/five-questions.md', () => {
  const blocks = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

  /**
   * Runs all commands of the guide in one shell, as a reader would. The times in the guide are replaced by the times
   * of this test.
   */
  function followed(): unknown[] {
    const script = blocks.map((block) => `${block}\nprintf '\\036'`).join('\n');
    const around = script
      .replaceAll('2026-01-31T14:00:00Z', wireTime(startedMs - 1_000))
      .replaceAll('2026-01-31T14:10:00Z', wireTime(Date.now() + 60_000));
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', around], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: { PATH: process.env.PATH, MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.auditor },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const said = stdout.split('\u001e').slice(0, -1);
    return said.map((text) => (text.startsWith('{') ? JSON.parse(text) : text.trim()));
  }

  it('gets an answer from each of its commands', () => {
    const [spend, decision, explained, budgets, around, kill, stopped, allowed, ...more] = followed();
    expect(more).toEqual([]);
    expect(spend).toMatchObject({
      total: { spent: '$0.25' },
      agents: [{ agentId: 'researcher', spent: '$0.20' }, { agentId: 'loop', spent: '$0.02' }, {}, {}, {}],
    });
    expect(explained).toMatchObject({
      decision: { id: decision, actionId: 'r3', code: 'COST_LIMIT_EXCEEDED' },
      change: {
        needs: [{ check: 'budget', anyOf: [{ way: 'higher-limit', atLeastMicros: 300_000 }, {}] }],
        askAgainAs: 'new-id',
      },
      before: { decisions: [{ actionId: 'r2' }, { actionId: 'r1' }], more: false },
      after: { decisions: [] },
    });
    expect(budgets).toMatchObject({
      budgets: [{ subject: 'researcher', left: '$0.05', usedPercent: 80 }, { subject: 'loop' }, {}, {}, {}],
    });
    expect(around).toMatchObject({ next: null });
    expect(actionsIn(around)).toEqual(['r1', 'r2', 'r3']);
    expect(kill).toMatchObject({
      events: [
        {
          agentId: 'loop',
          by: expect.stringMatching(/^operator /),
          reason: 'it goes round in circles',
          open: [{ actionId: 'l1' }, { actionId: 'l2' }],
          openCount: 2,
        },
      ],
    });
    expect(actionsIn(stopped)).toEqual(['l3', 'l4']);
    expect(allowed).toMatchObject({
      decision: { agentId: 'loop', verdict: 'ALLOW' },
      killsAfter: [{ event: 'agent.killed', reason: 'it goes round in circles' }],
    });
  });
});

describe('mandate decisions explain', () => {
  it('explains the valid decision about an action, on one page', async () => {
    const { exitCode, stdout, stderr } = await mandate(['decisions', 'explain', 'r3']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^BLOCK {2}COST_LIMIT_EXCEEDED {2}dec_\S+ {2}\S+Z \(.*\)\n/);
    expect(stdout).toContain(
      'block budget                Of the agent budget "total" of $0.25, $0.20 was spent, and the call costs $0.10.  [maxCostTotal]',
    );
    expect(stdout).toContain(
      '\n  budget                at least $0.30 in the agent budget "total", or $0.05 given back to it\n',
    );
    expect(stdout).toContain('\n  budget agent total: $0.20 -> $0.20 of $0.25\n');
    expect(stdout).toMatch(/\nBefore it\n {2}dec_\S+ .* r2 /);
  });

  it('names the kill before a refusal, and the kill after an open action', async () => {
    const { stdout } = await mandate(['decisions', 'explain', 'l3', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kills: [{ event: 'agent.killed', scope: 'agent' }],
      killsAfter: [],
      change: { needs: [{ check: 'kill-switch', anyOf: [{ way: 'revive' }] }] },
    });
    const open = await mandate(['decisions', 'explain', 'l1', '--json']);
    expect(JSON.parse(open.stdout)).toMatchObject({
      change: { needs: [] },
      kills: [],
      killsAfter: [{ event: 'agent.killed', ledgerSequence: expect.any(Number) }],
    });
    expect((await mandate(['decisions', 'explain', 'l1'])).stdout).toMatch(
      /\nKilled right after it\n.* agent\.killed agent by .*: it goes round in circles\n +This agent was killed .*BLOCK/,
    );
    expect(JSON.parse((await mandate(['decisions', 'explain', 'w1', '--json'])).stdout)).toMatchObject({
      killsAfter: [],
    });
  });

  it('finds repetitions, parents and children', async () => {
    const told = async (id: string) =>
      JSON.parse((await mandate(['decisions', 'explain', id, '--json'])).stdout);
    expect(await told('l2')).toMatchObject({
      decision: { kind: 'first' },
      duplicates: { decisions: [{ kind: 'duplicate', actionId: 'l2' }] },
      sameAction: { decisions: [{ kind: 'duplicate' }] },
    });
    expect(await told('p1')).toMatchObject({
      children: { decisions: [{ agentId: 'child', actionId: 'c1' }] },
      limits: { budgets: [{ id: 'total', before: '$0.00', after: '$0.01', max: '$0.25' }] },
    });
    expect(await told('c1')).toMatchObject({ parents: { decisions: [{ agentId: 'parent' }] } });
  });

  it('shows for a decision the person who approved it, its settlement and its trace', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const pay = request('payer', 'pay', 'pay-1');
    const send = async () => {
      const answer = await fetch(`${plane.url}/v1/actions?waitMs=10000`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': plane.keys.operator ?? '',
          traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        },
        body: JSON.stringify(pay),
      });
      expect(answer.ok).toBe(true);
    };
    await send();
    const deferred = await waitUntil('the deferral', async () => {
      const { stdout } = await mandate(['decisions', 'list', '--agent', 'payer', '--json']);
      return jsonLines<{ id: string }>(stdout)[0];
    });
    await mandate(['approvals', 'approve', deferred.id, '--reason', 'it is due']);
    await send();
    const outcome = { actionId: 'pay-1', agentId: 'payer', status: 'success', actualCostMicros: 25_000 };
    const stdin = JSON.stringify({ event: 'action.completed', outcome });
    await mandate(['publish', '--file', '-'], { stdin });
    const told = await waitUntil('the settlement', async () => {
      const { stdout } = await mandate(['decisions', 'explain', 'pay-1', '--json']);
      const explained: Explanation = JSON.parse(stdout);
      return explained.settlements.length > 0 && explained;
    });
    expect(told).toMatchObject({
      decision: { verdict: 'ALLOW', grantConsumed: true },
      approvals: [{ event: 'approval.recorded', answer: 'granted', reason: 'it is due' }],
      settlements: [
        { status: 'success', delta: '$0.005', charged: '$0.025', code: 'SETTLED', mayRelease: true },
      ],
      sameAction: { decisions: [{ id: deferred.id, verdict: 'DEFER' }] },
      traceId,
      trace: { decisions: [{ id: deferred.id }, { id: told.decision.id, apartMs: 0 }] },
    });
    const waited = JSON.parse((await mandate(['decisions', 'explain', deferred.id, '--json'])).stdout);
    expect(waited).toMatchObject({ decision: { verdict: 'DEFER' }, settlements: [] });
  });

  it('says that there is nothing to explain', async () => {
    const { exitCode, stdout, stderr } = await mandate(['decisions', 'explain', 'nothing']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('no decision and no action nothing');
  });
});

describe('questions to the audit', () => {
  it('combines several values of a filter', async () => {
    const args = ['decisions', 'list', '--agent', 'writer', '--agent', 'parent', '--max-charged', '0.01'];
    const rows = jsonLines<{ agentId: string }>((await mandate([...args, '--json'])).stdout);
    expect(rows.map(({ agentId }) => agentId).toSorted()).toEqual(['parent', 'writer']);
  });

  it('prints the requested columns as CSV', async () => {
    const args = ['decisions', 'list', '--agent', 'researcher', '--csv'];
    const some = await mandate([...args, '--columns', 'actionId,verdict,charged']);
    expect(some).toMatchObject({ exitCode: 0, stderr: '' });
    const [names, ...rows] = some.stdout.trimEnd().split('\n');
    expect(names).toBe('actionId,verdict,charged');
    expect(rows.toSorted()).toEqual(['r1,ALLOW,$0.10', 'r2,ALLOW,$0.10', 'r3,BLOCK,$0.00']);
    const wrong = await mandate([...args, '--columns', 'actionId,price']);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('there is no column price');
  });

  it('draws buckets as a chart if asked for a chart, and otherwise lists them', async () => {
    const args = ['analytics', 'groups', '--group-by', 'agent', '--interval', '1h', '--from', '2h'];
    const drawn = await mandate([...args, '--sparklines', '--columns', 'agent,calls,calls over time']);
    expect(drawn.stdout).toMatch(/^AGENT +CALLS +CALLS OVER TIME\nloop +5 +\S/);
    const told = await mandate([...args, '--csv', '--columns', 'agent,start,calls']);
    const lines = told.stdout.trim().split('\n').slice(1);
    const calls = lines.filter((line) => line.startsWith('loop,')).map((line) => Number(line.split(',')[2]));
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(5);
  });

  it.each([
    ['spend', /\nin all: \$\S+ charged, \S+ settled difference, \$\S+ spent\n/],
    ['models', /^nothing found/],
    ['principals', /^nothing found/],
    ['latency', /\nfrom the log to the decision: half within \d+ ms/],
    ['near-misses', /^nothing found/],
    ['releases', /^AGENT ID +TOOL +OUTCOMES .*\npayer +pay /],
    ['tokens', /^nothing found/],
    ['budgets', /^SCOPE +SUBJECT .*\nagent +researcher /],
  ])('prints %s as text', async (question, said) => {
    const words = { budgets: ['budgets', 'list'], spend: ['spend'] }[question] ?? ['analytics', question];
    const { exitCode, stdout, stderr } = await mandate(words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(said);
  });

  it('prints what changed since the period before', async () => {
    const { stdout } = await mandate(['analytics', 'movers', '--from', '1d', '--limit', '1']);
    expect(stdout).toMatch(/^AGENT +CHANGE .*\nresearcher +new +\$0\.00 +\$0\.20 /);
  });

  it('repeats a query until it is stopped', async () => {
    const asked = new AbortController();
    const stdout = new PassThrough();
    let tables = 0;
    stdout.on('data', (chunk) => {
      tables += String(chunk).split('VERDICT').length - 1;
    });
    const args = ['analytics', 'verdicts', '--watch', '100ms', '--columns', 'verdict,decisions'];
    const watching = mandate(args, { stdout, signal: asked.signal });
    await waitUntil('two tables', () => tables > 1);
    asked.abort();
    const { exitCode, stdout: said } = await watching;
    expect(exitCode).toBe(0);
    const [first = '', second = ''] = said.split('\n\n');
    expect(first).toMatch(/^VERDICT +DECISIONS\n/);
    expect(second.trim()).toBe(first.trim());
  });
});
