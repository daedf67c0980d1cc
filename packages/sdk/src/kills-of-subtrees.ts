/**
 * The kill switch of a mode that decides in this process. A kill of an agent stops its descendants too. The process
 * knows the parent of each sub-agent, but the state does not.
 */
import type { Kills } from './decision-point.ts';

/**
 * The kill switch of a state. Each kill is reported to the listeners once, for the killed agent and not for its
 * descendants.
 */
export type StateKills = Omit<Kills, 'revive' | 'isKilled'> & {
  revive(agentId: string): Promise<void>;
  isKilled(agentId: string, ancestors: readonly string[]): Promise<boolean>;
};

type Delegations = {
  ancestorsOf(agentId: string): readonly string[];
  descendantsOf(agentId: string): readonly string[];
};

export function killsOfSubtrees(kills: StateKills, delegations: Delegations): Kills {
  const isKilled = (agentId: string) => kills.isKilled(agentId, delegations.ancestorsOf(agentId));
  return {
    ...(kills.mayMissKills === true && { mayMissKills: true }),
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
        for (const agentId of delegations.descendantsOf(kill.agentId)) listener({ ...kill, agentId });
      }, options),
  };
}
