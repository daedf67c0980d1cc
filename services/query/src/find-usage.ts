import { type AuditClient, ask, usageOfAgent } from '@mandate/audit';

type Usage = { calls: number; llmMicros: number; toolMicros: number; adjustedMicros: number };

/** Returns a function that finds in the audit what an agent has used in its lifetime. */
export function createFindUsage(audit: AuditClient): (tenant: string, agentId: string) => Promise<Usage> {
  return async (tenant, agentId) => {
    const [usage] = await ask(audit, usageOfAgent, { tenant, agentId });
    return usage ?? { calls: 0, llmMicros: 0, toolMicros: 0, adjustedMicros: 0 };
  };
}
