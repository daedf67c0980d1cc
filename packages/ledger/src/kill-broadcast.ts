/**
 * Says that a kill switch was pulled or put back, so that others hear of it before they look. It is speed and nothing
 * else: what may run is read from the flags, and a notice that is lost changes no decision.
 */
import type { Logger } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import type { Ledger } from './port.ts';

/** `revision` is that of the target's own flag. */
export type KillNotice = { target: KillTarget; killed: boolean; revision: number };

export type KillListener = {
  onNotice(notice: KillNotice): void;
  /** Notices may have been lost until now: read the flags. At the start, and whenever the way was cut in between. */
  onGap(): void;
};

export interface KillBroadcast {
  publish(notice: KillNotice): Promise<void>;
  /** Until what it returns is called. */
  subscribe(listener: KillListener): () => void;
  close(): void;
}

/** Within one process nothing is ever lost. */
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

/** The same ledger, which says so once a kill or a revive has taken effect. */
export function announcing(ledger: Ledger, broadcast: KillBroadcast, log: Logger): Ledger {
  // No caller waits for it: the command is already carried out.
  const announce = (notice: KillNotice): void =>
    void broadcast
      .publish(notice)
      .catch((error: unknown) => log.warn({ err: error }, 'a kill was not announced'));
  const said: Pick<Ledger, 'kill' | 'revive'> = {
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
  // Everything else is the ledger's own, its epoch as it changes included.
  return Object.assign(Object.create(ledger) as Ledger, said);
}
