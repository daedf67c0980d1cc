import { blocked, passed, type StaticCheck } from './check.ts';

export const mandateAlive: StaticCheck = ({ policy: { expiresAtMs, id, name } }) => {
  if (expiresAtMs === null) return null;
  const what = name === null ? `mandate "${id}"` : `policy "${name}"`;
  const expiresAt = new Date(expiresAtMs).toISOString();
  return ({ atMs }) => {
    if (atMs < expiresAtMs) return passed('mandate-alive', { expiresAt });
    return blocked(
      'mandate-alive',
      { expiresAt },
      {
        code: 'MANDATE_EXPIRED',
        reason: `The ${what} expired at ${expiresAt}.`,
        remedy: 'Set a later expiresAt, or issue a new mandate.',
      },
    );
  };
};
