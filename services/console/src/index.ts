/**
 * The web console: its pages, the session of a browser, and the sign-in through an identity provider. Everything that
 * a page shows or does goes through routes that anybody may call. A plane adds the routes of the console to its own
 * server. Alone (main.ts), the console passes requests on to the services that have the routes.
 */
export { consoleSettings } from './config.ts';
export { consoleRoutes } from './console-routes.ts';
export { openOidcFile } from './oidc/oidc-file.ts';
export type { SignedIn } from './routes/session.ts';
export type { SignInWays } from './routes/sign-in.ts';
