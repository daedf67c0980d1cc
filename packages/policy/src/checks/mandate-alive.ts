import { blocked, passed, type StaticCheck } from './check.ts';

export const mandateAlive: StaticCheck = ({ mandate: { expiresAtMs, reference } }) => {
  if (expiresAtMs === null) return null;
  const expiresAt = new Date(expiresAtMs).toISOString();
  return ({ atMs }) => {
    if (atMs < expiresAtMs) return passed('mandate-alive', { expiresAt });
    return blocked(
      'mandate-alive',
      { expiresAt },
      {
        code: 'MANDATE_EXPIRED',
        reason: `The mandate "${reference.id}" expired at ${expiresAt}.`,
        remedy: 'Set a later expiresAt, or issue a new mandate.',
      },
    );
  };
};
