/**
 * The ledger of one process. A batch runs synchronously, so nothing can happen in between, not even a kill. The state
 * is in memory only, and a fold of the log restores it.
 */

import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import { CAPS, DEFAULTS } from '@mandate/schemas/core';
import type { Ledger, StepResult } from '../port.ts';
import { waitingIn } from './deferrals.ts';
import { killStatusIn } from './flags.ts';
import { forget, forgetBrief } from './forget.ts';
import { openPosition } from './log-positions.ts';
import { adjust, approve, flagOf, kill, revive, wasRevived } from './operator-commands.ts';
import { forgetPendingOutcomes } from './out-of-order-outcomes.ts';
import { balancesOf, flagsInForce, openActions, spentOf, unpublishedOf } from './queries.ts';
import { questionIn } from './question.ts';
import type { TenantState } from './remembered.ts';
import { settle } from './settle.ts';
import { activeTenants, createState, type LedgerState } from './state.ts';
import { decide } from './step.ts';

export type MemoryLedgerOptions = {
  clock: Clock;
  /** The name of the epoch in which this ledger decides. */
  epoch: string;
  /** The generation of the epoch on the log. Default 0: none. */
  generation?: number;
  /** The state of a fold. The ledger owns and changes it. If absent, the ledger is empty. */
  state?: LedgerState;
  /**
   * The replay memory in milliseconds. Default 24 h. Ignored if `state` is given, because `state` contains a replay
   * memory.
   */
  replayMemoryMs?: number;
  /** The maximum number of remembered deliveries of all tenants together. Default: no limit. */
  mostRemembered?: number;
  /** For each tenant, the number of deliveries above its limit that the ledger still recognizes. Default 10,000. */
  keptUnremembered?: number;
  log?: Logger;
};

/** `state` returns the ledger's state, for tests that compare it with a fold. Do not change it. */
export type MemoryLedger = Ledger & { state(): LedgerState };

export function createMemoryLedger(options: MemoryLedgerOptions): MemoryLedger {
  const { epoch, generation = 0 } = options;
  const state = options.state ?? createState(options.replayMemoryMs ?? DEFAULTS.replayMemoryMs);
  state.room = {
    mostInAll: options.mostRemembered ?? Number.POSITIVE_INFINITY,
    keptUnremembered: options.keptUnremembered ?? CAPS.unrememberedKept,
  };
  let closed = false;

  const now = (): number => {
    if (closed) throw unavailable();
    const readMs = options.clock();
    if (readMs < state.clockMs) {
      options.log?.debug(
        { behindMs: state.clockMs - readMs },
        'the clock is behind the ledger, whose time stands still',
      );
      return state.clockMs;
    }
    state.clockMs = readMs;
    return readMs;
  };
  const tenantNamed = (name: string): TenantState[] => {
    const tenant = state.tenants.get(name);
    return tenant === undefined ? [] : [tenant];
  };

  return {
    system: 'memory',
    epoch,
    generation,
    replayMemoryMs: state.replayMemoryMs,
    state: () => state,

    async step(batch) {
      const nowMs = now();
      const waiting = new Set<string>();
      forgetPendingOutcomes(state, nowMs);
      return batch.map((operation): StepResult => {
        const key = `${operation.tenant}/${operation.agentId}`;
        if (waiting.has(key)) return { kind: 'replan', atMs: nowMs };
        forget(state, nowMs);
        const result =
          operation.op === 'decide'
            ? decide(state, epoch, nowMs, operation)
            : settle(state, epoch, nowMs, operation);
        if (result.kind === 'replan') waiting.add(key);
        return result;
      });
    },

    async confirm(confirmedEpoch, published) {
      if (closed) throw unavailable();
      if (confirmedEpoch !== epoch) throw epochChanged(confirmedEpoch, epoch);
      for (const { source } of published) {
        const { log, offset } = openPosition(state.positions, source);
        const delivery = log.deliveries.get(offset);
        if (delivery === undefined) continue;
        delivery.unpublished = null;
        const { tenant } = delivery.agent;
        tenant.unpublished.delete(delivery);
        if (delivery.kind === 'unremembered') forgetBrief(state, tenant, now());
      }
    },

    kill: async (target, command) => kill(state, now(), target, command),
    revive: async (target, revision, commandId) => revive(state, now(), target, revision, commandId),
    revived: async (target, commandId) => wasRevived(state, now(), target, commandId),
    flag: async (target) => flagOf(state, target),
    killStatus: async (tenant, agentId, ancestry = {}) =>
      killStatusIn(state.flags, tenant, agentId, ancestry),
    killed: async (tenant) => flagsInForce(state, tenant),

    adjust: async (adjustment) => adjust(state, epoch, now(), adjustment),
    approve: async (approval) => approve(state, epoch, now(), approval),
    question: async (asked) => questionIn(state.tenants.get(asked.tenant), asked, now()),
    waiting: async (name) => tenantNamed(name).reduce((sum, tenant) => sum + waitingIn(tenant, now()), 0),

    balances: async (name) => tenantNamed(name).flatMap((tenant) => balancesOf(tenant, now())),
    spent: async (name, budgets) => spentOf(state.tenants.get(name), budgets, now()),
    open: async (name, agentId) => tenantNamed(name).flatMap((tenant) => openActions(tenant, agentId, now())),
    unpublished: async (name) => tenantNamed(name).flatMap((tenant) => unpublishedOf(tenant, now())),
    tenants: async () => activeTenants(state).map((tenant) => tenant.name),

    remembered: async (name) => state.tenants.get(name)?.remembered ?? 0,
    usedShare: async () => {
      const { mostInAll } = state.room;
      return Number.isFinite(mostInAll) ? state.remembered / mostInAll : null;
    },

    ping: async () => void now(),
    close: async () => {
      closed = true;
    },
  };
}

function unavailable(): MandateError {
  return new MandateError('LEDGER_UNAVAILABLE', 'The ledger is closed.', {
    remedy: 'Nothing was decided. Open another ledger, or create another state in the SDK.',
    retryable: true,
  });
}

function epochChanged(confirmed: string, current: string): MandateError {
  return new MandateError(
    'LEDGER_EPOCH_CHANGED',
    `The ledger was rebuilt: its epoch is ${current}, the decisions carry ${confirmed}.`,
    { remedy: 'Do not commit. Read the requests again: the rebuilt ledger decides them.', retryable: true },
  );
}
