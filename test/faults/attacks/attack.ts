/**
 * An attack on a plane by a caller with its address and ordinary keys. Each file of this folder is one attack. A test runs
 * some attacks beside honest callers, and checks the effect on those callers.
 */
export type AttackTarget = {
  url: string;
  /** The API keys of the attacker. They may be of several tenants. */
  keys: readonly string[];
  /** Local addresses to connect from, if the attacker has several. */
  addresses?: readonly string[];
};

/**
 * Continues until the signal aborts, and then leaves nothing open. An attack that tries to gain something tries each
 * of its ways at least once, even if the signal aborts early. Rejects if the attack gained something, or if the
 * attack itself is wrong.
 */
export type Attack = (target: AttackTarget, until: AbortSignal) => Promise<void>;
