/** Plays a case with the plane's own redaction and decisions, a ledger of its own, and a clock that the case sets. */

import { type OfflineDecider, offlineDecider } from '@mandate/engine';
import type { Approval } from '@mandate/ledger';
import { contentFinders, trialRedactor } from '@mandate/privacy';
import { isMandateError, manualClock } from '@mandate/runtime';
import { type Action, DEFAULTS, type Outcome, signedMicros } from '@mandate/schemas';
import type { PlayedStep } from './case-steps.ts';
import { compare, type ReasonOf } from './compare.ts';
import type { Difference } from './difference.ts';
import type { Case, StatedBalance } from './read-cases.ts';
import { inAWord, titleOf } from './step-words.ts';

export type StepTold = {
  /**
   * The line of the step in its file. Null if the result was as expected: the line is not looked up, because that
   * takes time.
   */
  line: number | null;
  title: string;
  /** The result in one word; empty if the step has no result. */
  seen: string;
  differences: readonly Difference[];
  /** Explains the result. Empty if the result is as expected. */
  told: readonly string[];
};

export type CaseTold = { ok: boolean; steps: readonly StepTold[] };

const { tenant } = DEFAULTS;

/** @param reasonOf returns the reason of a decision, in words for the reader of the result */
export async function playCase(played: Case, reasonOf: ReasonOf): Promise<CaseTold> {
  const clock = manualClock(played.startMs);
  const decider = offlineDecider(played.control, trialRedactor(played.redaction), clock, contentFinders);
  for (const [index, stated] of played.spent.entries()) await state(decider, stated, `stated-${index}`);
  const steps: StepTold[] = [];
  for (const [index, step] of played.steps.entries()) {
    clock.set(step.atMs);
    const told = await play(step, `step-${index}`, decider, { ...played, reasonOf });
    steps.push({ line: told.differences.length > 0 ? played.find(step.path).line : null, ...told });
  }
  return { ok: steps.every(({ differences }) => differences.length === 0), steps };
}

async function state({ ledger }: OfflineDecider, stated: StatedBalance, id: string): Promise<void> {
  const { scope, id: name, windowMs } = stated.budget;
  await ledger.adjust({
    id,
    by: 'the case',
    reason: 'spent before it',
    tenant,
    budget: { scope, subject: stated.subject, id: name, windowMs },
    delta: signedMicros(stated.amount) ?? 0,
  });
}

/**
 * Plays a step. Of several answers to the step, returns the first unexpected one. If all are as expected, returns the
 * last answer.
 */
async function play(
  step: PlayedStep,
  id: string,
  decider: OfflineDecider,
  played: Case & { reasonOf: ReasonOf },
): Promise<Omit<StepTold, 'line'>> {
  const records = recordsOf(step);
  const silent = { title: titleOf(step), seen: '', differences: [], told: [] };
  if (records === null) {
    const refused = await operate(step, id, decider);
    return { ...silent, ...refused };
  }
  let told: Omit<StepTold, 'line'> = silent;
  for (const [index, { record, action }] of records.entries()) {
    const answer = await decider.answer(new TextEncoder().encode(JSON.stringify(record)));
    if (told.differences.length > 0) continue;
    const around = { ...played, ledger: decider.ledger, action, atMs: step.atMs };
    const compared = await compare(answer, step.expect, around);
    const times = records.length > 1 ? `, ${index + 1} of ${records.length}` : '';
    told = { title: titleOf(step) + times, seen: inAWord(answer), ...compared };
  }
  return told;
}

type Sent = { record: object; action: Action | null };

/** The records that the decider reads for a step; null if an operator acts. */
function recordsOf(step: PlayedStep): readonly Sent[] | null {
  if (step.does === 'ask')
    return step.actions.map((action) => ({ record: { event: 'action.requested', action }, action }));
  if (step.does !== 'report') return null;
  const outcome: Outcome = step.outcome;
  return [{ record: { event: 'action.completed', outcome }, action: step.of }];
}

/** Carries out an operator's command. Returns null if the command succeeds, and otherwise the unexpected result. */
async function operate(
  step: PlayedStep,
  id: string,
  { ledger, digestOf }: OfflineDecider,
): Promise<Pick<StepTold, 'seen' | 'differences'> | null> {
  const command = { id, by: 'the case', reason: 'the case says so' };
  switch (step.does) {
    case 'kill':
      await ledger.kill(step.target, command);
      return null;
    case 'revive':
      await ledger.revive(step.target, (await ledger.flag(step.target)).revision + 1, id);
      return null;
    case 'approve':
    case 'deny': {
      const { agentId, id: actionId } = step.action;
      const approval: Approval = {
        ...command,
        tenant,
        agentId,
        actionId,
        digest: digestOf(step.action),
        answer: step.does === 'approve' ? 'granted' : 'denied',
        expiresAtMs: step.atMs + step.forMs,
      };
      return ledger.approve(approval).then(() => null, notWaiting);
    }
    default:
      return null;
  }
}

/**
 * Returns the difference for a step that approves or denies an action which does not wait for a person. Such a step
 * is unexpected, but it is not an error of the run.
 */
function notWaiting(error: unknown): Pick<StepTold, 'seen' | 'differences'> {
  if (!isMandateError(error, 'APPROVAL_NOT_WAITING') && !isMandateError(error, 'APPROVAL_NOT_FOUND'))
    throw error;
  const { code: seen, message } = error;
  return { seen, differences: [{ what: 'action', expected: 'one that waits for a person', seen: message }] };
}
