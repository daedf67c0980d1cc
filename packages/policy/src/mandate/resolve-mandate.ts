/** Which mandate an action is decided under. */
import type { Action } from '@mandate/schemas';
import type { Mandate, MandateOfFile } from './mandate.ts';

/**
 * The first mandate that names the agent. A request may say which one it counts on, and is refused under any other; it
 * cannot choose a laxer one further down.
 */
export function resolveMandate(mandates: readonly MandateOfFile[], action: Action): Mandate | null {
  const held = mandates.find((mandate) => mandate.agents(action.agentId) !== null) ?? null;
  if (held === null || action.mandateId === undefined) return held;
  return action.mandateId === held.reference.id ? held : null;
}
