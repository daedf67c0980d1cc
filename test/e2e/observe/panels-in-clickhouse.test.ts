/** Sends the queries of the audit dashboard to ClickHouse as Grafana's plugin does. */
import { type AuditClient, refreshRollups } from '@mandate/audit';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  deadLetterOf,
  decided,
  epochBegan,
  killed,
  republished,
  START_MS,
  settled,
} from '../audit/support/log-records.ts';
import { openRecording, type Recording } from '../audit/support/recording.ts';
import { grafanaDashboards, panelsOf } from './observed-files.ts';
import { type Shown, sentByGrafana } from './sent-by-grafana.ts';

const HOUR_S = 3_600;
const HOUR_MS = HOUR_S * 1_000;
/**
 * The start of the period, on a whole hour. The period has only whole hours and days, so rollups can answer for all
 * of it.
 */
const FROM_MS = Math.floor(START_MS / HOUR_MS) * HOUR_MS - 24 * HOUR_MS;
const SHOWN: Shown = {
  tenant: 'acme',
  fromMs: FROM_MS,
  toMs: FROM_MS + 96 * HOUR_MS,
  stepS: 20,
  agents: null,
};

const dashboard = grafanaDashboards().find(({ uid }) => uid === 'mandate-audit');
if (dashboard === undefined) throw new Error('no dashboard of the audit');
const panels = panelsOf(dashboard).map((panel) => ({ ...panel, sql: panel.targets?.[0]?.rawSql ?? '' }));

describe('a panel of the audit dashboard', () => {
  let recording: Recording;
  let audit: AuditClient;

  const row = z.record(z.string(), z.unknown());
  const ask = async (title: string, shown: Partial<Shown> = {}) => {
    const panel = panels.find((one) => one.title === title);
    return audit.query(sentByGrafana(panel?.sql ?? '', { ...SHOWN, ...shown }), {}, row);
  };

  const BLOCKED = { verdict: 'BLOCK', code: 'TOOL_DENIED', chargedMicros: 0 } as const;
  const evidence = {
    scope: 'agent',
    id: 'total',
    windowMs: null,
    spentMicros: 400_000,
    maxMicros: 1_000_000,
  };
  const action = {
    id: 'act-210',
    agentId: 'agent-0',
    type: 'tool_call',
    tool: 'pay',
    principal: { id: 'u-1' },
  } as const;
  const HISTORY: DecisionsRecord[] = [
    ...Array.from({ length: 40 }, (_, n) => decided(n)),
    ...Array.from({ length: 10 }, (_, n) => decided(100 + n, BLOCKED)),
    decided(200, { type: 'llm_call', tool: null, model: 'claude-x' }),
    decided(210, {
      agentId: 'agent-0',
      tool: 'pay',
      action,
      checks: [{ check: 'budget', result: 'pass', evidence }],
    }),
    ...Array.from({ length: 6 }, (_, n) => settled(n)),
    killed('kill-mine', { scope: 'agent', tenant: 'acme', agentId: 'agent-1' }),
    killed('kill-theirs', { scope: 'agent', tenant: 'globex', agentId: 'spy' }),
    // Two decisions that must not count: the first is of another tenant, and the second is of an outdated ledger.
    decided(300, { tenant: 'globex', agentId: 'spy' }),
    decided(301, { ledgerEpoch: 'ep-0' }),
  ];

  beforeAll(async () => {
    recording = await openRecording();
    ({ audit } = recording);
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
    await recording.append(HISTORY);
    const letter = deadLetterOf(1);
    const again = republished('rep-1', letter.deadLetter, { tenant: null, answerIds: [] });
    await recording.bus.append(
      TOPICS.deadLetters,
      [letter, again].map((record) => ({ key: null, value: JSON.stringify(record) })),
    );
    const recorder = await recording.record();
    await recorder.caughtUp();
    // The repetitions are inserted separately, because ClickHouse would remove repetitions within one insert.
    await recording.append([decided(1), settled(1)]);
    await recorder.caughtUp();
    // The recorder stops, because only the test may refresh rollups.
    await recorder.stop();
  });
  afterAll(() => recording.close());

  test.each(panels)(
    '"$title" gets an answer in the format that the panel declares',
    async ({ title, type, fieldConfig, targets }) => {
      const rows = await ask(title);
      expect(rows.length).toBeGreaterThan(0);
      const [first = {}] = rows;
      for (const { matcher } of fieldConfig?.overrides ?? [])
        if (matcher.id === 'byName') expect(Object.keys(first)).toContain(matcher.options);
      expect(targets?.[0]?.queryType).toBe(type === 'timeseries' ? 'timeseries' : 'table');
      if (type !== 'timeseries') return;
      const [time, ...values] = Object.keys(first);
      expect(time).toBe('time');
      expect(values.some((name) => typeof first[name] === 'number')).toBe(true);
    },
  );

  test('counts each valid decision once', async () => {
    expect(await ask('Decisions')).toEqual([{ decisions: 52 }]);
    expect(await ask('Blocked')).toEqual([{ blocked: 10 / 52 }]);
    const [spent] = await ask('Spent');
    expect(spent?.spent).toBeCloseTo(42 * 0.1 - 6 * 0.01, 9);
    const verdicts = await ask('Decisions by verdict');
    const sum = (verdict: string) =>
      verdicts.reduce((all, row) => all + (row.verdict === verdict ? Number(row.decisions) : 0), 0);
    expect([sum('ALLOW'), sum('BLOCK')]).toEqual([42, 10]);
    expect(await ask('Refusals by code')).toMatchObject([{ code: 'TOOL_DENIED', decisions: 10, agents: 4 }]);
    const agents = await ask('Agents by spend');
    expect(agents.reduce((all, { spent }) => all + Number(spent), 0)).toBeCloseTo(4.14, 9);
    expect(agents.reduce((all, { decisions }) => all + Number(decisions), 0)).toBe(52);
    expect(await ask('Tools and models')).toContainEqual({
      kind: 'llm_call',
      name: 'claude-x',
      decisions: 1,
      allowed: 1,
      reserved: 0.1,
    });
    expect(await ask('Most used budgets')).toEqual([
      { scope: 'agent', subject: 'agent-0', budget: 'total', share: 0.5, used: 0.5, of: 1, window: null },
    ]);
    expect(await ask('Principals by reserved amount')).toMatchObject([{ principal: 'u-1', decisions: 1 }]);
    expect((await ask('Acts of operators')).map(({ event }) => event).sort()).toEqual([
      'agent.killed',
      'ledger.epoch',
    ]);
    expect(await ask('Dead letters')).toMatchObject([{ reason: 'not JSON', republished: 1 }]);
  });

  test.each(panels)('"$title" gets the same answer from rollups', async ({ title }) => {
    const steps = [20, HOUR_S, 24 * HOUR_S];
    const asked = () => Promise.all(steps.map((stepS) => ask(title, { stepS })));
    await audit.command('TRUNCATE TABLE rollup_sums');
    const before = await asked();
    const { hours, days } = await refreshRollups(audit, { quietMs: 0 });
    expect([hours, days].every((many) => many > 0)).toBe(true);
    expect(await asked()).toEqual(before);
  });

  test('shows only the selected agents, and only the selected tenant', async () => {
    const agents = ['agent-0', "o'brien"];
    expect(await ask('Agents by spend', { agents })).toMatchObject([{ agent: 'agent-0' }]);
    expect(await ask('Decisions', { agents: ["x') OR 1=1 --"] })).toEqual([{ decisions: 0 }]);
    expect(await ask('Decisions', { tenant: "x' OR 1=1 --" })).toEqual([{ decisions: 0 }]);
    expect(await ask('Agents', { tenant: 'globex' })).toEqual([{ agents: 1 }]);
  });

  test('lets the user select only agents that sent an action', async () => {
    const query = dashboard.templating.list.find(({ name }) => name === 'agent')?.query ?? '';
    const found = await audit.query(sentByGrafana(query, SHOWN), {}, z.object({ agent_id: z.string() }));
    expect(found.map(({ agent_id }) => agent_id).sort()).toEqual([
      'agent-0',
      'agent-1',
      'agent-2',
      'agent-3',
    ]);
  });
});
