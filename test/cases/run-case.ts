/** Runs a golden case through the decider's batch code and the memory ledger. */
import type { Answer, Incoming } from '@mandate/engine';
import type { BudgetReference } from '@mandate/ledger';
import { actionDigest } from '@mandate/policy';
import { BUDGET_SCOPES, type Check, DEFAULTS, readActionsRecord } from '@mandate/schemas';
import { expect } from 'vitest';
import { asking, type Box, deciderInABox, reporting, START_MS } from '../decider-in-a-box.ts';
import type { GoldenCase, Step } from './case-file.ts';

export async function runCase({ name, mandates, steps, balances, open }: GoldenCase): Promise<void> {
  const box = deciderInABox(mandates);
  const deliveries: (Incoming | null)[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.at !== undefined) box.clock.set(START_MS + step.at);
    const where = `${name}, step ${index + 1}`;
    for (const seen of await play(box, step, index, deliveries)) {
      if (step.expect !== undefined) expect(seen, where).toMatchObject(step.expect);
    }
  }
  if (balances !== undefined) expect(await balancesOf(box), `${name}, balances`).toEqual(balances);
  if (open !== undefined) {
    const actions = await box.ledger.open(DEFAULTS.tenant);
    expect(
      actions.map(({ actionId }) => actionId),
      `${name}, open`,
    ).toEqual(open);
  }
}

/** Carries out a step. Returns its answers to compare with `expect`: one answer, or one for each repetition. */
async function play(
  box: Box,
  step: Step,
  index: number,
  deliveries: (Incoming | null)[],
): Promise<readonly unknown[]> {
  const command = { id: `cmd_${index}`, by: 'op', reason: 'because' };
  deliveries[index] = null;
  if ('enforce' in step) {
    box.enforce(step.enforce);
    return [];
  }
  if ('kill' in step) return [await box.ledger.kill(step.kill, command)];
  if ('revive' in step) {
    const revision = (await box.ledger.flag(step.revive)).revision + 1;
    return [{ revived: await box.ledger.revive(step.revive, revision, command.id) }];
  }
  if ('adjust' in step) {
    const { id, budget, deltaMicros } = step.adjust;
    return [
      await box.ledger.adjust({
        ...command,
        id,
        tenant: DEFAULTS.tenant,
        budget: budgetOf(budget),
        delta: deltaMicros,
      }),
    ];
  }
  if ('approve' in step) return [await approve(box, step.approve, deliveries, command)];
  if ('again' in step) {
    const incoming = deliveries[step.again - 1];
    if (incoming == null) throw new Error(`step ${step.again} delivered nothing`);
    const [answer] = await box.answer([incoming], step.lost);
    if (step.published) expect(answer).toEqual({ kind: 'published' });
    return step.published ? [] : [seenIn(answer)];
  }
  const appendedAtMs = step.appended === undefined ? box.clock() : START_MS + step.appended;
  const seen: unknown[] = [];
  for (const value of valuesOf(step)) {
    const incoming = box.append(value, step.topic, appendedAtMs);
    deliveries[index] = incoming;
    const [answer] = await box.answer([incoming], step.lost);
    seen.push(seenIn(answer));
  }
  return seen;
}

function valuesOf(step: Extract<Step, { ask: unknown } | { report: unknown } | { raw: unknown }>) {
  if ('raw' in step) return [step.raw];
  if ('report' in step) {
    const reportedBy = step.own && { reportedBy: { keyId: 'own', mayRelease: false } };
    return [reporting({ ...(step.report as { actionId: string }), ...reportedBy })];
  }
  const { times, without = [] } = step;
  const action = { ...step.ask, ...Object.fromEntries(without.map((field) => [field, undefined])) } as {
    id: string;
  };
  if (times === undefined) return [asking(action)];
  return Array.from({ length: times }, (_, at) => asking({ ...action, id: `${action.id}-${at + 1}` }));
}

async function approve(
  box: Box,
  { step, answer, forMs }: { step: number; answer: 'granted' | 'denied'; forMs: number },
  deliveries: readonly (Incoming | null)[],
  command: { id: string; by: string; reason: string },
) {
  const read = readActionsRecord(deliveries[step - 1]?.value ?? null);
  if (!read.ok || read.value.event !== 'action.requested') throw new Error(`step ${step} asked for nothing`);
  const { action } = read.value;
  return box.ledger.approve({
    ...command,
    tenant: action.tenant ?? DEFAULTS.tenant,
    agentId: action.agentId,
    actionId: action.id,
    digest: actionDigest(action),
    answer,
    expiresAtMs: box.clock() + forMs,
  });
}

function seenIn(answer: Answer | undefined): unknown {
  if (answer === undefined || answer.kind === 'published') return answer;
  if (answer.kind === 'dead-letter') return answer.record.deadLetter;
  if (answer.record.event === 'action.settled') return answer.record.settlement;
  const { decision } = answer.record;
  return { ...decision, results: resultsIn(decision.checks) };
}

/**
 * Returns the result of each check, by name. If several budgets share a name, the first result other than `pass`
 * counts.
 */
function resultsIn(checks: readonly Check[]): Record<string, Check['result']> {
  const results: Record<string, Check['result']> = {};
  for (const { check, result: now } of checks) {
    if (results[check] === undefined || results[check] === 'pass') results[check] = now;
  }
  return results;
}

async function balancesOf(box: Box): Promise<Record<string, number>> {
  const balances = await box.ledger.balances(DEFAULTS.tenant);
  return Object.fromEntries(
    balances.map(({ budget: { scope, subject, id, windowMs, unit }, spent }) => [
      [
        ...[scope, subject, id],
        ...(windowMs === null ? [] : [windowMs]),
        ...(unit === undefined ? [] : [unit]),
      ].join('/'),
      spent,
    ]),
  );
}

/** Parses a counter's name: `scope/subject/id` or `scope/subject/id/windowMs`. */
function budgetOf(text: string): BudgetReference {
  const [scopeName, subject = '', id = '', windowMs] = text.split('/');
  const scope = BUDGET_SCOPES.find((known) => known === scopeName);
  if (scope === undefined) throw new Error(`no scope in "${text}"`);
  return { scope, subject, id, windowMs: windowMs === undefined ? null : Number(windowMs) };
}
