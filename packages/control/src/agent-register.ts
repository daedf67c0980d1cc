/**
 * The agents that are known before their first action: agents in the register, and agents that a mandate file names.
 */
import type { MandateOfFile } from '@mandate/policy';
import type { TenantControl } from './tenant-control.ts';

/** `named`: the mandate file contains the whole name of the agent, not only a pattern with `*`. */
export type AgentStatus = 'registered' | 'retired' | 'named';

export type AgentRegister = {
  /** Null if neither the register nor a mandate file names the agent. */
  statusOf(tenant: string, agentId: string): AgentStatus | null;
  /** The agents that are registered or named, each once, in no particular order. Retired agents are not included. */
  names(tenant: string): Iterable<string>;
};

/** @param ofFile the mandates of the mandate file, if this process reads one */
export function agentRegister(
  controlOf: (tenant: string) => Pick<TenantControl, 'agents' | 'retired'>,
  ofFile: () => readonly Pick<MandateOfFile, 'agentGlobs'>[] = () => [],
): AgentRegister {
  const isNamed = (agentId: string) => ofFile().some(({ agentGlobs }) => agentGlobs.includes(agentId));
  return {
    statusOf(tenant, agentId) {
      const { agents, retired } = controlOf(tenant);
      if (agents.has(agentId)) return 'registered';
      if (retired.has(agentId)) return 'retired';
      return !agentId.includes('*') && isNamed(agentId) ? 'named' : null;
    },
    names(tenant) {
      const { agents, retired } = controlOf(tenant);
      const named = ofFile()
        .flatMap(({ agentGlobs }) => agentGlobs)
        .filter((glob) => !glob.includes('*') && !retired.has(glob));
      return new Set([...agents.keys(), ...named]);
    },
  };
}
