/**
 * The part of a sign-in that the server needs again when the person comes back from the identity provider. It is
 * sealed in a cookie of the person's browser. So another browser cannot finish the sign-in, and the server stores
 * nothing. The cookie is `Lax`, because the browser comes back by a link of another site.
 */
import { SealedCookie } from '@mandate/server';
import { z } from 'zod';

export const PENDING_LASTS_MS = 10 * 60_000;

const secret = z.string().min(1).max(100);
const content = z.strictObject({
  state: secret,
  nonce: secret,
  verifier: secret,
  /** The page that the person wanted. */
  back: z.string().max(1_000),
  /** Whether the person must prove again who they are. */
  again: z.boolean(),
  beganMs: z.int(),
});
export type PendingSignIn = z.output<typeof content>;

/** @param secret the secret of the data folder */
export function pendingSignIns(secret: string): SealedCookie<PendingSignIn> {
  const what = { name: '__Host-mandate-sign-in', sameSite: 'Lax', purpose: 'mandate sign-in 1' } as const;
  return new SealedCookie({ ...what, content }, secret);
}
