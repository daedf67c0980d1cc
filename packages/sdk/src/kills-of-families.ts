/**
 * The kill switch of a mode that decides in this process. A kill of an agent stops its sub-agents too. Which agents are
 * sub-agents of others is known to the process, and not to its state.
 */
import type { Kills } from './decision-point.ts';

/** The kill switch of a state. A kill of an agent is told once, for the agent itself. */
export type StateKills = Omit<Kills, 'revive' | 'isKilled'> & {
  revive(agentId: string): Promise<void>;
  isKilled(agentId: string, ancestors: readonly string[]): Promise<boolean>;
};

type Families = {
  ancestorsOf(agentId: string): readonly string[];
  descendantsOf(agentId: string): readonly string[];
};

export function killsOfFamilies(kills: StateKills, families: Families): Kills {
  const isKilled = (agentId: string) => kills.isKilled(agentId, families.ancestorsOf(agentId));
  return {
    kill: (agentId, reason) => kills.kill(agentId, reason),
    killAll: (reason) => kills.killAll(reason),
    reviveAll: () => kills.reviveAll(),
    isKilled,
    async revive(agentId) {
      await kills.revive(agentId);
      return !(await isKilled(agentId));
    },
    onKill: (listener, options) =>
      kills.onKill((kill) => {
        listener(kill);
        if (kill.agentId === null) return;
        for (const agentId of families.descendantsOf(kill.agentId)) listener({ ...kill, agentId });
      }, options),
  };
}
