/** The kill switch of a process. A kill is in force before its promise resolves. */
import { randomUUID } from 'node:crypto';
import type { Ledger } from '@mandate/ledger';
import { DEFAULTS, type KillTarget } from '@mandate/schemas';
import type { StateKills } from './kills-of-subtrees.ts';
import type { Kill } from './types.ts';

type Listener = (kill: Kill) => void;

export class KillSwitch implements StateKills {
  readonly #ledger: Ledger;
  readonly #listeners = new Set<Listener>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  kill(agentId: string, reason: string): Promise<void> {
    return this.#kill(withDescendants(agentId), { agentId, reason });
  }

  killAll(reason: string): Promise<void> {
    return this.#kill({ scope: 'all' }, { agentId: null, reason });
  }

  revive(agentId: string): Promise<void> {
    return this.#revive(withDescendants(agentId));
  }

  /** Ends a kill of everything. Agents that were killed one by one stay stopped. */
  reviveAll(): Promise<void> {
    return this.#revive({ scope: 'all' });
  }

  async isKilled(agentId: string, ancestors: readonly string[]): Promise<boolean> {
    return (await this.#ledger.killStatus(DEFAULTS.tenant, agentId, { ancestors })).killed !== null;
  }

  onKill(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #kill(target: KillTarget, { agentId, reason }: Omit<Kill, 'target'>): Promise<void> {
    // A ledger in memory has set its flag when this call returns. So a kill is in force at once, even if the caller
    // does not wait for the promise.
    const done = this.#ledger.kill(target, { id: `kill_${randomUUID()}`, by: 'sdk', reason });
    // Running calls are aborted even if the ledger fails.
    for (const listener of [...this.#listeners]) listener({ agentId, reason, target });
    await done;
  }

  async #revive(target: KillTarget): Promise<void> {
    const { killed, revision } = await this.#ledger.flag(target);
    if (killed) await this.#ledger.revive(target, revision + 1, `revive_${randomUUID()}`);
  }
}

/** A sub-agent acts for its parent. So a kill of the parent stops the sub-agent too, even one that is made later. */
export function withDescendants(agentId: string): KillTarget {
  return { scope: 'subtree', tenant: DEFAULTS.tenant, agentId };
}
