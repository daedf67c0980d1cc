/**
 * Encodes and decodes the rows of open actions: parts/running.lua. kill.lua stores the open actions at the time of a
 * kill as a list of rows, or as JSON text if the list is long.
 */
import type { OpenAction } from '@mandate/schemas';
import { callIn, callWord, type Micros } from './scripts/field-encoding.ts';

export type OpenRow = [
  agentId: string,
  actionId: string,
  attempt: number,
  call: string,
  digest: string,
  sequence: number,
  reservedMicros: Micros,
  decidedAtMs: number,
  leaseExpiresAtMs: number,
];

export type OpenList = string | OpenRow[];

export function listOf(open: readonly OpenAction[]): string {
  return JSON.stringify(
    open.map((action): OpenRow => {
      const { agentId, actionId, attempt, digest, sequence, reservedMicros, decidedAtMs, leaseExpiresAtMs } =
        action;
      const call = callWord(action);
      return [
        agentId,
        actionId,
        attempt,
        call,
        digest,
        sequence,
        reservedMicros,
        decidedAtMs,
        leaseExpiresAtMs,
      ];
    }),
  );
}

export function openIn(tenant: string, list: OpenList): OpenAction[] {
  const listed: OpenRow[] = typeof list === 'string' ? JSON.parse(list) : list;
  return listed.map((row) => openAction(tenant, row));
}

export function openAction(tenant: string, row: OpenRow): OpenAction {
  const [agentId, actionId, attempt, call, digest, sequence, reservedMicros, decidedAtMs, leaseExpiresAtMs] =
    row;
  return {
    ...{ tenant, agentId, actionId, attempt, ...callIn(call), digest },
    ...{ sequence, reservedMicros: Number(reservedMicros), decidedAtMs, leaseExpiresAtMs },
  };
}
