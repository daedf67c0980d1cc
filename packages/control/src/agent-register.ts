/** Which agents have a name before they act: the register holds it, or a mandates file names them. */
import type { MandateOfFile } from '@mandate/policy';
import type { TenantControl } from './tenant-control.ts';

/** `named`: a mandates file names the agent, and no `*` is in that name. */
export type AgentStatus = 'registered' | 'retired' | 'named';

export type AgentRegister = {
  /** null: neither the register nor a mandates file names it. */
  statusOf(tenant: string, agentId: string): AgentStatus | null;
  /** The agents that are registered or named, each once, in no order. Retired ones are not among them. */
  names(tenant: string): Iterable<string>;
};

/** @param ofFile the mandates of the file, where this process reads one */
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
