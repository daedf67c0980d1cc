/**
 * What somebody does to a plane who has its address and ordinary keys, and means no good. Each file of this folder is one
 * way; a test runs some of them, with honest callers beside them, and sees what becomes of those.
 */
export type AttackTarget = {
  url: string;
  /** API keys that are shown in the attack, of whatever tenants. */
  keys: readonly string[];
  /** Local addresses to connect from, if the attacker has several. */
  addresses?: readonly string[];
};

/**
 * Goes on until the signal aborts, and then leaves nothing open. What tries to gain something tries each of its ways at least
 * once, however soon the signal aborts. Rejects if the attack gained something, or if the attack itself is wrong.
 */
export type Attack = (target: AttackTarget, until: AbortSignal) => Promise<void>;
