/** The kills that a process reads from the log. Only a gateway may write kills to the log. */
import type { Kills } from '../decision-point.ts';
import { misused } from '../errors.ts';
import { keepRecent } from '../keep-recent.ts';
import type { Kill } from '../types.ts';
import type { LoggedKill } from './follow-decisions.ts';

type Listener = (kill: Kill) => void;

const MOST_REMEMBERED = 10_000;

export class LoggedKills implements Kills {
  readonly #listeners = new Set<Listener>();
  /** The highest revision that was reported for each target. */
  readonly #reported = new Map<string, number>();

  onKill(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param descendantsOf returns the known descendants of an agent */
  tell({ target, revision, reason }: LoggedKill, descendantsOf: (agentId: string) => string[]): void {
    const name = JSON.stringify(target);
    if (revision <= (this.#reported.get(name) ?? 0)) return;
    keepRecent(this.#reported, name, revision, MOST_REMEMBERED);
    const descendants = target.scope === 'subtree' ? descendantsOf(target.agentId) : [];
    const stopped = 'agentId' in target ? [target.agentId, ...descendants] : [null];
    for (const agentId of stopped)
      for (const listener of [...this.#listeners]) listener({ agentId, reason, target });
  }

  kill = async () => onlyByGateway('A kill');
  killAll = async () => onlyByGateway('A kill');
  revive = async () => onlyByGateway('A revive');
  reviveAll = async () => onlyByGateway('A revive');
  isKilled = async () => onlyByGateway('The state of the kill switch');
}

/** @throws MandateError SDK_MISUSED */
export function onlyByGateway(what: string): never {
  throw misused(
    `${what} does not work through Kafka.`,
    'Use an instance with `planeUrl` and `apiKey`, which asks the gateway of the plane.',
  );
}
