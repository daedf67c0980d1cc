/** Runs `mandate agents list` against a server that answers with these agents and budgets. */
import { expect, test } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runCommand } from '../run-command.fixture.ts';

const killed = { scope: 'agent', reason: 'it loops' };
const NOTHING = { killed: null, status: 'registered' };
const BOT = { agentId: 'bot', spentMicros: 10_000, openActions: 1, ...NOTHING };

/** @param budgets null if the server refuses to show budgets to the key */
async function agents(
  options: readonly string[],
  rows: readonly object[],
  budgets: readonly object[] | null = [],
) {
  const env = await answeringServer(({ url = '' }, response) => {
    const isOfAudit = url.startsWith('/v1/audit/');
    if (isOfAudit && budgets === null) response.statusCode = 403;
    if (isOfAudit) expect(url).toMatch(/budgets\?scope=agent&/);
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(isOfAudit ? { budgets } : { agents: rows, next: null }));
  });
  return runCommand(['agents', 'list', ...options], { env });
}

test.each<[string, object, string]>([
  ['nothing stops', { killed: null, status: 'registered' }, 'alive'],
  ['was killed', { killed, status: null }, 'killed (agent): it loops'],
  ['was retired', { killed: null, status: 'retired' }, 'retired'],
  ['was both', { killed, status: 'retired' }, 'retired, killed (agent): it loops'],
])('shows the state of an agent that %s', async (_, stops, state) => {
  const { stdout } = await agents([], [{ ...BOT, ...stops }]);
  expect(stdout).toMatch(/\nbot +\$0\.01 +1 {2}(.+)\n/);
  expect(stdout.trimEnd().endsWith(`1  ${state}`)).toBe(true);
});

const budget = (leftMicros: number | null, budgetId = 'total', windowMs: number | null = null) => ({
  ...{ scope: 'agent', subject: 'bot', budgetId, windowMs, leftMicros },
});

test.each<[string, object[], string]>([
  ['nothing left of its total', [budget(0)], 'exhausted'],
  ['overdrawn its total', [budget(-1)], 'exhausted'],
  ['nothing left of a day', [budget(0, 'daily', 86_400_000), budget(5)], 'exhausted (daily per 1 d)'],
  ['something left of all', [budget(1)], 'alive'],
  ['no limit', [budget(null)], 'alive'],
  ['another agent beside it that has nothing left', [{ ...budget(0), subject: 'other' }], 'alive'],
])('shows the state of an agent that has %s', async (_, budgets, state) => {
  const { stdout, stderr } = await agents([], [BOT], budgets);
  expect(stdout.trimEnd().endsWith(`1  ${state}`)).toBe(true);
  expect(stderr).toBe('');
});

test('lists agents by spending, the highest first, and agents with the same spending by id', async () => {
  const rows = [
    ['idle', 0],
    ['late', 0],
    ['rich', 2_000_000],
    ['some', 30],
  ].map(([agentId, spentMicros]) => ({ ...BOT, agentId, spentMicros }));
  const { stdout } = await agents(['--json'], rows, [{ ...budget(0), subject: 'rich' }]);
  const shown = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(shown.map(({ agentId }) => agentId)).toEqual(['rich', 'some', 'idle', 'late']);
  expect(shown[0].exhausted).toEqual([{ budgetId: 'total', windowMs: null }]);
  expect(shown[1].exhausted).toEqual([]);
});

test('says that exhausted budgets are unknown if the key may not read the audit', async () => {
  const { exitCode, stdout, stderr } = await agents(['--json'], [BOT], null);
  expect([exitCode, JSON.parse(stdout).exhausted]).toEqual([0, null]);
  expect(stderr).toMatch(/^mandate: note: it is not known which budgets are exhausted: /);
});
