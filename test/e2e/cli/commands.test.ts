/** Every command that talks to a plane, run on a plane: its output as text and as JSON, and its exit code. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createSqliteBus } from '@mandate/bus';
import { restoreLedger } from '@mandate/ledger-log';
import { makeDataFolder, silentLogger, systemClock } from '@mandate/runtime';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planeForCommands } from './plane-for-commands.ts';
import { jsonLines, startMandate } from './run-mandate.ts';

const { folder, data, plane, mandate, spawned, audited } = planeForCommands();

describe('publish', () => {
  it('shows the decision about an action, and why it is refused', async () => {
    const allowed = await mandate(['publish', '--agent', 'bot-1', '--tool', 'search', '--args', '{"q":1}']);
    expect(allowed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(allowed.stdout).toMatch(/^[\d:.]{12} {2}ALLOW {2}bot-1 +search +\$0\.01\n$/);
    const refused = await spawned(['publish', '--agent', 'bot-1', '--tool', 'fs_admin']);
    expect(refused).toMatchObject({ exitCode: 3, stderr: '' });
    expect(refused.stdout).toMatch(/BLOCK {2}bot-1 +fs_admin +TOOL_DENIED\n {2}\S/);
  });

  it('sends a single action with its attempt, grant and context', async () => {
    const ask = ['publish', '--agent', 'bot-1', '--tool', 'search', '--json'];
    const again = await mandate([...ask, '--id', 'once-more', '--attempt', '2', '--context', '{"site":"a"}']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      decision: { code: 'ALLOWED', attempt: 2, action: { attempt: 2, context: { site: 'a' } } },
    });
    const under = await mandate([...ask, '--grant', 'mnd_nobodys']);
    expect(JSON.parse(under.stdout)).toMatchObject({
      decision: { code: 'MANDATE_NOT_FOUND', action: { mandateId: 'mnd_nobodys' } },
    });
  });

  it('publishes a file of requests and outcomes, in order', async () => {
    const request = { id: 'f1', agentId: 'bot-2', type: 'tool_call', tool: 'search' };
    const outcome = { actionId: 'f1', agentId: 'bot-2', status: 'failure' };
    const stdin = [
      JSON.stringify(request),
      JSON.stringify({ event: 'action.completed', outcome }),
      '',
      JSON.stringify({ event: 'action.requested', action: { ...request, id: 'f2' } }),
      JSON.stringify({ actionId: 'f2', agentId: 'bot-2', status: 'success' }),
    ].join('\n');
    const { exitCode, stdout } = await mandate(['publish', '--file', '-', '--json'], { stdin });
    expect(exitCode).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([
      { actionId: 'f1', decision: { verdict: 'ALLOW', chargedMicros: 10_000 } },
      { actionId: 'f1', settlement: { code: 'SETTLED', deltaMicros: -10_000 } },
      { actionId: 'f2', decision: { verdict: 'ALLOW', cumulativeMicros: 10_000 } },
      { actionId: 'f2', settlement: { code: 'SETTLED', deltaMicros: 0 } },
    ]);
  });

  it('sends the lines of a file unchanged, and names the lines that the plane refuses', async () => {
    const file = join(folder, 'bad.ndjson');
    const good = JSON.stringify({ id: 'g1', agentId: 'bot-2', type: 'tool_call', tool: 'search' });
    writeFileSync(
      file,
      `${good}\n\n{"id":"g2","id":"g3","agentId":"bot-2","type":"tool_call","tool":"search"}\n`,
    );
    const { exitCode, stdout, stderr } = await mandate(['publish', '--file', file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`${file}:3 `);
    expect(stderr).toContain('id');
  });

  it('if a part of a file is refused, says which records of earlier parts are published', async () => {
    const file = join(folder, 'parts.ndjson');
    const ask = { agentId: 'bot-1', type: 'tool_call', tool: 'search' };
    const lines = [
      { id: 'part-1', ...ask },
      { actionId: 'part-1', agentId: 'bot-1', status: 'success' },
      { id: 'part-2', ...ask, tool: undefined },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { exitCode, stdout, stderr } = await mandate(['publish', '--file', file]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('part-1');
    expect(stderr).toContain(`The 2 records before ${file}:3 are published`);
    expect(stderr).not.toContain('Nothing was published');
  });
});

it('kill, revive and budgets adjust say with --dry-run what would change, and change nothing', async () => {
  const adjust = ['budgets', 'adjust', '--agent', 'bot-dry', '--by', '1', '--reason', 'test'];
  for (const [args, said] of [
    [['kill', 'bot-dry'], /isKilled: false\n(.*\n)*openCount: 0/],
    [['revive', 'bot-dry'], /changed: false/],
    [adjust, /before: 0\nafter: 1000000/],
  ] as const) {
    const { exitCode, stdout } = await mandate([...args, '--dry-run']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(said) });
    expect(stdout).toMatch(/^dry run: nothing was changed\n/);
    const json = await mandate([...args, '--dry-run', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true });
  }
  const allowed = await mandate(['publish', '--agent', 'bot-dry', '--tool', 'search', '--json']);
  expect(JSON.parse(allowed.stdout)).toMatchObject({
    decision: { verdict: 'ALLOW', cumulativeMicros: 10_000 },
  });
});

it('search finds decisions by the beginning of an id, and values lists what decisions have', async () => {
  await mandate(['publish', '--agent', 'bot-found', '--tool', 'search', '--id', 'to-be-found']);
  await waitUntil('the audit has it', async () => {
    const { stdout } = await mandate(['search', 'to-be-f', '--json']);
    return jsonLines(stdout).some((row) => (row as { kind: string }).kind === 'decision');
  });
  expect((await mandate(['search', 'to-be-f'])).stdout).toMatch(
    /decision +dec_\w+ +ALLOW to-be-found of bot-/,
  );
  expect((await mandate(['search', 'nowhere-at-all'])).stdout).toBe('nothing found\n');
  const values = await mandate(['values', 'agent', '--prefix', 'bot-found', '--json']);
  expect(jsonLines(values.stdout)).toMatchObject([{ value: 'bot-found', decisions: 1 }]);
});

it('tail follows decisions and operators’ actions, and exits with 0 when it is stopped', async () => {
  const env = { MANDATE_URL: plane().url, MANDATE_API_KEY: plane().keys.auditor ?? '' };
  const tail = startMandate(['tail', '--agent', 'bot-tail', '--json'], env);
  const lines: { agentId: string | null; event?: string; verdict?: string }[] = [];
  createInterface(tail.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  const told = () =>
    lines.flatMap(({ agentId, event, verdict }) => (agentId === 'bot-tail' ? [event ?? verdict] : []));
  for (const [at, args] of [
    ['publish', '--agent', 'bot-tail', '--tool', 'search'],
    ['kill', 'bot-tail'],
    ['publish', '--agent', 'bot-tail', '--tool', 'search'],
    ['revive', 'bot-tail'],
  ].entries()) {
    await mandate(args);
    await waitUntil(`${args[0]} in tail`, () => told().length > at);
  }
  expect(told()).toEqual(['ALLOW', 'agent.killed', 'BLOCK', 'agent.revived']);
  expect(lines.filter(({ agentId }) => agentId !== 'bot-tail' && agentId !== null)).toEqual([]);
  tail.kill('SIGINT');
  const exitCode = await new Promise((resolve) => tail.once('close', resolve));
  expect(exitCode).toBe(0);
});

it('export downloads the audit as files with their own description, and verifies them', async () => {
  await mandate(['publish', '--agent', 'bot-export', '--tool', 'search', '--id', 'x1']);
  await audited('x1');
  const out = join(temporaryFolder(), 'exported');
  const taken = await mandate([
    'export',
    'decisions',
    '--agent',
    'bot-export',
    '--format',
    'csv',
    '--out',
    out,
  ]);
  expect(taken).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^1 row in 1 file, /) });
  expect(readFileSync(join(out, 'decisions-00001.csv'), 'utf8')).toMatch(/^"id","kind",.*\r\n"dec_.*\r\n$/);
  expect((await mandate(['export', 'verify', out])).exitCode).toBe(0);
});

describe('questions to the audit', () => {
  it('lists decisions page by page, up to the limit', async () => {
    await mandate(['publish', '--agent', 'bot-3', '--tool', 'search', '--id', 'q1']);
    await audited('q1');
    const all = jsonLines<{ id: string }>((await mandate(['decisions', 'list', '--json'])).stdout);
    expect(all.length).toBeGreaterThan(4);
    const some = jsonLines((await mandate(['decisions', 'list', '--json', '--limit', '3'])).stdout);
    expect(some).toEqual(all.slice(0, 3));
    const limited = await mandate(['decisions', 'list', '--json', '--limit', '3']);
    const [, cursor = ''] =
      /^mandate: note: 3 of more than 3 shown; for more: --limit 30, or --cursor (\S+)\n$/.exec(
        limited.stderr,
      ) ?? [];
    const rest = await mandate(['decisions', 'list', '--json', '--limit', '1', '--cursor', cursor]);
    expect(jsonLines(rest.stdout)).toEqual(all.slice(3, 4));
    const spend = await mandate(['spend', '--limit', '1']);
    expect(spend.stderr).toBe('mandate: note: 1 of more than 1 shown; for more: --limit 10\n');
    const text = await mandate(['decisions', 'list', '--agent', 'bot-3', '--from', '1h']);
    expect(text).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text.stdout).toMatch(/^ID +KIND .*\ndec_\S+ .* q1 .*\n$/);
  });

  it('finds the decisions of one action', async () => {
    await audited('q1');
    const of = (noun: string) => mandate([noun, 'list', '--action', 'q1', '--json']);
    expect(jsonLines((await of('decisions')).stdout)).toMatchObject([{ actionId: 'q1' }]);
    expect(jsonLines((await of('settlements')).stdout)).toEqual([]);
    const none = await mandate(['decisions', 'list', '--action', 'act_none']);
    expect(none).toEqual({ exitCode: 0, stdout: 'nothing found\n', stderr: '' });
  });

  it('explains how charged, settled and spent are related', async () => {
    const { stdout } = await mandate(['spend']);
    expect(stdout).toMatch(/^AGENT ID +CHARGED +SETTLED DIFFERENCE +SPENT\n/);
    expect(stdout).toMatch(/\nspent = charged when allowed \+ difference when settled .*\n$/);
  });

  it('shows one decision with all its fields', async () => {
    const { id } = await audited('q1');
    const { exitCode, stdout } = await mandate(['decisions', 'show', id]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'action.decided', decision: { id, actionId: 'q1' } });
    const unknown = await mandate(['decisions', 'show', 'dec_none']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('knows no decision and no action dec_none');
  });

  it.each([
    ['spend', 'agents'],
    ['analytics verdicts', 'verdicts'],
    ['analytics codes', 'codes'],
    ['analytics tools', 'tools'],
    ['analytics agents', 'agents'],
  ])('answers the question %s with counts and sums', async (question, rows) => {
    const json = await mandate([...question.split(' '), '--json', '--from', '1d']);
    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(json.stdout)[rows].length).toBeGreaterThan(0);
    expect((await mandate(question.split(' '))).stdout).toMatch(/^[A-Z ]+\n/);
  });

  it('lists settlements and control events', async () => {
    await waitUntil('the settlement', async () => {
      const { stdout } = await mandate(['settlements', 'list', '--action', 'f1', '--json']);
      return jsonLines(stdout).length === 1;
    });
    const events = await mandate(['control-events', 'list', '--event', 'ledger.epoch', '--json']);
    expect(jsonLines(events.stdout)).toMatchObject([{ event: 'ledger.epoch' }]);
  });

  it('says that nothing was found', async () => {
    expect(await mandate(['decisions', 'list', '--agent', 'nobody'])).toEqual({
      exitCode: 0,
      stdout: 'nothing found\n',
      stderr: '',
    });
  });
});

it('kill stops an agent, agents lists the agent as killed, revive lets the agent act again', async () => {
  await mandate(['publish', '--agent', 'bot-k', '--tool', 'search', '--id', 'k1']);
  const killed = await mandate(['kill', 'bot-k', '--reason', 'it loops']);
  expect(killed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(killed.stdout).toMatch(
    /^killed \(revision 1\); 1 allowed action may still run\n {2}bot-k {2}k1 {2}search, \$0\.01 reserved, lease ends in .+\n$/,
  );
  expect((await mandate(['summary'])).stdout).toMatch(
    / agents, \$[\d.]+ spent\n\d+ open actions?, .*\n.*for a person.*\n.*in force/,
  );
  expect((await mandate(['mandates-file'])).stdout).toMatch(
    /^revision 1, in force since .*\nMANDATE +AGENTS +HASH\n\S+ +\S/,
  );
  const open = (await mandate(['agents', 'open', '--agent', 'bot-k'])).stdout;
  expect(open).toMatch(/^AGENT .*\nbot-k +k1 +search +\$0\.01 +ends in /);
  const [action] = jsonLines<object>(
    (await mandate(['agents', 'open', '--agent', 'bot-k', '--json'])).stdout,
  );
  expect(action).toMatchObject({ actionId: 'k1', tool: 'search', reservedMicros: 10_000 });
  expect((await mandate(['publish', '--agent', 'bot-k', '--tool', 'search'])).stdout).toContain(
    'AGENT_KILLED',
  );
  const agents = jsonLines<{ agentId: string }>((await mandate(['agents', 'list', '--json'])).stdout);
  expect(agents.find(({ agentId }) => agentId === 'bot-k')).toMatchObject({ killed: { reason: 'it loops' } });
  expect((await mandate(['agents', 'list'])).stdout).toMatch(
    /\nbot-k +\$0\.01 +1 {2}killed \(agent\): it loops\n/,
  );
  expect((await mandate(['revive', 'bot-k'])).stdout).toBe('revived (revision 2)\n');
  expect((await mandate(['revive', 'bot-k'])).stdout).toContain('nothing to revive');
  const everything = jsonLines((await mandate(['kill', '--all', '--json'])).stdout);
  expect(everything).toMatchObject([{ target: { scope: 'all' } }]);
  expect(jsonLines((await mandate(['revive', '--all', '--json'])).stdout)).toMatchObject([{ changed: true }]);
});

it('agents effective shows what an agent may do, now and at a moment of the past', async () => {
  const never = await mandate(['agents', 'effective', 'nobody']);
  expect([never.exitCode, never.stdout]).toEqual([
    0,
    expect.stringContaining(': unregistered\nno rule applies'),
  ]);
  const past = await mandate(['agents', 'effective', 'nobody', '--at', '7d', '--json']);
  expect(jsonLines(past.stdout)).toMatchObject([{ status: 'unregistered', revision: 0, rules: [] }]);
});

it('kill kills several agents by one request', async () => {
  await mandate(['publish', '--agent', 'bot-set1', '--tool', 'search', '--id', 's1']);
  const killed = await mandate(['kill', 'bot-set2', 'bot-set1', '--reason', 'they loop']);
  expect([killed.exitCode, killed.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^killed 2 agents; 1 allowed action may still run\nbot-set1 is killed \(revision 1\)\n {2}bot-set1 {2}s1 {2}search, .+\nbot-set2 is killed \(revision 1\)\n$/,
    ),
  ]);
  expect(killed.stderr).toContain('no agent bot-set2 is registered');
  const again = await mandate(['kill', 'bot-set1', 'bot-set2', '--reason', 'they loop', '--json']);
  expect(jsonLines(again.stdout)).toMatchObject([
    { killedCount: 2, agents: [{ revision: 1 }, { revision: 1 }] },
  ]);
  expect((await mandate(['kills', '--json'])).stdout).toContain('bot-set2');
});

it('kills lists who killed what and whether it is in force, and shows one kill with its end', async () => {
  await mandate(['publish', '--agent', 'bot-s', '--tool', 'search', '--id', 'shown1']);
  await mandate(['kill', 'bot-s', '--reason', 'it loops']);
  const list = ['kills', 'list', '--agent', 'bot-s'];
  const listed = (...more: string[]) =>
    waitUntil('the kill in the audit', async () => {
      const rows = jsonLines<{ id: string; revived: object | null }>(
        (await mandate([...list, '--json'])).stdout,
      );
      return rows.length === 1 && (more.length === 0 || rows[0]?.revived !== null) ? rows[0] : undefined;
    });
  const { id } = await listed();
  expect((await mandate(['kills'])).stdout).toMatch(/^STOPS .*\n(.*\n)*bot-s .* operator.* it loops/);
  const now = jsonLines<{ commandId: string }>((await mandate(['kills', 'now', '--json'])).stdout);
  expect(now).toContainEqual(expect.objectContaining({ commandId: id, reason: 'it loops' }));
  expect((await mandate([...list, '--in-force'])).stdout).toMatch(
    new RegExp(`^ID .*\n${id} +bot-s +in force .* it loops`),
  );
  expect((await mandate(['kills', 'show', id])).stdout).toMatch(
    new RegExp(
      `^${id} stops bot-s\nkilled .* by operator.*: it loops\nin force\n1 allowed action could still run then\n  bot-s  shown1\n$`,
    ),
  );
  await mandate(['revive', 'bot-s', '--reason', 'fixed']);
  await listed('revived');
  expect((await mandate([...list, '--in-force'])).stdout).toBe('no kill is on record\n');
  expect((await mandate(['kills', 'show', id])).stdout).toMatch(/\nrevived .* by operator.*: fixed\n/);
  const unknown = await mandate(['kills', 'show', 'kil_none']);
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toContain('KILL_NOT_FOUND');
});

it('kill warns of an agent that never acted and is not registered, and stops it anyway', async () => {
  await mandate(['publish', '--agent', 'bot-known', '--tool', 'fs_admin', '--id', 'known1']);
  await audited('known1');
  for (const known of ['bot-known', 'bot-unused']) {
    expect(await mandate(['kill', known])).toMatchObject({ exitCode: 0, stderr: '' });
    await mandate(['revive', known]);
  }
  expect((await mandate(['kill', 'bot-unsed'])).stderr).toContain('The nearest known name is bot-unused.');
  for (const more of [[], ['--json']]) {
    const misspelt = await mandate(['kill', 'bot-knwon', ...more]);
    expect(misspelt.exitCode).toBe(0);
    expect(misspelt.stdout).toMatch(/^killed|^\{/);
    expect(misspelt.stderr).toMatch(/^mandate: warning: .* bot-knwon/);
    expect(misspelt.stderr).toContain('`mandate revive bot-knwon`');
  }
  expect((await mandate(['publish', '--agent', 'bot-knwon', '--tool', 'search'])).stdout).toContain(
    'AGENT_KILLED',
  );
  // A caller with `operate` but without `audit` gets no warning. The warning would tell the caller what the audit
  // contains.
  const operate = ['keys', 'issue', '--data', data, '--json', '--name', 'ops', '--scopes', 'operate'];
  const { key } = JSON.parse((await mandate(operate)).stdout);
  await waitUntil('the key to work', async () => {
    const ran = await mandate(['agents', 'list'], { env: { MANDATE_API_KEY: key } });
    return ran.exitCode === 0;
  });
  const ran = await mandate(['kill', 'bot-known'], { env: { MANDATE_API_KEY: key } });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  for (const agent of ['bot-known', 'bot-knwon', 'bot-unsed']) await mandate(['revive', agent]);
});

it('revive says what still stops the agent', async () => {
  await mandate(['kill', 'bot-r']);
  await mandate(['kill', '--all', '--reason', 'incident 42']);
  const still =
    /bot-r is still stopped: everything is killed \(incident 42\); `mandate revive --all` ends that\n$/;
  expect((await mandate(['revive', 'bot-r'])).stdout).toMatch(new RegExp(`^revived .*\n${still.source}`));
  const nothing = await mandate(['revive', 'bot-r']);
  expect(nothing.stdout).toMatch(new RegExp(`^nothing .*\n${still.source}`));
  expect(nothing.exitCode).toBe(1);
  expect((await mandate(['revive', 'bot-r', '--json'])).exitCode).toBe(1);
  await mandate(['kill', '--tenant', '--reason', 'audit']);
  await mandate(['revive', '--all']);
  expect((await mandate(['revive', 'bot-r'])).stdout).toContain(
    'bot-r is still stopped: its tenant is killed (audit); `mandate revive --tenant` ends that\n',
  );
  await mandate(['revive', '--tenant']);
  await mandate(['kill', 'bot-r', '--subtree', '--reason', 'amok']);
  expect(await mandate(['revive', 'bot-r'])).toMatchObject({
    exitCode: 1,
    stdout: `nothing to revive: this switch was not pulled
bot-r is still stopped: it is killed with its descendants (amok); \`mandate revive bot-r --subtree\` ends that
`,
  });
  expect((await mandate(['revive', 'bot-r', '--subtree'])).exitCode).toBe(0);
});

it('approvals lists the questions that wait, approve allows the action once, deny refuses it', async () => {
  const pay = (id: string) => mandate(['publish', '--agent', 'bot-p', '--tool', 'pay', '--id', id]);
  expect((await pay('p1')).stdout).toContain('APPROVAL_REQUIRED');
  await pay('p2');
  await audited('p2');
  const waiting = jsonLines<{ id: string; actionId: string }>(
    (await mandate(['approvals', 'list', '--json'])).stdout,
  );
  expect(waiting.map(({ actionId }) => actionId)).toEqual(['p2', 'p1']);
  const [p2, p1] = waiting.map(({ id }) => id);
  const listed = (await mandate(['approvals', 'list'])).stdout;
  expect(listed).toMatch(/^dec_\w+ {2}pay {2}of {2}bot-p\n {2}approval {4}apv_/);
  expect(listed.match(/^ {2}sent {8}0 argument fields and 0 context fields/gm)).toHaveLength(2);

  const granted = await mandate(['approvals', 'approve', p1 ?? '', '--reason', 'ticket 1', '--for', '10m']);
  expect(granted).toMatchObject({ exitCode: 0, stderr: '' });
  expect(granted.stdout).toMatch(/^granted: p1 of bot-p, until \S+Z\ndec_\w+ {2}pay {2}of {2}bot-p\n/);
  expect(granted.stdout.split('\n').slice(1).join('\n')).toBe(listed.split('\n\n')[1]);
  expect((await pay('p1')).exitCode).toBe(0);
  const denied = await mandate(['approvals', 'deny', p2 ?? '', '--json']);
  expect(JSON.parse(denied.stdout)).toMatchObject({
    actionId: 'p2',
    answer: 'denied',
    approval: { actionId: 'p2', tool: 'pay', args: {} },
  });
  expect((await pay('p2')).stdout).toContain('APPROVAL_DENIED');

  await waitUntil('nothing to wait any more', async () =>
    (await mandate(['approvals', 'list'])).stdout.startsWith('nothing waits'),
  );
  const late = await mandate(['approvals', 'approve', p1 ?? '']);
  expect(late).toMatchObject({ exitCode: 1, stdout: '' });
  expect(late.stderr).toContain('the action was already decided: ALLOW (ALLOWED) (APPROVAL_NOT_WAITING)');
});

it('adjust-budget gives money back; with the same idempotency key, a repeat gives nothing more', async () => {
  await mandate(['publish', '--agent', 'bot-a', '--tool', 'search']);
  const back = [
    'budgets',
    'adjust',
    '--agent',
    'bot-a',
    '--by',
    '-0.004',
    '--reason',
    'refund',
    '--idempotency-key',
    'r1',
  ];
  expect((await mandate(back)).stdout).toBe(
    'now $0.006 count as spent: budget total of agent bot-a in tenant default\n',
  );
  expect(JSON.parse((await mandate([...back, '--json'])).stdout)).toMatchObject({ spentMicros: 6_000 });
});

it('agents lists first the agent that spent most, and shows which budget is exhausted', async () => {
  await mandate(['publish', '--agent', 'bot-x', '--tool', 'search']);
  const spend = ['budgets', 'adjust', '--agent', 'bot-x', '--by', '0.99', '--reason', 'spent elsewhere'];
  await mandate(spend);
  const agents = await waitUntil('the exhausted budget in the audit', async () => {
    const { stdout } = await mandate(['agents', 'list']);
    return /^bot-x .* exhausted$/m.test(stdout) ? stdout : undefined;
  });
  expect(agents).toMatch(/^AGENT .*\nbot-x +\$1\.00 +1 {2}exhausted\n/);
  expect(agents).toMatch(/^bot-unused +\$0\.00 +0 {2}alive$/m);
  const rows = jsonLines<{ spentMicros: number }>((await mandate(['agents', 'list', '--json'])).stdout);
  expect(rows[0]).toMatchObject({ agentId: 'bot-x', exhausted: [{ budgetId: 'total', windowMs: null }] });
  const spent = rows.map(({ spentMicros }) => spentMicros);
  expect(spent).toEqual(spent.toSorted((one, other) => other - one));
});

describe('alerts', () => {
  it('are delivered to a configured webhook, are listed, and can be sent again', async () => {
    let isBroken = true;
    const told: { id: unknown; rule: string }[] = [];
    const receiver = createServer(async (request, response) => {
      const { data } = JSON.parse(await text(request));
      if (!isBroken) told.push({ id: request.headers['webhook-id'], rule: data.rule });
      response.writeHead(isBroken ? 500 : 204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => void receiver.close());
    const bound = receiver.address();
    const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
    const secret = join(folder, 'secret');
    writeFileSync(secret, `whsec_${Buffer.alloc(32).toString('base64')}`);
    const webhook = {
      name: 'ops',
      url,
      tenant: 'default',
      secrets: [{ file: secret }],
      rules: ['kill'],
      attempts: 1,
    };
    expect((await mandate(['alerts', 'test'])).stderr).toContain('ALERT_WITHOUT_WEBHOOK');
    writeFileSync(join(data, 'alerts.yaml'), JSON.stringify({ version: 1, webhooks: [webhook] }));
    await waitUntil('the webhook', async () => (await mandate(['alerts', 'test'])).exitCode === 0);

    expect((await mandate(['kill', 'bot-told', '--reason', 'loops'])).exitCode).toBe(0);
    const list = ['alerts', 'list', '--state', 'undelivered', '--rule', 'kill'];
    const { id } = await waitUntil('the dead letter', async () =>
      jsonLines<{ id: string }>((await mandate([...list, '--json'])).stdout).at(0),
    );
    expect((await mandate(list)).stdout).toMatch(
      / kill +raised +ops \(undelivered\) +alr_\w+ +The agent bot-told was killed/,
    );
    isBroken = false;
    expect((await mandate(['alerts', 'replay', id])).stdout).toBe(`${id} is sent again to ops\n`);
    await waitUntil('the alert', () => told.some((one) => one.id === id && one.rule === 'kill'));
    expect((await mandate(['alerts', 'replay', '--all'])).stdout).toMatch(
      /^(1 alert is|\d alerts are) sent again\n$/,
    );
    await waitUntil('the test, too', () => told.some(({ rule }) => rule === 'test'));
    expect(await mandate(['alerts', 'replay'])).toMatchObject({ exitCode: 2 });
    const rules = await mandate(['alerts', 'rules']);
    expect(rules.stdout).toMatch(/kill +on +ops *\n[\s\S]*budget +on +percent 80, 100; rearmPoints 10/);
    expect(rules.stdout).not.toMatch(/127\.0\.0\.1|whsec_/);
    expect(await mandate(['reconcile', '--last'])).toMatchObject({
      exitCode: 0,
      stdout: 'No result was reported. Run `mandate reconcile --alert` daily.\n',
    });
    expect(await mandate(['reconcile', '--alert', '--data', data])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect((await mandate(['reconcile', '--last'])).stdout).toMatch(
      /^20\S+Z, reported by key:.+\ndrift 0 micro-dollars \(\$0\.00\), 0 of \d+ counters differ\n/,
    );
  });
});

it('reconcile finds no drift, and no broken law', async () => {
  const { exitCode, stdout, stderr } = await mandate(['reconcile', '--data', data]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/\nlimits +[1-9]\d* +0 +0\n[\s\S]*\ndrift 0 micro-dollars\n$/);
  const json = await mandate(['reconcile', '--json'], { env: { MANDATE_PLANE_DATA_PATH: data } });
  const { laws, ...found } = JSON.parse(json.stdout);
  expect(found).toMatchObject({ driftMicros: 0, differences: [], doubledActions: [], requests: { open: 0 } });
  expect(laws).toHaveLength(8);
  expect(laws.filter(({ broken }: { broken: number }) => broken > 0)).toEqual([]);
});

it('reconcile refuses the data folder of another plane, because a difference would not be drift', async () => {
  const other = join(folder, 'other');
  const bus = await createSqliteBus({ path: makeDataFolder(other).log, log: silentLogger() });
  await restoreLedger({ bus, clock: systemClock, log: silentLogger() });
  await bus.close();
  const ran = await mandate(['reconcile', '--data', other]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^mandate: this log is not that of the plane: it ends in ledger epoch ep_/);
});

it('keys issues a key that works, lists the key without its hash, and revokes it', async () => {
  const grant = ['--name', 'ci', '--scopes', 'publish', '--agents', 'bot-ci'];
  const issued = await mandate(['keys', 'issue', '--data', data, '--json', ...grant]);
  const { key, id } = JSON.parse(issued.stdout);
  const env = { MANDATE_API_KEY: key };
  const publish = (agent: string) => mandate(['publish', '--agent', agent, '--tool', 'search'], { env });
  expect((await publish('bot-ci')).exitCode).toBe(0);
  expect((await publish('bot-1')).stderr).toContain('AGENT_NOT_ALLOWED');
  const listed = jsonLines<object>((await mandate(['keys', 'list', '--data', data, '--json'])).stdout);
  expect(listed).toContainEqual(expect.objectContaining({ id, name: 'ci', revokedAt: null }));
  expect(JSON.stringify(listed)).not.toContain('hash');
  expect((await mandate(['keys', 'revoke', id, '--data', data])).stdout).toBe(`revoked ci (${id})\n`);
  await waitUntil('the key to end', async () => (await publish('bot-ci')).exitCode === 2);
  // The first key in an empty folder gives a warning, because the folder may be the wrong one.
  const elsewhere = join(folder, 'elsewhere');
  const aside = await mandate(['keys', 'issue', '--data', elsewhere, ...grant]);
  expect(aside.stderr).toMatch(new RegExp(`revoke \\S+ --data ${elsewhere}\`[^]*is new`));
  expect((await mandate(['keys', 'issue', '--data', elsewhere, ...grant])).stderr).not.toContain('is new');
});
