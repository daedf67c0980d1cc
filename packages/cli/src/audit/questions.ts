/** The questions to the audit, the filters of each, and how its answer becomes rows. */
import { formatMicros } from '@mandate/schemas';
import { CommandFailure } from '../exit-codes.ts';
import { counted } from '../output/for-people.ts';
import type { Presentation, Row } from '../output/show-answer-rows.ts';
import { DIMENSIONS, type Filters, flagOf, SEARCHED } from './filters.ts';

/**
 * `rows`: under which name the answer holds them. `paged`: newest first, as many as one wants; `ranked`: the first so
 * many of an order; `whole`: all there are.
 */
export type Question = {
  path: string;
  rows: string;
  kind: 'paged' | 'ranked' | 'whole';
  filters: readonly string[];
  /** Filters that the plane knows by another name here. */
  parameters?: Readonly<Record<string, string>>;
  /** A row as people read it, where that is not as the plane gives it. */
  row?(row: Row): Row;
  /** What the answer says beside its rows. */
  note?(answer: Row): string | undefined;
  presentation?: Presentation;
  /** Fields that go before all others where it is narrowed so. */
  firstWhere?: Readonly<Record<string, readonly string[]>>;
};

/** `settled` by itself reads as an amount that was paid; it is what settling changed. */
export const SPEND: Presentation = {
  titles: { charged: 'CHARGED', settled: 'SETTLED DIFFERENCE', spent: 'SPENT' },
  notes: ['spent = charged when allowed + difference when settled (negative: given back)'],
};

const PERIOD = ['from', 'to'] as const;
const COUNTED = [...SEARCHED, 'nearMissAt'];

export const QUESTIONS: Readonly<Record<string, Question>> = {
  decisions: {
    path: 'decisions',
    rows: 'decisions',
    kind: 'paged',
    filters: SEARCHED,
    firstWhere: {
      shadow: ['agentId', 'tool', 'verdict', 'shadowVerdict', 'shadowCode', 'shadowRules'],
      observedCode: ['agentId', 'tool', 'observedCode'],
    },
    presentation: {
      first: [
        'decidedAt',
        'agentId',
        'verdict',
        'code',
        'tool',
        'charged',
        'actionId',
        'id',
        'model',
        'reason',
      ],
    },
  },
  settlements: {
    path: 'settlements',
    rows: 'settlements',
    kind: 'paged',
    filters: ['agent', 'action', 'code', ...PERIOD],
    parameters: { action: 'action' },
    presentation: {
      first: ['settledAt', 'agentId', 'status', 'charged', 'delta', 'actionId', 'code', 'reason'],
    },
  },
  'control-events': {
    path: 'control-events',
    rows: 'events',
    kind: 'paged',
    filters: ['agent', 'event', 'subject', 'madeBy', ...PERIOD],
    presentation: {
      first: [
        ...['event', 'agentId', 'subject', 'role', 'keyName', 'policyVersion', 'by', 'reason', 'refusal'],
        'happenedAt',
      ],
    },
  },
  reads: {
    path: 'reads',
    rows: 'reads',
    kind: 'paged',
    filters: ['reader', 'route', 'request', 'refused', 'known', ...PERIOD],
    presentation: { first: ['at', 'keyName', 'route', 'parameters', 'code', 'keyId', 'requestId'] },
  },
  analytics: {
    path: 'analytics',
    rows: 'groups',
    kind: 'ranked',
    filters: [...COUNTED, 'groupBy', 'interval', 'timeZone', 'orderBy'],
    row: ungrouped,
    note: othersOf,
    presentation: {
      titles: SPEND.titles ?? {},
      first: [
        ...DIMENSIONS,
        'calls',
        'blocked',
        'spent',
        'allowed',
        'deferred',
        'nearMisses',
        'lastDecidedAt',
      ],
    },
  },
  spend: {
    path: 'analytics/spend',
    rows: 'agents',
    kind: 'ranked',
    filters: COUNTED,
    note: totalOf,
    presentation: SPEND,
  },
  verdicts: { path: 'analytics/verdicts', rows: 'verdicts', kind: 'whole', filters: COUNTED },
  codes: { path: 'analytics/codes', rows: 'codes', kind: 'whole', filters: COUNTED },
  agents: { path: 'analytics/agents', rows: 'agents', kind: 'ranked', filters: COUNTED },
  tools: { path: 'analytics/tools', rows: 'tools', kind: 'ranked', filters: COUNTED },
  models: { path: 'analytics/models', rows: 'models', kind: 'ranked', filters: COUNTED },
  principals: { path: 'analytics/principals', rows: 'principals', kind: 'ranked', filters: COUNTED },
  latency: {
    path: 'analytics/latency',
    rows: 'histogram',
    kind: 'whole',
    filters: COUNTED,
    note: ({ p50Ms, p90Ms, p99Ms, maxMs }) =>
      `from the log to the decision: half within ${p50Ms} ms, 90 % within ${p90Ms} ms, 99 % within ${p99Ms} ms, all within ${maxMs} ms`,
  },
  'near-misses': {
    path: 'analytics/near-misses',
    rows: 'nearMisses',
    kind: 'ranked',
    filters: COUNTED,
    row: ({ kind, used, most, ...row }) => ({
      ...row,
      kind,
      used: kind === 'budget' ? formatMicros(Number(used)) : used,
      most: kind === 'budget' ? formatMicros(Number(most)) : most,
    }),
    presentation: {
      first: ['agentId', 'id', 'nearMisses', 'highestPercent', 'used', 'most', 'scope', 'kind', 'decidedAt'],
    },
  },
  releases: {
    path: 'analytics/releases',
    rows: 'releases',
    kind: 'ranked',
    filters: SEARCHED,
    presentation: {
      titles: { own: 'GIVEN BACK BY ITSELF' },
      first: [
        ...[
          'agentId',
          'tool',
          'model',
          'outcomes',
          'givenBackPercent',
          'givenBack',
          'own',
          'refused',
          'excess',
        ],
        ...['failed', 'cancelled', 'reserved'],
      ],
    },
  },
  movers: {
    path: 'analytics/movers',
    rows: 'movers',
    kind: 'ranked',
    filters: [...COUNTED, 'groupBy', 'by'],
    row: (row) => inDollars(ungrouped(row)),
  },
  budgets: {
    path: 'analytics/budgets',
    rows: 'budgets',
    kind: 'ranked',
    filters: ['scope', 'subject', 'budget', ...PERIOD],
    presentation: {
      first: ['scope', 'subject', 'budgetId', 'exhaustedAt', 'left', 'usedPercent', 'limit', 'spent'],
    },
  },
};

/** What the rows are told apart by stands beside what is told of them. */
function ungrouped({ group, ...rest }: Row): Row {
  return { ...(group as Row), ...rest };
}

/** Movers by spend come in micro-dollars and in dollars, and are called as amounts are elsewhere. */
function inDollars({ beforeDollars, nowDollars, differenceDollars, ...row }: Row): Row {
  if (beforeDollars === undefined) return row;
  const { before: beforeMicros, now: nowMicros, difference: differenceMicros } = row;
  const dollars = { before: beforeDollars, now: nowDollars, difference: differenceDollars };
  return { ...row, ...dollars, beforeMicros, nowMicros, differenceMicros };
}

function totalOf({ total }: Row): string {
  const { charged, settled, spent } = total as Row;
  return `in all: ${charged} charged, ${settled} settled difference, ${spent} spent`;
}

function othersOf({ others }: Row): string | undefined {
  if (typeof others !== 'object' || others === null) return undefined;
  const { groups, calls, spent } = others as Row;
  return `and ${groups} more: ${counted(Number(calls), 'call')}, ${spent} spent (--limit)`;
}

/** What is said of an answer below its rows. */
export function notesOf({ note, presentation }: Question, answer: Row): readonly string[] {
  const said = note?.(answer);
  return [...(said === undefined ? [] : [said]), ...(presentation?.notes ?? [])];
}

/** What was given, all of which the question must know: what it would ignore in silence is a wrong use. */
export function mustKnow(name: string, known: readonly string[], given: Filters): Filters {
  const unknown = Object.keys(given).filter((filter) => !known.includes(filter));
  if (unknown.length === 0) return given;
  const flags = (names: readonly string[]) => names.map(flagOf).join(', ');
  throw new CommandFailure(
    2,
    `${name} cannot be narrowed by ${flags(unknown)}`,
    known.length === 0 ? undefined : `It knows ${flags(known)}.`,
  );
}

/** The fields that matter most of rows that were narrowed so. */
export function foremost({ firstWhere = {}, presentation = {} }: Question, asked: object): readonly string[] {
  const about = Object.keys(asked).flatMap((name) => firstWhere[name] ?? []);
  return [...new Set([...about, ...(presentation.first ?? [])])];
}
