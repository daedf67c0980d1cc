/** Chooses the mandate of a file under which an action is decided. */
import type { Action } from '@mandate/schemas';
import type { Mandate, MandateOfFile } from './mandate.ts';

/**
 * Returns the first mandate that names the agent. If the request states another mandate id, the action is refused; a
 * request cannot choose a laxer mandate that comes later.
 */
export function resolveMandate(mandates: readonly MandateOfFile[], action: Action): Mandate | null {
  const held = mandates.find((mandate) => mandate.agents(action.agentId) !== null) ?? null;
  if (held === null || action.mandateId === undefined) return held;
  return action.mandateId === held.reference.id ? held : null;
}
