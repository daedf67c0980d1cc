/** The questions to the audit: the filters and the columns of each, and how an answer becomes rows. */
import { formatMicros } from '@mandate/schemas';
import { counted } from '../output/for-people.ts';
import type { Presentation, Row } from '../output/show-answer-rows.ts';
import { DIMENSIONS, type FilterName, type Filters, SEARCHED } from './filters.ts';

/**
 * `rows`: the field of the answer that contains the rows. `kind`: `paged` is newest first, page after page; `ranked`
 * has the first rows of an order; `whole` has all rows.
 */
export type Question = {
  about: string;
  examples: readonly string[];
  path: string;
  rows: string;
  kind: 'paged' | 'ranked' | 'whole';
  filters: readonly FilterName[];
  /** The filters that have another name in requests for this question. */
  parameters?: Readonly<Partial<Record<FilterName, string>>>;
  /** Changes a row for people. Absent if people see the row as the plane returns it. */
  row?(row: Row): Row;
  /** Returns a note on the answer that no row contains. */
  note?(answer: Row): string | undefined;
  presentation?: Presentation;
  /** The fields that come first if a filter is given, by the name of the filter. */
  firstIf?: Readonly<Partial<Record<FilterName, readonly string[]>>>;
};

/** The note explains `settled`, because the name alone reads like an amount that was paid. */
export const SPEND: Presentation = {
  titles: { charged: 'CHARGED', settled: 'SETTLED DIFFERENCE', spent: 'SPENT' },
  notes: ['spent = charged when allowed + difference when settled (negative: given back)'],
};

const PERIOD = ['from', 'to'] as const;
const COUNTED = [...SEARCHED, 'nearMissAt'] as const;

const tally = (by: string, about: string): Question => ({
  ...{ about, examples: [`mandate analytics ${by} --from 1d`], path: `analytics/${by}`, rows: by },
  ...{ kind: 'whole', filters: COUNTED },
});

const ranking = (by: string): Question => ({
  ...tally(by, `Ranks ${by} by what they spent, with their calls.`),
  kind: 'ranked',
});

export const QUESTIONS = {
  'decisions list': {
    about: 'Lists decisions, newest first.',
    examples: [
      'mandate decisions list --verdict BLOCK --from 2h',
      'mandate decisions list --columns decidedAt,agentId,charged',
      'mandate decisions list --limit 100000 --csv > decisions.csv',
    ],
    path: 'decisions',
    rows: 'decisions',
    kind: 'paged',
    filters: SEARCHED,
    firstIf: {
      shadow: ['verdict', 'shadowVerdict', 'shadowCode', 'shadowRules'],
      observedCode: ['observedCode'],
      event: ['verdict', 'events'],
    },
    presentation: {
      first: ['verdict', 'agentId', 'code', 'decidedAt', 'subject', 'charged', 'actionId', 'type'],
    },
  },
  'settlements list': {
    about: 'Lists settlements, newest first: the changes of charges by outcomes.',
    examples: ['mandate settlements list --agent researcher --from 1d'],
    path: 'settlements',
    rows: 'settlements',
    kind: 'paged',
    filters: ['agent', 'action', 'code', ...PERIOD],
    parameters: { action: 'action' },
    presentation: { first: ['status', 'agentId', 'charged', 'delta', 'code', 'settledAt', 'actionId'] },
  },
  'control-events list': {
    about: 'Lists what operators and authors changed, newest first, and why.',
    examples: [
      'mandate control-events list --subject read-only',
      'mandate control-events list --event agent.killed --from 7d',
    ],
    path: 'control-events',
    rows: 'events',
    kind: 'paged',
    filters: ['agent', 'event', 'subject', 'madeBy', ...PERIOD],
    presentation: {
      first: [
        ...['event', 'agentId', 'subject', 'by', 'happenedAt', 'role', 'keyName', 'policyVersion'],
        'refusal',
      ],
    },
  },
  'reads list': {
    about: 'Lists who asked the audit for what, newest first.',
    examples: ['mandate reads list --from 7d'],
    path: 'reads',
    rows: 'reads',
    kind: 'paged',
    filters: ['reader', 'route', 'notRoute', 'request', 'refused', 'known', ...PERIOD],
    presentation: { first: ['at', 'keyName', 'route', 'parameters', 'code', 'keyId', 'requestId'] },
  },
  'query context': {
    about: 'Lists what context builders picked for chat requests, newest first.',
    examples: ['mandate query context --from 1d', 'mandate query context --error TIMEOUT'],
    path: 'context',
    rows: 'builds',
    kind: 'paged',
    filters: ['agent', 'request', 'action', 'principal', 'error', 'skipReason', ...PERIOD],
    presentation: {
      first: ['at', 'requestId', 'questionType', 'skipReason', 'error', 'actionId', 'principalId', 'agentId'],
    },
  },
  spend: {
    about: 'Shows what agents spent, the largest first.',
    examples: ['mandate spend --from 7d', 'mandate spend --tool search_web --watch 10s'],
    path: 'analytics/spend',
    rows: 'agents',
    kind: 'ranked',
    filters: COUNTED,
    note: totalOf,
    presentation: SPEND,
  },
  'budgets list': {
    about: 'Lists budgets, those with the least left first, and when each will be exhausted.',
    examples: ['mandate budgets list', 'mandate budgets list --columns scope,subject,left,exhaustedAt'],
    path: 'analytics/budgets',
    rows: 'budgets',
    kind: 'ranked',
    filters: ['scope', 'subject', 'budget', ...PERIOD],
    presentation: {
      first: ['budgetId', 'scope', 'subject', 'left', 'exhaustedAt', 'usedPercent', 'limit', 'spent'],
    },
  },
  'analytics groups': {
    about: 'Counts and sums decisions by up to three fields, also over time.',
    examples: [
      'mandate analytics groups --group-by agent --group-by tool --from 1d',
      'mandate analytics groups --group-by agent --interval 1h --from 24h',
    ],
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
        ...['calls', 'blocked', 'spent', 'allowed', 'deferred', 'nearMisses', 'lastDecidedAt'],
      ],
    },
  },
  'analytics verdicts': tally('verdicts', 'Counts decisions by verdict.'),
  'analytics codes': tally('codes', 'Counts decisions by code.'),
  'analytics agents': ranking('agents'),
  'analytics tools': ranking('tools'),
  'analytics models': ranking('models'),
  'analytics principals': ranking('principals'),
  'analytics latency': {
    about: 'Shows how long decisions took, from the log to the decision.',
    examples: ['mandate analytics latency --from 1h'],
    path: 'analytics/latency',
    rows: 'histogram',
    kind: 'whole',
    filters: COUNTED,
    note: ({ p50Ms, p90Ms, p99Ms, maxMs }) =>
      `from the log to the decision: half within ${p50Ms} ms, 90 % within ${p90Ms} ms, 99 % within ${p99Ms} ms, all within ${maxMs} ms`,
  },
  'analytics near-misses': {
    about: 'Shows the limits that allowed calls came near to.',
    examples: ['mandate analytics near-misses --near-miss-at 90'],
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
      first: ['agentId', 'nearMisses', 'highestPercent', 'used', 'most', 'scope', 'kind', 'decidedAt'],
    },
  },
  'analytics movers': {
    about: 'Shows what changed most against the period before.',
    examples: ['mandate analytics movers --from 1d', 'mandate analytics movers --by calls --group-by tool'],
    path: 'analytics/movers',
    rows: 'movers',
    kind: 'ranked',
    filters: [...COUNTED, 'groupBy', 'by'],
    row: (row) => inDollars(ungrouped(row)),
  },
  'analytics releases': {
    about: 'Shows what outcomes gave back of the reserved amounts.',
    examples: ['mandate analytics releases --from 7d'],
    path: 'analytics/releases',
    rows: 'releases',
    kind: 'ranked',
    filters: SEARCHED,
    presentation: {
      titles: { own: 'GIVEN BACK BY ITSELF' },
      first: [
        ...['agentId', 'tool', 'model', 'outcomes', 'givenBackPercent', 'givenBack', 'own', 'refused'],
        ...['excess', 'failed', 'cancelled', 'reserved'],
      ],
    },
  },
  'analytics tokens': {
    about: 'Shows the tokens that LLM calls used, and their cost.',
    examples: ['mandate analytics tokens --from 30d', 'mandate analytics tokens --agent researcher --csv'],
    path: 'analytics/tokens',
    rows: 'tokens',
    kind: 'ranked',
    filters: SEARCHED,
    presentation: {
      titles: { usage: 'PRICE OF TOKENS' },
      first: ['agentId', 'model', 'inputTokens', 'outputTokens', 'charged', 'cachedInputTokens', 'outcomes'],
    },
  },
} as const satisfies Readonly<Record<string, Question>>;

export type QuestionName = keyof typeof QUESTIONS;

/** Moves the fields of `group`, by which the rows are grouped, to the same level as the figures. */
function ungrouped({ group, ...rest }: Row): Row {
  return { ...(group as Row), ...rest };
}

/**
 * Renames the fields of movers by spend, which have amounts in dollars and in micro-dollars. The new names follow the
 * rule for amounts in other answers.
 */
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

export function notesOf({ note, presentation }: Question, answer: Row): readonly string[] {
  const line = note?.(answer);
  return [...(line === undefined ? [] : [line]), ...(presentation?.notes ?? [])];
}

/** The fields that matter most with these filters, the most important first. */
export function foremost({ firstIf = {}, presentation = {} }: Question, filters: Filters): readonly string[] {
  const filtered = (Object.keys(filters) as FilterName[]).flatMap((name) => firstIf[name] ?? []);
  return [...new Set([...filtered, ...(presentation.first ?? [])])];
}
