/** A secret in a data folder. It is created at the first use, and only its owner may read it. */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MandateError } from './errors.ts';

/**
 * Returns a secret of 256 bits as 64 hexadecimal digits, always the same. Throws SECRET_INVALID if the file contains
 * anything else.
 */
export function readOrMakeSecret(path: string): string {
  if (!existsSync(path)) makeSecret(path);
  const secret = readFileSync(path, 'latin1');
  if (/^[0-9a-f]{64}$/.test(secret)) return secret;
  throw new MandateError('SECRET_INVALID', `${path} does not hold a secret`, {
    remedy:
      'Put the file back from a backup, or delete it. If you delete it, people must approve waiting redacted calls again.',
  });
}

/**
 * Writes the whole file before the file gets its name. So services that start at once all read the secret of the
 * first one.
 */
function makeSecret(path: string): void {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(draft, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
