import { fileURLToPath } from 'node:url';
import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import type { FollowedControl } from '@mandate/control-log';
import type { Clock, Logger } from '@mandate/runtime';
import { type BrowserSessions, type HttpRoutes, type HttpServer, servePages } from '@mandate/server';
import type { OidcFile } from './oidc/oidc-file.ts';
import { pendingSignIns } from './oidc/pending-sign-in.ts';
import { PersonKeys } from './oidc/person-keys.ts';
import { PAGES } from './pages.ts';
import { session } from './routes/session.ts';
import { refuseOnSignInPage, showSignInWays, signInByOidc } from './routes/sign-in.ts';
import { PAGE_POLICY, policyOfAsset } from './security-policies.ts';

/** The folder of the built pages. */
const FOLDER = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));

/**
 * Returns the pages and the routes of the session, as a plugin for an HTTP server of @mandate/server.
 *
 * @param parts.secret the secret of the data folder
 * @param parts.recordReads whether the log records refused requests
 * @param parts.ownUrl returns the address at which the server listens. Null if no browser can open it
 */
export function consoleRoutes(parts: {
  sessions: BrowserSessions;
  secret: string;
  followed: Pick<FollowedControl, 'tenant' | 'allKeys' | 'change'>;
  oidcFile: Pick<OidcFile, 'oidc'>;
  ownUrl: () => string | null;
  bus: Pick<Bus, 'append'>;
  clock: Clock;
  log: Logger;
  recordReads: boolean;
}): HttpRoutes {
  const { bus, clock, log, recordReads, secret, followed, oidcFile } = parts;
  const signIn = {
    ...parts,
    pending: pendingSignIns(secret),
    keys: new PersonKeys(secret, followed, clock),
    oidc: () => oidcFile.oidc(),
  };
  function recordRefusals(server: HttpServer): void {
    // No parameter of these routes must be redacted. Requests without a key are only counted.
    const redactText = (text: string) => text;
    const reads = { bus, source: 'console', clock, log, redactText };
    if (recordReads) recordHttpReads(reads).recordRefusals(server);
  }
  return async (server) => {
    await server.register(async (own) => {
      recordRefusals(own);
      session(own, parts);
      showSignInWays(own, signIn);
    });
    await server.register(async (outer) => {
      refuseOnSignInPage(outer, signIn);
      await outer.register(async (own) => {
        recordRefusals(own);
        signInByOidc(own, signIn);
      });
    });
    await server.register((pages) =>
      servePages(pages, { folder: FOLDER, paths: PAGES, policy: PAGE_POLICY, policyOf: policyOfAsset }),
    );
  };
}
