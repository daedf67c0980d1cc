/** The columns of the rows of each question, so that a CSV file has its header even if it has no row. */
import type { Filters } from './filters.ts';
import type { QuestionName } from './questions.ts';

const AMOUNTS = ['chargedMicros', 'settledMicros', 'spentMicros', 'charged', 'settled', 'spent'];
const CALLS = ['calls', 'allowed', 'blocked', 'deferred'];
const TOKENS = ['inputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens'];
const SPENT = [...CALLS, 'spentMicros', 'spent'];

type Known = readonly string[] | ((filters: Filters) => readonly string[]);

const COLUMNS: Readonly<Record<QuestionName, Known>> = {
  'decisions list': [
    ...['id', 'kind', 'actionId', 'attempt', 'agentId', 'type', 'subject', 'tool', 'model', 'provider'],
    ...['verdict', 'code', 'observedVerdict', 'observedCode', 'shadowVerdict', 'shadowCode', 'shadowRules'],
    ...['reason', 'principalId', 'principalRole', 'mandateId', 'policies', 'rules', 'obligations', 'notes'],
    ...['violations', 'events', 'traceId'],
    ...['chargedMicros', 'cumulativeMicros', 'appendedAt', 'decidedAt', 'charged', 'cumulative', 'log'],
  ],
  'settlements list': [
    ...['id', 'kind', 'actionId', 'attempt', 'agentId', 'status', 'code', 'deltaMicros', 'chargedMicros'],
    ...['cumulativeMicros', 'late', 'excessMicros', 'releasedMicros', ...TOKENS, 'usageMicros'],
    ...[
      'toolCalls',
      'marks',
      'reason',
      'mayRelease',
      'reportedBy',
      'settledAt',
      'delta',
      'charged',
      'cumulative',
      'excess',
    ],
    ...['released', 'usage', 'log'],
  ],
  'control-events list': [
    ...['id', 'event', 'scope', 'agentId', 'by', 'reason', 'budgetScope', 'budgetSubject', 'budgetId'],
    ...['budgetWindowMs', 'deltaMicros', 'actionId', 'digest', 'answer', 'ledgerEpoch', 'subject'],
    ...['policyVersion', 'revision', 'refusal', 'role', 'keyName', 'open', 'openCount', 'happenedAt'],
  ],
  'reads list': [
    ...['id', 'tenant', 'keyId', 'keyName', 'method', 'route', 'parameters', 'refused', 'code'],
    ...['requestId', 'traceId', 'at', 'log'],
  ],
  'query context': [
    ...['id', 'keyId', 'agentId', 'requestId', 'actionId', 'principalId', 'skipReason', 'error'],
    ...['questionType', 'at', 'keptUntil', 'parentActionId', 'steps', 'log'],
  ],
  'analytics groups': ({ groupBy, interval }) => [
    ...namesIn(groupBy),
    ...(interval === undefined ? [] : ['start']),
    ...[...CALLS, 'nearMisses', ...AMOUNTS, 'p50Ms', 'p90Ms', 'p99Ms', 'maxMs', 'lastDecidedAt'],
  ],
  spend: ['agentId', ...AMOUNTS],
  'analytics verdicts': ['verdict', 'decisions', 'observed'],
  'analytics codes': ['code', 'verdict', 'observedCode', 'decisions'],
  'analytics agents': ['agentId', ...SPENT, 'lastDecidedAt'],
  'analytics tools': ['tool', ...SPENT],
  'analytics models': ['model', ...SPENT],
  'analytics principals': ['principal', ...SPENT],
  'analytics latency': ['upToMs', 'calls'],
  'analytics near-misses': [
    ...['agentId', 'scope', 'subject', 'id', 'windowMs', 'nearMisses', 'highestPercent', 'decisionId'],
    ...['decidedAt', 'kind', 'used', 'most'],
  ],
  'analytics movers': ({ groupBy = ['agent'], by = 'spend' }) => [
    ...namesIn(groupBy),
    ...['change', 'before', 'now', 'difference', 'percent'],
    ...(by === 'spend' ? ['beforeMicros', 'nowMicros', 'differenceMicros'] : []),
  ],
  'analytics releases': [
    ...['agentId', 'tool', 'model', 'outcomes', 'failed', 'cancelled', 'reservedMicros', 'givenBackMicros'],
    ...['givenBackPercent', 'ownMicros', 'refused', 'excesses', 'excessMicros', 'lastSettledAt', 'reserved'],
    ...['givenBack', 'own', 'excess'],
  ],
  'analytics tokens': [
    ...['agentId', 'provider', 'model', 'outcomes', 'unpriced', ...TOKENS, 'usageMicros', 'chargedMicros'],
    ...['lastSettledAt', 'usage', 'charged'],
  ],
  'budgets list': [
    ...['scope', 'subject', 'budgetId', 'windowMs', 'limitMicros', 'limit', 'limitSeenAt', 'spentMicros'],
    ...['spent', 'leftMicros', 'left', 'usedPercent', 'burnedMicros', 'burned', 'exhaustedAt'],
  ],
};

export function columnsOf(question: QuestionName, filters: Filters): readonly string[] {
  const known = COLUMNS[question];
  return typeof known === 'function' ? known(filters) : known;
}

function namesIn(groupBy: Filters['groupBy']): readonly string[] {
  return Array.isArray(groupBy) ? groupBy : [];
}
