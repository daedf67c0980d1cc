/**
 * The web console: its pages, the session of a browser, and the sign-in through an identity provider. Everything that
 * a page shows or does goes through routes that anybody may call.
 */
export { consoleSettings } from './config.ts';
export { consoleRoutes } from './console-routes.ts';
export { openOidcFile } from './oidc/oidc-file.ts';
export type { SignedIn } from './routes/session.ts';
export type { SignInWays } from './routes/sign-in.ts';
