/**
 * An attack on a plane by a caller that has the plane's address and ordinary keys. Each file of this folder is one
 * attack. A test runs some attacks while honest callers use the plane, and checks the effect on those callers.
 */
export type AttackTarget = {
  url: string;
  /** The API keys of the attacker. They may belong to several tenants. */
  keys: readonly string[];
  /** Local addresses to connect from, if the attacker has several. */
  addresses?: readonly string[];
};

/**
 * Runs until the signal aborts, and then leaves nothing open. An attack that tries to gain something tries each of
 * its ways at least once, even if the signal aborts early. Rejects if the attack gained something, or if the attack
 * itself is wrong.
 */
export type Attack = (target: AttackTarget, until: AbortSignal) => Promise<void>;
