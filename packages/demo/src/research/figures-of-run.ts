/** What a plane knows about the agents of a manifest: what they spent, and which calls were allowed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@mandate/client';

const LOOK_EVERY_MS = 20;

/** The costs are those of all agents of the manifest, in micro-dollars. */
export type RunFigures = {
  ledgerMicros: number;
  auditMicros: number;
  /** The part that was charged for calls that failed. The provider may have billed them. */
  failedMicros: number;
  /** How many calls of the tool were allowed. */
  allowed: number;
};

/** Resolves when every call of the manifest is settled. A run can complete before its last outcome is reported. */
export async function untilSettled(api: ApiClient, manifest: string, signal: AbortSignal): Promise<void> {
  while (true) {
    const { open } = await api.get<{ open: { agentId: string }[] }>('/v1/ledger/open', { limit: 1_000 });
    if (!open.some(isOf(manifest))) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

function isOf(manifest: string): (named: { agentId: string }) => boolean {
  return ({ agentId }) => agentId === manifest || agentId.startsWith(`${manifest}.`);
}

/** Call it when every call is settled, and all records are in the audit. */
export async function figuresOfRun(api: ApiClient, manifest: string, tool: string): Promise<RunFigures> {
  const isOfManifest = isOf(manifest);
  const isFailure = (found: Settled) =>
    isOfManifest(found) && found.kind === 'settled' && found.status === 'failure';
  const [usage, spend, settled, decided] = await Promise.all([
    // The agents of a manifest spend the budget of its first agent, so the ledger counts them there.
    api.get<{ totalMicros: number }>(`/v1/agents/${manifest}/usage`),
    api.get<{ agents: { agentId: string; spentMicros: number }[] }>('/v1/audit/analytics/spend', {
      limit: 1_000,
    }),
    api.get<{ settlements: Settled[] }>('/v1/audit/settlements', { limit: 1_000 }),
    api.get<{ decisions: { agentId: string }[] }>('/v1/audit/decisions', { tool, verdict: 'ALLOW' }),
  ]);
  return {
    ledgerMicros: usage.totalMicros,
    auditMicros: sumOf(spend.agents.filter(isOfManifest).map(({ spentMicros }) => spentMicros)),
    failedMicros: sumOf(settled.settlements.filter(isFailure).map(({ chargedMicros }) => chargedMicros)),
    allowed: decided.decisions.filter(isOfManifest).length,
  };
}

type Settled = { agentId: string; kind: string; status: string; chargedMicros: number };

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
