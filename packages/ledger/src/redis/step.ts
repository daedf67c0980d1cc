/**
 * A batch of any length and any tenants, as calls of step.lua: one call a tenant, of a bounded number of operations, so
 * that no call holds Redis up for long. Calls of several tenants are under way at once; those of one tenant follow
 * each other, since whoever has to be planned again must not be overtaken by itself.
 */
import type { Operation, StepResult } from '../port.ts';
import { stepTenant } from './scripts/step.ts';
import type { Shards } from './shards.ts';

const OPERATIONS_A_CALL = 250;

type Numbered = { at: number; operation: Operation };

export async function step(shards: Shards, batch: readonly Operation[]): Promise<StepResult[]> {
  const results = new Array<StepResult>(batch.length);
  const byTenant = Map.groupBy(
    batch.map((operation, at): Numbered => ({ at, operation })),
    ({ operation }) => operation.tenant,
  );
  await Promise.all(
    [...byTenant].map(([tenant, operations]) => stepInTurn(shards, tenant, operations, results)),
  );
  if (batch.length > 0) await shards.replicated([...byTenant.keys()]);
  return results;
}

async function stepInTurn(
  shards: Shards,
  tenant: string,
  operations: readonly Numbered[],
  results: StepResult[],
): Promise<void> {
  const waiting = new Map<string, StepResult>();
  for (let from = 0; from < operations.length; from += OPERATIONS_A_CALL) {
    const call: Numbered[] = [];
    for (const numbered of operations.slice(from, from + OPERATIONS_A_CALL)) {
      const waits = waiting.get(numbered.operation.agentId);
      if (waits === undefined) call.push(numbered);
      else results[numbered.at] = waits;
    }
    if (call.length === 0) continue;
    const answers = await stepTenant(
      shards,
      tenant,
      call.map(({ operation }) => operation),
    );
    answers.forEach((result, place) => {
      const numbered = call[place];
      if (numbered === undefined) return;
      results[numbered.at] = result;
      if (result.kind === 'replan') waiting.set(numbered.operation.agentId, result);
    });
  }
}
