/**
 * Measures the queries of the dashboards, also of Grafana's panels, on a generated year of decisions in ClickHouse.
 * Each query runs on many decisions and on few, with the same agents, tools and time buckets. So the ratio shows how
 * much slower a query is with more decisions. The rollups are refreshed before the measurement.
 */
import {
  type AuditClient,
  analytics,
  ask,
  decisionById,
  refreshRollups,
  searchDecisions,
} from '@mandate/audit';
import { z } from 'zod';
import { grafanaDashboards, panelsOf } from '../../e2e/observe/observed-files.ts';
import { sentByGrafana } from '../../e2e/observe/sent-by-grafana.ts';
import type { BenchOptions } from '../bench-options.ts';
import { compare } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';
import { generateYear, YEAR } from '../workload/generated-year.ts';
import { auditOverHttp } from '../workload/temporary-audit.ts';

const FEW = 1_000_000;
const PAIRS = 5;

const { tenant, fromMs, toMs } = YEAR;
const DAY_MS = 86_400_000;
const MONTH = { fromMs: Date.UTC(2025, 4), toMs: Date.UTC(2025, 5) };
const WEEK = { fromMs: Date.UTC(2025, 4, 12), toMs: Date.UTC(2025, 4, 19), stepS: 3_600 };
const YEAR_BY_DAY = { runStarts: [String(fromMs)], runSteps: [String(DAY_MS)] };

/** The periods that Grafana asks for, over all agents. */
const SPANS = { week: WEEK, year: { fromMs, toMs, stepS: 86_400 } };
const PANELS = grafanaDashboards()
  .filter(({ uid }) => uid === 'mandate-audit')
  .flatMap(panelsOf)
  .flatMap(({ title, targets }) =>
    Object.entries(SPANS).map(([span, shown]): [string, AskOnce] => {
      const sql = sentByGrafana(targets?.[0]?.rawSql ?? '', { tenant, agents: null, ...shown });
      return [`panel over a ${span}: ${title}`, (audit) => audit.query(sql, {}, z.unknown())];
    }),
  );

type Newest = { id: string; traceId: string };
type AskOnce = (audit: AuditClient, newest: Newest) => Promise<unknown>;

const QUESTIONS: Readonly<Record<string, AskOnce>> = {
  'newest page': (audit) => ask(audit, searchDecisions, { tenant }),
  'newest page of an agent': (audit) => ask(audit, searchDecisions, { tenant, agentId: ['agent-3'] }),
  'page by text': (audit) => ask(audit, searchDecisions, { tenant, text: 'used up' }),
  'one principal in a month': (audit) =>
    ask(audit, searchDecisions, { tenant, principal: ['user-77'], ...MONTH }),
  'by trace': (audit, { traceId }) => ask(audit, searchDecisions, { tenant, traceId: [traceId] }),
  'by id': (audit, { id }) => ask(audit, decisionById, { tenant, id }),
  'year by agent': (audit) => ask(audit, analytics, { tenant, groupBy: ['agent'] }),
  'year by tool': (audit) => ask(audit, analytics, { tenant, groupBy: ['tool'] }),
  'year by agent and tool': (audit) => ask(audit, analytics, { tenant, groupBy: ['agent', 'tool'] }),
  'year by code': (audit) => ask(audit, analytics, { tenant, groupBy: ['code'] }),
  'year by day': (audit) => ask(audit, analytics, { tenant, fromMs, toMs, ...YEAR_BY_DAY }),
  'year by day and agent': (audit) =>
    ask(audit, analytics, { tenant, fromMs, toMs, groupBy: ['agent'], limit: 10, ...YEAR_BY_DAY }),
  'month by agent': (audit) => ask(audit, analytics, { tenant, groupBy: ['agent'], ...MONTH }),
  'year of one agent by tool': (audit) =>
    ask(audit, analytics, { tenant, groupBy: ['tool'], agentId: ['agent-3'] }),
  ...Object.fromEntries(PANELS),
};

export async function auditYear({ decisions: many }: BenchOptions): Promise<Row[]> {
  await using few = await yearOf(FEW);
  await using full = await yearOf(many);
  const rows: Row[] = [];
  for (const [what, question] of Object.entries(QUESTIONS)) {
    const timed =
      ({ audit, newest }: Held) =>
      () =>
        oneByOne([newest], () => question(audit, newest));
    rows.push(
      ...(await compare({
        pairs: PAIRS,
        ours: timed(full),
        rival: { what: `of ${inMillions(FEW)}`, run: timed(few) },
        figures: { p50Ms: { what: `of ${inMillions(many)} decisions: ${what}`, unit: 'ms' } },
      })),
    );
  }
  return rows;
}

type Held = { audit: AuditClient; newest: Newest };

async function yearOf(decisions: number): Promise<Held & AsyncDisposable> {
  const held = await auditOverHttp();
  const { audit } = held;
  await generateYear(audit, decisions);
  for (let counted = 1; counted > 0; ) {
    const { hours, days } = await refreshRollups(audit, { quietMs: 0 });
    counted = hours + days;
  }
  const [newest] = await ask(audit, searchDecisions, { tenant, limit: 1 });
  if (newest?.traceId == null) throw new Error('the year is empty');
  return { ...held, newest: { id: newest.id, traceId: newest.traceId } };
}

function inMillions(decisions: number): string {
  return `${decisions / 1_000_000} million`;
}
