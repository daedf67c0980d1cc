/**
 * The operations of one call of step.lua, as arrays of words and numbers by place. Whatever follows from a request alone is
 * made here, in the form in which the script keeps it or gives it to a command; what requests have in common goes in once.
 */
import type { SettleRequest, StepRequest } from '@mandate/schemas';
import type { Operation } from '../../port.ts';
import { coordinateOf } from '../keys.ts';
import { plansText } from './answers.ts';
import { createTerms, NONE } from './terms.ts';
import { integer, requestWords } from './words.ts';

/** @returns what step.lua takes apart, and the plans, of which it only keeps the text */
export function encodeCall(operations: readonly Operation[]): { operations: string; plans: string } {
  const terms = createTerms();
  const plans = createPlans();
  const coordinates: string[] = [];
  const actions: string[] = [];
  const texts: string[] = [];
  const keys: string[] = [];
  const numbers: number[] = [];
  for (const operation of operations) {
    const { source, agentId, actionId, attempt } = operation;
    coordinates.push(coordinateOf(source));
    actions.push(`${agentId} ${actionId}`);
    const agent = terms.agent(agentId);
    if (operation.op === 'decide') {
      const { idempotencyKey, deadlineAtMs, plan } = operation;
      const its = terms.of(operation);
      plans.add(its, plan);
      texts.push(requestWords(operation));
      keys.push(idempotencyKey === null ? '' : `${agentId} ${idempotencyKey}`);
      numbers.push(its, agent, integer(attempt), deadlineAtMs ?? NONE, integer(plan.reserveMicros));
    } else {
      const { actualMicros } = operation;
      plans.none();
      texts.push(outcomeWords(operation));
      keys.push('');
      numbers.push(0, agent, integer(attempt), terms.total(agentId));
      numbers.push(actualMicros === null ? NONE : integer(actualMicros));
    }
  }
  const call = { coordinates, actions, texts, keys, numbers, ...terms.all() };
  return { operations: JSON.stringify(call), plans: plans.text() };
}

function outcomeWords({ status, verified }: SettleRequest): string {
  return `${status} ${verified === null ? 'not_run' : verified ? 'yes' : 'no'}`;
}

/** A plan that is as the latest under the same terms, as nearly all are, goes in once. */
function createPlans() {
  const texts: string[] = [];
  const places: number[] = [];
  const latestOf: number[] = [];
  return {
    add(terms: number, plan: StepRequest['plan']): void {
      const text = JSON.stringify(plan);
      const latest = latestOf[terms];
      if (latest !== undefined && texts[latest] === text) {
        places.push(latest);
        return;
      }
      latestOf[terms] = texts.length;
      places.push(texts.length);
      texts.push(text);
    },
    none: () => void places.push(NONE),
    text: () => plansText(places, texts),
  };
}
