import type { StaticCheck } from './check.ts';

export const mandateAlive: StaticCheck = {
  name: 'mandate-alive',
  look({ mandate, atMs }) {
    if (mandate.expiresAtMs === null) return undefined;
    const expiresAt = new Date(mandate.expiresAtMs).toISOString();
    if (atMs < mandate.expiresAtMs) return { saw: { expiresAt }, objection: null };
    return {
      saw: { expiresAt },
      objection: {
        code: 'MANDATE_EXPIRED',
        reason: `The mandate "${mandate.reference.id}" expired at ${expiresAt}.`,
        remedy: 'Set a later expiresAt, or issue a new mandate.',
      },
    };
  },
};
