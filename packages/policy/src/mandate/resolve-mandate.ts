/** Chooses the mandate that applies to an action from the mandates of a file. */
import type { Action } from '@mandate/schemas';
import type { Mandate, MandateOfFile } from './mandate.ts';

/**
 * Returns the first mandate that names the agent. If the request states another mandate id, the action is refused. So
 * a request cannot choose a less strict mandate that comes later.
 */
export function resolveMandate(mandates: readonly MandateOfFile[], action: Action): Mandate | null {
  const held = mandates.find((mandate) => mandate.agents(action.agentId) !== null) ?? null;
  if (held === null || action.mandateId === undefined) return held;
  return action.mandateId === held.reference.id ? held : null;
}
