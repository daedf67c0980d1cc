/**
 * The whole state of a ledger, as plain data. Steps change it, a fold of the log builds it, and a snapshot stores it.
 * It has one owner at a time: after a caller passes a state on, the caller must not use it.
 */
import { CAPS } from '@mandate/schemas/core';
import type { KillReceipt } from '../port.ts';
import type { Done } from './commands.ts';
import { createCounters } from './counters.ts';
import type { Flags } from './flags.ts';
import type { LogPositions } from './log-positions.ts';
import { createQueue, type Queue } from './queue.ts';
import type { PendingOutcome, ProcessedDelivery, TenantState } from './remembered.ts';

/** `mostInAll`: the maximum number of remembered deliveries of all tenants together. */
type Room = { mostInAll: number; keptUnremembered: number };

export type LedgerState = {
  replayMemoryMs: number;
  /** A setting of this process. The stored state does not include it. */
  room: Room;
  /** The latest time of the ledger's clock. The clock never returns an earlier time. */
  clockMs: number;
  readonly tenants: Map<string, TenantState>;
  readonly positions: LogPositions;
  readonly flags: Flags;
  readonly kills: Done<KillReceipt>;
  /** The revives that were carried out, including revives that cleared no flag because of a newer kill. */
  readonly revives: Done<true>;
  /** Outcomes that wait for their decision, by `pendingKey`. Roughly in the order of age, the oldest first. */
  readonly pendingOutcomes: Map<string, PendingOutcome>;
  /** Remembered deliveries in the order of arrival. */
  readonly forgetting: Queue<ProcessedDelivery>;
  /** The number of remembered deliveries of all tenants together. */
  remembered: number;
};

export function createState(replayMemoryMs: number): LedgerState {
  return {
    replayMemoryMs,
    room: { mostInAll: Number.POSITIVE_INFINITY, keptUnremembered: CAPS.unrememberedKept },
    clockMs: 0,
    tenants: new Map(),
    positions: new Map(),
    flags: new Map(),
    kills: new Map(),
    revives: new Map(),
    pendingOutcomes: new Map(),
    forgetting: createQueue(),
    remembered: 0,
  };
}

export function openTenant(state: LedgerState, name: string): TenantState {
  let tenant = state.tenants.get(name);
  if (tenant === undefined) {
    tenant = {
      name,
      sequence: 0,
      agents: new Map(),
      keys: new Map(),
      running: new Set(),
      counters: createCounters(),
      grants: new Map(),
      turns: new Map(),
      adjustments: new Map(),
      approvals: new Map(),
      unpublished: new Set(),
      remembered: 0,
      unremembered: createQueue(),
    };
    state.tenants.set(name, tenant);
  }
  return tenant;
}

/** Returns the tenants with at least one event, by name. */
export function activeTenants(state: LedgerState): TenantState[] {
  return [...state.tenants.values()]
    .filter((tenant) => tenant.sequence > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
