/**
 * Announces kills and revives, so that other processes learn of them before their next check. A lost notice changes
 * no decision, because only the flags decide what may run.
 */
import type { Logger } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import type { Ledger } from './port.ts';

/** A notice of a kill or revive. `revision` is the revision of the target's own flag. */
export type KillNotice = { target: KillTarget; killed: boolean; revision: number };

export type KillListener = {
  onNotice(notice: KillNotice): void;
  /**
   * Called if notices may have been lost: at the start, and after each interruption. The listener must then read the
   * flags.
   */
  onGap(): void;
};

export interface KillBroadcast {
  publish(notice: KillNotice): Promise<void>;
  /** Calls the listener for each notice, until the returned function is called. */
  subscribe(listener: KillListener): () => void;
  close(): void;
}

/** Returns a broadcast within one process. No notice can be lost. */
export function localKillBroadcast(): KillBroadcast {
  const listeners = new Set<KillListener>();
  return {
    async publish(notice) {
      for (const { onNotice } of [...listeners]) onNotice(notice);
    },
    subscribe(listener) {
      listeners.add(listener);
      listener.onGap();
      return () => void listeners.delete(listener);
    },
    close: () => listeners.clear(),
  };
}

/** Returns the same ledger, but it also announces each kill and revive after the command has taken effect. */
export function withKillBroadcast(ledger: Ledger, broadcast: KillBroadcast, log: Logger): Ledger {
  // Announces in the background. No caller waits, because the command is already carried out.
  const announce = (notice: KillNotice): void =>
    void broadcast
      .publish(notice)
      .catch((error: unknown) => log.warn({ err: error }, 'a kill was not announced'));
  const announced: Pick<Ledger, 'kill' | 'revive'> = {
    async kill(target, command) {
      const receipt = await ledger.kill(target, command);
      announce({ target, killed: true, revision: receipt.revision });
      return receipt;
    },
    async revive(target, revision, commandId) {
      const isClear = await ledger.revive(target, revision, commandId);
      if (isClear) announce({ target, killed: false, revision });
      return isClear;
    },
  };
  // All other properties are read from `ledger`, which is the prototype. So properties that change later, such as the
  // epoch, stay correct.
  return Object.assign(Object.create(ledger) as Ledger, announced);
}
