/**
 * @mandate/plane: the composition root. `openPlane` opens every service in one process, with one log, one ledger, one
 * audit and one HTTP server. It is the only package that imports services.
 *
 * Each service has one `open…` function. The main.ts of the service calls this function with the parts that its
 * process has opened. The plane calls it with parts that all services share. If the settings name a server for a
 * part, the part is on this server. Everything else is in the data folder and in this process.
 *
 * `@mandate/plane/alerting` checks the rules of alerts. `@mandate/plane/migrate` prepares the servers of a plane:
 * topics, tables and the settings of the ledger's server.
 */

export type { Explanation } from '@mandate/query';
export { applyFiles } from './apply-files.ts';
export { openPlane, type Plane } from './open-plane.ts';
export { planeConfig } from './plane-config.ts';
