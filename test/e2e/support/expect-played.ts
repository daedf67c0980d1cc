/** What every case must show after it was played on a plane. */
import type { Decision } from '@mandate/schemas';
import { expect } from 'vitest';
import type { DecisionCase } from '../../cases/manifest/decision-case.ts';
import { inFormOf } from '../../cases/manifest/expected-decision.ts';
import { playSteps } from '../../cases/manifest/play-manifest.ts';
import { registered } from '../../laws/registered.ts';
import { type AuditRow, type CaseToPlay, idIn, type Played } from './play-cases.ts';

/** The agent got what the case expects. ClickHouse has the same decision, in its record and in its columns. */
export function expectAsStated({ expected }: DecisionCase, played: readonly (Played | null)[]): void {
  for (const [at, answer] of expected.entries()) {
    const one = played[at] ?? null;
    const step = `step ${at + 1}`;
    if (answer === null || one === null) {
      expect(one, step).toBe(answer);
      continue;
    }
    expect(inFormOf(answer, one.answered), step).toEqual(answer);
    expect(inFormOf(answer, one.recorded), `${step} in ClickHouse`).toEqual(answer);
    expectWholeRecord(one, step);
  }
}

/** The record in ClickHouse is the decision that the agent got, and its columns say the same. */
export function expectWholeRecord({ answered, recorded, row }: Played, step: string): void {
  expect(recorded, `the record of ${step}`).toEqual(answered);
  expect(inColumns(row), `the columns of ${step}`).toEqual(columnsOf(recorded));
}

function columnsOf(decision: Decision) {
  const { id, actionId, agentId, verdict, code, reason, decidedAt, events = [] } = decision;
  const { obligations, notes, violations } = decision;
  return {
    ...{ id, actionId, agentId, verdict, code, reason, decidedAt, events },
    ...{ obligations, notes, violations },
  };
}

function inColumns(row: AuditRow): ReturnType<typeof columnsOf> {
  const { id, actionId, agentId, verdict, code, reason, decidedAt, events } = row;
  const read = (text: string | null) => (text === null ? undefined : JSON.parse(text));
  return {
    ...{ id, actionId, agentId, verdict, code, reason, decidedAt, events },
    ...{ obligations: read(row.obligations), notes: read(row.notes), violations: read(row.violations) },
  } as ReturnType<typeof columnsOf>;
}

/** GET /v1/audit/decisions/:id shows the same record. One decision of each type and code is asked for, to save time. */
export async function expectShownByApi(played: readonly Played[]): Promise<void> {
  const kinds = Map.groupBy(played, ({ answered: { type, code } }) => `${type} ${code}`);
  for (const [kind, [one]] of kinds) {
    if (one === undefined) continue;
    const { api, answered } = one;
    const shown = await api.get<{ decision: Decision }>(`/v1/audit/decisions/${answered.id}`);
    expect(shown.decision, kind).toEqual(answered);
  }
}

type Preview = {
  readonly refusal: Pick<Decision, 'code' | 'reason' | 'remedy'> | null;
  readonly obligations: object;
};

/** What the ledger alone can know. A preview does not ask the ledger. */
const OF_LEDGER = new Set(['APPROVAL_REQUIRED', 'DUPLICATE_ACTION', 'RATE_LIMIT_EXCEEDED', 'TURN_UNKNOWN']);

/** A preview of the action at the time of the decision says the same. An action in a turn needs the ledger. */
export async function expectAsPreviewed(played: readonly (Played | null)[]): Promise<void> {
  for (const [at, one] of played.entries()) {
    if (one === null || one.asked.turnId !== undefined || OF_LEDGER.has(one.answered.code)) continue;
    const { asked, answered, api } = one;
    const body = { action: asked, at: answered.decidedAt };
    const { refusal, obligations } = await api.post<Preview>('/v1/mandates/preview', body);
    const { code, reason, remedy } = answered;
    const step = `step ${at + 1}`;
    expect(refusal, step).toEqual(answered.verdict === 'ALLOW' ? null : { code, reason, remedy });
    if (refusal === null) expect(obligations, step).toEqual(answered.obligations ?? {});
  }
}

const controls = new Map<string, ReturnType<typeof registered>>();

/** The offline decider says the same about the actions as they stand on the log. */
export async function expectAsOffline(one: CaseToPlay, played: readonly (Played | null)[]): Promise<void> {
  const control = controls.get(one.documentsKey) ?? registered(one.documents());
  controls.set(one.documentsKey, control);
  const steps = one.steps.map((step, at): CaseToPlay['steps'][number] => {
    if ('approve' in step) return { ...step, approve: idIn(one, step.approve) };
    if ('deny' in step) return { ...step, deny: idIn(one, step.deny) };
    const { tenant: _, ...ask } = (played[at]?.recorded.action ?? {}) as Decision['action'] & {
      tenant?: string;
    };
    return { ...step, ask };
  });
  const decisions = await playSteps(control, one.now, steps);
  for (const [at, decision] of decisions.entries()) {
    const recorded = played[at]?.recorded ?? null;
    const step = `step ${at + 1}`;
    expect(recorded && toldIn(recorded), step).toEqual(decision && toldIn(decision));
  }
}

/** Everything that a decision tells. Ids of decisions, questions and revisions differ between two ledgers. */
function toldIn(decision: Decision) {
  const { kind, verdict, code, final, retryAfterMs, reason, remedy, checks } = decision;
  const { obligations, notes, violations, events } = decision;
  const told = {
    ...{ kind, verdict, code, final, retryAfterMs, reason, remedy, checks },
    ...{ obligations, notes, violations, events },
  };
  const text = JSON.stringify(told)
    .replaceAll(/\bdec_\w+/g, 'dec_')
    .replaceAll(/\bapv_[\w-]+/g, 'apv_')
    .replaceAll(/@\d+\b/g, '@');
  return JSON.parse(text);
}
