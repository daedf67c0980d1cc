/**
 * @mandate/context: the context builder. A fast model picks what matters for a message, before the main call. It is
 * governed itself, it fails open, and nothing that enforces imports it.
 */
export {};
