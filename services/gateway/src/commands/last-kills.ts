/**
 * Remembers for each target the last kill that this gateway carried out. A repeat of this kill is the same command,
 * and writes no record. If the target is no longer remembered, its next repeat writes a record again.
 */
import type { Command } from '@mandate/ledger';
import type { KillTarget } from '@mandate/schemas';

/**
 * `revision` is the revision of the flag after this kill. If the flag has another revision now, the flag was changed
 * since.
 */
export type LastKill = { readonly command: Command; readonly revision: number };

/** The maximum number of targets in memory. Each kill takes about 500 bytes. */
const MOST_TARGETS = 10_000;

export class LastKills {
  /** The last kill of each target; the oldest kill comes first. */
  readonly #kills = new Map<string, LastKill>();

  get(target: KillTarget): LastKill | undefined {
    return this.#kills.get(nameOf(target));
  }

  set(target: KillTarget, kill: LastKill): void {
    const name = nameOf(target);
    this.#kills.delete(name);
    this.#kills.set(name, kill);
    for (const oldest of this.#kills.keys()) {
      if (this.#kills.size <= MOST_TARGETS) break;
      this.#kills.delete(oldest);
    }
  }
}

function nameOf(target: KillTarget): string {
  if (target.scope === 'all') return JSON.stringify([target.scope]);
  if (target.scope === 'tenant') return JSON.stringify([target.scope, target.tenant]);
  return JSON.stringify([target.scope, target.tenant, target.agentId]);
}
