/**
 * Decodes the list of open actions at the time of a kill. kill.lua stores it as a list, or as JSON text if it is
 * long.
 */
import type { ActionReference } from '@mandate/schemas';

export type OpenList = string | [agentId: string, actionId: string, attempt: number][];

export function listOf(open: readonly ActionReference[]): string {
  return JSON.stringify(open.map(({ agentId, actionId, attempt }) => [agentId, actionId, attempt]));
}

export function referencesIn(tenant: string, list: OpenList): ActionReference[] {
  const listed: Exclude<OpenList, string> = typeof list === 'string' ? JSON.parse(list) : list;
  return listed.map(([agentId, actionId, attempt]) => ({ tenant, agentId, actionId, attempt }));
}
