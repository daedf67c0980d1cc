/**
 * Signs the `requestState` of a result with `input_required`. The proxy adds the ids of its call and action to this
 * state, and reads them again in the next round of the call. The state goes through the client, which may change it. A
 * state with another signature is ignored.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** `server`: the state of the server itself. `callId`: the open call. `actionId`: the action that waits for a person. */
type SealedState = { server?: string; callId?: string; actionId?: string };

export type Seal = {
  seal(state: SealedState, digest: string): string;
  /** Null if this proxy has not signed the state, or has signed it for another call. */
  open(sealed: string, digest: string): SealedState | null;
};

const MARK = 'mandate.';

/** @param key a secret. Default: a new secret that only this process knows */
export function createSeal(key: Uint8Array = randomBytes(32)): Seal {
  const sign = (payload: string, digest: string) =>
    createHmac('sha256', key).update(`${digest}.${payload}`).digest();
  return {
    seal(state, digest) {
      const payload = Buffer.from(JSON.stringify(state)).toString('base64url');
      return `${MARK}${payload}.${sign(payload, digest).toString('base64url')}`;
    },
    open(sealed, digest) {
      if (!sealed.startsWith(MARK)) return null;
      const [payload = '', signature = ''] = sealed.slice(MARK.length).split('.');
      const given = Buffer.from(signature, 'base64url');
      const right = sign(payload, digest);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as SealedState;
    },
  };
}
