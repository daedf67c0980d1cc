/** Reads the PEM files that settings name, and returns remedies if TLS fails. */
import { readFileSync } from 'node:fs';
import { MandateError } from '../../errors.ts';
import { CONFIG_PREFIX } from '../config-prefix.ts';

type Area = 'KAFKA' | 'REDIS' | 'CLICKHOUSE';
type What = 'CA' | 'CERT' | 'KEY';

/** The files in the form for Node's TLS. A file is absent if no setting names it. */
export type TlsFiles = { ca?: Buffer; cert?: Buffer; key?: Buffer };

/** @throws MandateError CONFIG_INVALID with the name of the setting, if its file cannot be read */
export function readTlsFiles<A extends Area>(
  area: A,
  settings: { readonly [name in `${A}_TLS_${What}_PATH`]?: string | undefined },
): TlsFiles {
  const fileOf = (what: What): Buffer | undefined => {
    const name = `${area}_TLS_${what}_PATH` as const;
    const path = settings[name];
    return path === undefined ? undefined : read(CONFIG_PREFIX + name, path);
  };
  const [ca, cert, key] = [fileOf('CA'), fileOf('CERT'), fileOf('KEY')];
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `${name}: ${path} cannot be read: ${(cause as Error).message}`, {
      remedy: 'Name a file in PEM that the user of this process may read.',
      cause,
    });
  }
}

/** The error codes of Node for a certificate that it rejects. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Returns the remedy for a TLS error. Null if TLS did not cause the error. The error code may be on the `cause` of
 * the error.
 */
export function tlsRemedy(area: Area, error: unknown): string | null {
  const setting = (what: What) => `${CONFIG_PREFIX}${area}_TLS_${what}_PATH`;
  for (const code of codesOf(error)) {
    if (UNTRUSTED.has(code))
      return `This process does not trust the authority that signed the server's certificate. Name the certificate of the authority (PEM) in ${setting('CA')}.`;
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return "The server's certificate is for another name. Use a name in the certificate, or issue a certificate with the name that you use.";
    if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
      return "Renew the server's certificate, or correct the clock of this machine.";
    if (/^ERR_SSL_.*ALERT/.test(code))
      return `The server refused the TLS connection. If the server needs a client certificate, name the certificate and its key in ${setting('CERT')} and ${setting('KEY')}.`;
    if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
      return 'The server at this address does not use TLS. Name its port for TLS. On a safe network, switch TLS off.';
  }
  return null;
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code);
  }
  return codes;
}
