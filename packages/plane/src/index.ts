/**
 * @mandate/plane: the composition root. `openPlane` opens every service in one process, with one log, one ledger, one
 * audit and one HTTP server. It is the only package that imports services.
 *
 * Each service has one `open…` function. Its own main.ts calls it with what that process has opened, and the plane
 * calls it with what all services share. Parts that the settings name servers for are on these servers. Everything
 * else is in the data folder and in this process.
 *
 * `@mandate/plane/alerting` checks the rules of alerts. `@mandate/plane/migrate` prepares the servers of a plane:
 * topics, tables and the settings of the ledger's server.
 */

export type { Explanation } from '@mandate/query';
export { applyFiles } from './apply-files.ts';
export { openPlane, type Plane } from './open-plane.ts';
export { planeConfig } from './plane-config.ts';
