/**
 * The file `oidc.yaml`, which people edit while the plane runs. It is read again after an edit of the file, or of the
 * file with the secret. After a bad edit, the last good document stays in force. If there is no such file, people can
 * sign in only with an API key.
 */
import { describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import { secretReader } from '@mandate/runtime/secret-source';
import { loadOidc, type OidcDocument } from './oidc-document.ts';

export type OidcFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & {
  /** Null if there is no file. A new document is a new object. */
  oidc(): OidcDocument | null;
};

/** Opens the file that the settings name. Otherwise opens `oidc.yaml` of the data folder, which may be missing. */
export function openOidcFile(
  { CONSOLE_OIDC_PATH: named }: { readonly CONSOLE_OIDC_PATH?: string | undefined },
  {
    folder,
    env,
    log,
  }: { folder: { oidc: string }; env: Readonly<Record<string, string | undefined>>; log: Logger },
): OidcFile {
  const path = named ?? folder.oidc;
  let oidc: OidcDocument | null = null;
  const { readiness, look, stop } = followDocument({
    path,
    mayBeMissing: named === undefined,
    name: 'oidc',
    log,
    parse: (bytes, readText) => loadOidc(bytes, secretReader(env, readText)),
    onGood(read, isFirst) {
      oidc = read.document;
      if (!isFirst)
        log.warn({ path, issuer: oidc.issuer }, 'the document of the identity provider is in force');
    },
    onBadStart(faults) {
      const lines = faults.map((fault) => describeFault(path, fault));
      throw new MandateError(
        'OIDC_INVALID',
        `the document of the identity provider is bad\n${lines.join('\n')}`,
        { remedy: 'Correct the file at these places. docs/console.md has every field.' },
      );
    },
  });
  return { oidc: () => oidc, readiness, look, stop };
}
