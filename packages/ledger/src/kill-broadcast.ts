/**
 * Announces kills and revives, so that other processes learn of them before their next look. This is only for speed:
 * the flags decide what may run, and a lost notice changes no decision.
 */
import type { Logger } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import type { Ledger } from './port.ts';

/** `revision`: the revision of the target's own flag. */
export type KillNotice = { target: KillTarget; killed: boolean; revision: number };

export type KillListener = {
  onNotice(notice: KillNotice): void;
  /**
   * Called when notices may have been lost: at the start, and after each interruption. The listener must read the
   * flags.
   */
  onGap(): void;
};

export interface KillBroadcast {
  publish(notice: KillNotice): Promise<void>;
  /** Calls the listener until the returned function is called. */
  subscribe(listener: KillListener): () => void;
  close(): void;
}

/** Within one process no notice is lost. */
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

/** Returns the same ledger, which also announces each kill and revive once it has taken effect. */
export function withKillBroadcast(ledger: Ledger, broadcast: KillBroadcast, log: Logger): Ledger {
  // No caller waits for this, because the command is already carried out.
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
  // The prototype serves everything else, also properties that change, such as the epoch.
  return Object.assign(Object.create(ledger) as Ledger, announced);
}
