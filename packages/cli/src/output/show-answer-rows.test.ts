import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { QUESTIONS } from '../audit/questions.ts';
import { type Presentation, type Row, showAnswerRows } from './show-answer-rows.ts';

const DECISION = {
  id: 'dec_01m7z61psn980845439c7c5022c9a7',
  kind: 'first',
  actionId: 'act_8041e659-1b83-4f80-8dfe-8323fa3bfe38',
  attempt: 1,
  agentId: 'a-researcher-with-a-long-name',
  type: 'tool_call',
  subject: 'mcp__github__create_pull_request',
  tool: 'mcp__github__create_pull_request',
  model: null,
  verdict: 'BLOCK',
  code: 'COST_LIMIT_EXCEEDED',
  reason: 'The budget "daily" has $0.01 left of $5.00, and this call would take $0.10.',
  chargedMicros: 0,
  charged: '$0.00',
  decidedAt: '2026-01-31T13:52:02.870Z',
};

async function shown(
  stream: { isTTY?: boolean; columns?: number },
  presentation: Presentation | undefined = QUESTIONS['decisions list'].presentation,
  rowShown: Row = DECISION,
): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), {
    hasColors: () => false,
    getColorDepth: () => 1,
    ...stream,
  });
  await showAnswerRows([rowShown], stdout, presentation);
  stdout.end();
  return (await text(stdout)).trimEnd().split('\n');
}

it.each([40, 60, 80])('keeps the id and the reason of decisions in %i columns', async (columns) => {
  const [titles = '', row = ''] = await shown({ isTTY: true, columns });
  expect(titles.split(/ {2,}/)).toEqual(expect.arrayContaining(['ID', 'REASON']));
  expect(row).toContain(DECISION.id);
  expect(row).toContain('The budget');
});

it('adds the verdict and the agent in 80 columns, and names the columns that it leaves out', async () => {
  const [titles = '', row = '', note = '', ...more] = await shown({ isTTY: true, columns: 80 });
  for (const line of [titles, row]) expect(line.length).toBeLessThanOrEqual(80);
  expect(titles.split(/ {2,}/)).toEqual(['ID', 'AGENT ID', 'VERDICT', 'REASON']);
  expect(note).toMatch(/^no room for KIND, ACTION ID, .*--columns.*--json/);
  expect(more).toEqual([]);
});

const SETTLEMENT = {
  id: 'stl_01m8082dwz2a29946ceeb949d812c8',
  kind: 'settled',
  actionId: DECISION.actionId,
  attempt: 1,
  agentId: DECISION.agentId,
  status: 'success',
  code: 'SETTLED',
  late: false,
  settledAt: DECISION.decidedAt,
  delta: '-$0.005',
  charged: '$0.015',
};

const GROUP = {
  agent: DECISION.agentId,
  tool: DECISION.tool,
  calls: 81,
  allowed: 40,
  blocked: 41,
  deferred: 0,
  nearMisses: 0,
  charged: '$0.04',
  settled: '$0.00',
  spent: '$0.04',
  p50Ms: 1,
};

const BUDGET = {
  scope: 'principal',
  subject: 'somebody-with-a-long-name@example.com',
  budgetId: 'per-principal-daily',
  windowMs: 86_400_000,
  limitMicros: 250_000_000,
  limit: '$250.00',
  limitSeenAt: DECISION.decidedAt,
  spentMicros: 212_345_678,
  spent: '$212.345678',
  leftMicros: 37_654_322,
  left: '$37.654322',
  usedPercent: 84.9,
  burnedMicros: 1,
  burned: '$0.000001',
  exhaustedAt: DECISION.decidedAt,
};

it.each([
  ['settlements list', SETTLEMENT, ['ID', 'AGENT ID', 'STATUS', 'DELTA', 'CHARGED']],
  ['analytics groups', GROUP, ['AGENT', 'TOOL', 'CALLS', 'ALLOWED', 'BLOCKED', 'SPENT']],
  ['budgets list', BUDGET, ['SCOPE', 'SUBJECT', 'BUDGET ID', 'LEFT', 'EXHAUSTED AT']],
] as const)(
  'fits %s into 80 columns, and shows owners and amounts before other figures',
  async (question, row, titles) => {
    const [shownTitles = ''] = await shown(
      { isTTY: true, columns: 80 },
      QUESTIONS[question].presentation,
      row,
    );
    expect(shownTitles.length).toBeLessThanOrEqual(80);
    for (const title of titles) expect(shownTitles.split(/ {2,}/)).toContain(title);
  },
);

it('shows more columns on a wider terminal, after the whole reason', async () => {
  const [titles, row = ''] = await shown({ isTTY: true, columns: 270 });
  expect(row.length).toBeLessThanOrEqual(270);
  expect(row).toContain(DECISION.actionId);
  expect(row).toContain(DECISION.reason);
  expect(titles).not.toContain('ATTEMPT');
});

it.each([
  ['a pipe', {}],
  ['a terminal that does not know its width', { isTTY: true, columns: 0 }],
])('shows all columns in full to %s', async (_what, stream) => {
  const [, row = '', ...more] = await shown(stream);
  const { model, chargedMicros, ...all } = DECISION;
  for (const value of Object.values(all)) expect(row).toContain(String(value));
  expect(more).toEqual([]);
});

it('shows a terminal how long ago something was', async () => {
  const columns = ['id', 'decidedAt'];
  const [, row = ''] = await shown({ isTTY: true, columns: 80 }, { columns });
  expect(row).toMatch(/^dec_\S+ +\d+ d ago$/);
});

it('shows the requested columns in their order, with amounts in dollars, and names the available columns', async () => {
  const [titles, row] = await shown({}, { columns: ['chargedMicros', 'model', 'code'] });
  expect(titles?.trim().split(/ {2,}/)).toEqual(['CHARGED', 'MODEL', 'CODE']);
  expect(row?.trim()).toMatch(/^\$0\.00 +COST_LIMIT_EXCEEDED$/);
  await expect(shown({}, { columns: ['cost'] })).rejects.toThrow('there is no column cost');
});
