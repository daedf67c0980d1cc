/**
 * Runs a batch of any length and any tenants, as calls of step.lua. Each call has one tenant and a limited number of
 * operations, so no call blocks Redis for long. Calls of several tenants run concurrently. Calls of one tenant run
 * one after another. If a request must be planned again, no later request of its agent may overtake it.
 */
import type { Operation, StepResult } from '../port.ts';
import { stepTenant } from './scripts/step.ts';
import type { Shards } from './shards.ts';

const OPERATIONS_A_CALL = 250;

/** @returns the results at the same indices as the batch */
export async function step(shards: Shards, batch: readonly Operation[]): Promise<StepResult[]> {
  const results = new Array<StepResult>(batch.length);
  const byTenant = Map.groupBy(batch.keys(), (at) => (batch[at] as Operation).tenant);
  await Promise.all(
    [...byTenant].map(([tenant, operationIndices]) =>
      stepInTurn(shards, tenant, batch, operationIndices, results),
    ),
  );
  if (batch.length > 0) await shards.replicated([...byTenant.keys()]);
  return results;
}

async function stepInTurn(
  shards: Shards,
  tenant: string,
  batch: readonly Operation[],
  operationIndices: readonly number[],
  results: StepResult[],
): Promise<void> {
  const waiting = new Map<string, StepResult>();
  for (let from = 0; from < operationIndices.length; from += OPERATIONS_A_CALL) {
    const asked: number[] = [];
    const call: Operation[] = [];
    for (const at of operationIndices.slice(from, from + OPERATIONS_A_CALL)) {
      const operation = batch[at] as Operation;
      const waits = waiting.get(operation.agentId);
      if (waits !== undefined) {
        results[at] = waits;
        continue;
      }
      asked.push(at);
      call.push(operation);
    }
    if (call.length === 0) continue;
    const answers = await stepTenant(shards, tenant, call);
    answers.forEach((result, index) => {
      results[asked[index] as number] = result;
      if (result.kind === 'replan') waiting.set((call[index] as Operation).agentId, result);
    });
  }
}
