/** When API keys expire: the option, the column of lists, and the warnings. */
import { CAPS, DEFAULTS } from '@mandate/schemas';
import type { Command } from 'commander';
import { durationMs } from '../input/option-values.ts';
import { relativeTime } from '../output/relative-time.ts';
import { warningsText } from '../output/warnings-text.ts';

export type Expiry = { expires?: number | 'never' };

type Expiring = {
  id: string;
  name: string;
  expiresAt?: string | null | undefined;
  revokedAt?: string | null;
};

export function withExpiry(command: Command): Command {
  const duration = durationMs({ min: 1_000, max: CAPS.keyMs });
  return command.option(
    '--expires <duration>',
    'how long the key is valid: 30d, or never (default 90d for a role, otherwise never)',
    (text: string) => (text === 'never' ? text : duration(text)),
  );
}

/** The lifetime in the form that services accept; undefined if the option is absent. */
export function expiresInMs({ expires }: Expiry): number | null | undefined {
  return expires === 'never' ? null : expires;
}

/** Returns what a person must know about a new key, without the key. @param where the options that name its plane */
export function issuedText({ id, expiresAt }: Pick<Expiring, 'id' | 'expiresAt'>, where: string): string {
  const expiry = expiresAt ? `it expires at ${expiresAt}\n` : '';
  return `its id is ${id}: \`mandate keys revoke ${id}${where}\` ends it\n${expiry}`;
}

export function expiryText({ expiresAt }: Pick<Expiring, 'expiresAt'>, nowMs: number): string {
  if (expiresAt === undefined || expiresAt === null) return 'never';
  const apart = relativeTime(Date.parse(expiresAt), nowMs);
  return Date.parse(expiresAt) <= nowMs ? `expired ${apart}` : `${expiresAt} (${apart})`;
}

/** Returns warnings for stderr about keys that expire soon. Empty if no key expires soon. */
export function expiryWarnings(keys: readonly Expiring[], nowMs: number): string {
  const lines = keys.flatMap(({ id, name, expiresAt, revokedAt = null }) => {
    const leftMs = expiresAt == null || revokedAt !== null ? Number.NaN : Date.parse(expiresAt) - nowMs;
    if (!(leftMs > 0 && leftMs <= DEFAULTS.keyExpiryWarningMs)) return [];
    return [`the key ${name} (${id}) expires ${relativeTime(nowMs + leftMs, nowMs)}`];
  });
  return warningsText(lines, 'Issue another key before that, and then revoke this key.');
}
