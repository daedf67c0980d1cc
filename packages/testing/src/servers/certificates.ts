/** A certificate authority for one test. It issues certificates for a server on 127.0.0.1 and for a client. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';

export type Certificate = { readonly certPath: string; readonly keyPath: string };

export type Authority = {
  readonly caPath: string;
  readonly server: Certificate;
  readonly client: Certificate;
};

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const DAYS = ['-days', '2'];
const IS_AUTHORITY = ['-addext', 'basicConstraints=critical,CA:TRUE'];

/**
 * @param folder an empty folder for the files
 * @throws MissingServerError if there is no openssl
 */
export async function newAuthority(folder: string): Promise<Authority> {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    runTool('openssl', args, { orInstall: 'certificates cannot be made' });

  await openssl(
    ...['req', '-x509', ...KEY, ...DAYS, ...IS_AUTHORITY, '-subj', '/CN=authority'],
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  );
  const certificate = async (name: string, extensions: string): Promise<Certificate> => {
    const [keyPath, certPath, request] = [at(`${name}.key`), at(`${name}.pem`), at(`${name}.csr`)];
    writeFileSync(at(`${name}.ext`), extensions);
    await openssl('req', ...KEY, '-subj', `/CN=${name}`, '-keyout', keyPath, '-out', request);
    await openssl(
      ...['x509', '-req', '-in', request, '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'],
      ...[...DAYS, '-extfile', at(`${name}.ext`), '-out', certPath],
    );
    return { certPath, keyPath };
  };
  return {
    caPath: at('ca.pem'),
    server: await certificate('server', 'subjectAltName=IP:127.0.0.1,DNS:localhost\n'),
    client: await certificate('client', 'extendedKeyUsage=clientAuth\n'),
  };
}

/** Returns key and certificate chain as one file in Kafka's format. */
export function bundle({ certPath, keyPath }: Certificate): string {
  const path = certPath.replace(/\.pem$/, '-with-key.pem');
  writeFileSync(path, readFileSync(keyPath, 'utf8') + readFileSync(certPath, 'utf8'));
  return path;
}
