/** Decides by the seed what agents and operators do, and which faults happen. */

import type { MandateOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { GROUPS, type KillTarget, TOPICS } from '@mandate/schemas';
import { MAX_WAITING } from './checker.ts';
import type { Plane, PlaneOptions } from './plane.ts';
import type { Scheduler } from './scheduler.ts';

export const TENANTS = ['default', 'acme'];
const AGENTS = ['default/bot', 'default/cat', 'acme/bot', 'acme/dog'];
const TOOLS = ['cheap', 'cheap', 'dear', 'tiered', 'quick', 'asks', 'bad'];

export function drawPlane(scheduler: Scheduler, deciders: number): PlaneOptions {
  return {
    deciders,
    actionPartitions: scheduler.pick([1, 2, 3]),
    decisionPartitions: scheduler.pick([1, 2, 3]),
    maxBatch: scheduler.pick([1, 3, 8]),
    snapshotAfterRecords: scheduler.pick([5, 30, 1_000]),
    astray: scheduler.pick([0, 0.05, 0.5, 1]),
    clocksApart: scheduler.chance(0.3),
    maxRemembered: scheduler.pick([1_000_000, 1_000_000, 20, 6]),
    mandates: drawMandates(scheduler),
  };
}

function drawMandates(scheduler: Scheduler): readonly MandateOfFile[] {
  const maybe = (field: object) => (scheduler.chance(0.5) ? field : {});
  const document = {
    version: 1,
    id: 'm',
    agents: ['*'],
    deniedTools: ['bad'],
    maxWaiting: MAX_WAITING,
    ...maybe({ maxCostTotal: scheduler.pick([0.3, 1]) }),
    ...maybe({ rateLimit: { maxCalls: 4, windowMs: scheduler.pick([500, 5_000]) } }),
    ...maybe({ expiresAt: new Date(scheduler.nowMs + scheduler.below(20_000)).toISOString() }),
    budgets: [
      { id: 'team', scope: 'tenant', max: scheduler.pick([0.5, 2, 100]) },
      {
        id: 'while',
        scope: 'agent',
        max: scheduler.pick([0.2, 10]),
        windowMs: scheduler.pick([1_000, 8_000]),
      },
    ],
    toolPolicies: {
      cheap: { cost: 0.01, ...maybe({ rateLimit: { maxCalls: 2, windowMs: 3_000 } }) },
      dear: { cost: 0.1, chargingPolicy: { type: 'ATTEMPT_BASED' } },
      tiered: { chargingPolicy: { type: 'TIERED', attempt: 0.01, success: 0.02, verification: 0.005 } },
      quick: { cost: 0.05, executionLeaseMs: 1_000 },
      asks: { cost: 0.01, requiresConfirmation: true },
    },
  };
  const loaded = loadMandates(JSON.stringify(document));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.mandates;
}

/** Schedules all events of a history. Returns the time of the last event. */
export function happen(scheduler: Scheduler, plane: Plane): { readonly untilMs: number } {
  const lengthMs = scheduler.pick([500, 5_000, 20_000]);
  const startMs = scheduler.nowMs;
  const at = (run: () => void, afterMs = scheduler.below(lengthMs)) =>
    void scheduler.after(afterMs, null, run);
  const requests = 8 + scheduler.below(30);
  for (let n = 0; n < requests; n += 1) publish(scheduler, plane, n, at, lengthMs);
  const times = (most: number) => (scheduler.chance(0.5) ? 0 : scheduler.below(most + 1));
  for (let n = times(6); n > 0; n -= 1) operate(scheduler, plane, n, at, lengthMs);
  const fault = (name: string, most: number, run: () => void) => {
    for (let n = times(most); n > 0; n -= 1)
      at(() => {
        scheduler.count(name);
        run();
      });
  };
  fault('partition moved while its owner works', 3, () => plane.move());
  fault('member thrown out while it works', 3, () => plane.expel());
  fault('read again from 0', 2, () => plane.log.readAgain(GROUPS.decider));
  fault('clock jumped', 1, () => {
    scheduler.nowMs += scheduler.pick([1_000, 40_000, 400_000]);
  });
  const { shared } = plane;
  for (let n = times(2); n > 0; n -= 1) at(() => plane.loseLedger('ledger lost'));
  if (shared !== null) fault('ledger restarted', 2, () => shared.restart());
  return { untilMs: startMs + 2 * lengthMs };
}

type At = (run: () => void, afterMs?: number) => void;

function publish(scheduler: Scheduler, plane: Plane, n: number, at: At, lengthMs: number): void {
  const agent = scheduler.pick(AGENTS);
  const request = asked(scheduler, n, agent);
  const { actionPartitions, astray } = plane.options;
  const put = (value: unknown, afterMs?: number) => {
    const partition = scheduler.chance(astray) ? scheduler.below(actionPartitions) : null;
    if (partition !== null) scheduler.count('record astray');
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    at(() => append(plane, agent, partition, text), afterMs);
  };
  const askedMs = scheduler.below(lengthMs);
  if (scheduler.chance(0.03)) {
    scheduler.count('unreadable record');
    put('{"event":"action.requested"', askedMs);
    return;
  }
  put(request, askedMs);
  if (scheduler.chance(0.1)) {
    scheduler.count('the same request again');
    put(request);
  }
  if (scheduler.chance(0.06)) {
    scheduler.count('another payload under the same id');
    put({ ...request, action: { ...request.action, tool: 'dear' } });
  }
  if (scheduler.chance(0.06)) {
    scheduler.count('another attempt');
    put({ ...request, action: { ...request.action, attempt: 2 } });
  }
  const outcomes = scheduler.pick([0, 1, 1, 1, 2]);
  if (outcomes === 0) scheduler.count('outcome never came');
  if (outcomes === 2) scheduler.count('outcome came twice');
  for (let left = outcomes; left > 0; left -= 1) {
    const afterMs =
      askedMs +
      scheduler.pick([-200, 0, 20, 500, 2_000, 15_000]) +
      scheduler.below(scheduler.pick([20, 200]));
    if (afterMs < askedMs) scheduler.count('outcome came before its request');
    put(reported(scheduler, request.action), Math.max(0, afterMs));
    loseLedger(scheduler, plane, 0.03, 'ledger lost around an outcome', afterMs);
  }
}

function asked(scheduler: Scheduler, n: number, agent: string) {
  const [tenant = '', agentId = ''] = agent.split('/');
  const action = {
    id: `act-${n}`,
    tenant,
    agentId,
    type: 'tool_call',
    tool: scheduler.pick(TOOLS),
    args: {},
    deadlineMs: scheduler.pick([300, 30_000, 3_600_000, 3_600_000]),
    ...(scheduler.chance(0.05) && { idempotencyKey: 'key' }),
  };
  return { event: 'action.requested', action };
}

function reported(scheduler: Scheduler, action: { id: string; tenant: string; agentId: string }): object {
  const { id: actionId, tenant, agentId } = action;
  const status = scheduler.pick(['success', 'success', 'failure', 'cancelled']);
  const actual = scheduler.pick([null, 0, 20_000, 90_000]);
  const outcome = {
    actionId,
    tenant,
    agentId,
    status,
    ...(actual !== null && { actualCostMicros: actual }),
    ...(scheduler.chance(0.2) && { verification: { ok: scheduler.chance(0.5) } }),
  };
  return { event: 'action.completed', outcome };
}

function append({ log }: Plane, key: string, partition: number | null, value: string): void {
  const record = { key, value, ...(partition !== null && { partition }) };
  log.append(TOPICS.actions, log.partitionOf(TOPICS.actions, record), record);
}

/** Loses the ledger a little after this time, while many calls are in progress. */
function loseLedger(scheduler: Scheduler, plane: Plane, chance: number, what: string, afterMs: number): void {
  if (!scheduler.chance(chance)) return;
  scheduler.after(afterMs + scheduler.below(25), null, () => plane.loseLedger(what));
}

/** Schedules a kill, sometimes a repetition with the same id, and usually a revive some time later. */
function operate(scheduler: Scheduler, plane: Plane, n: number, at: At, lengthMs: number): void {
  const [tenant = '', agentId = ''] = scheduler.pick(AGENTS).split('/');
  const target: KillTarget = scheduler.pick([
    { scope: 'agent', tenant, agentId },
    { scope: 'agent', tenant, agentId },
    { scope: 'tenant', tenant },
    { scope: 'all' },
  ]);
  const order = (what: 'kill' | 'revive', id: string, afterMs: number) =>
    at(() => {
      scheduler.count(what);
      plane.order(what, id, target);
    }, afterMs);
  const killMs = scheduler.below(lengthMs);
  order('kill', `kil_${n}`, killMs);
  loseLedger(scheduler, plane, 0.2, 'ledger lost around a kill', killMs);
  if (scheduler.chance(0.3)) order('kill', `kil_${n}`, killMs + scheduler.below(3_000));
  if (scheduler.chance(0.2)) return;
  const reviveMs = killMs + scheduler.below(lengthMs);
  order('revive', `rev_${n}`, reviveMs);
  if (scheduler.chance(0.3)) order('revive', `rev_${n}`, reviveMs + scheduler.below(3_000));
}
