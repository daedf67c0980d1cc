/**
 * @mandate/cli: the `mandate` command, and the one composition root. It is the only package that may import everything:
 * `mandate up` builds the embedded plane (plane/) and mounts the services in one process; the other commands speak
 * HTTP to a running plane, or decide offline (`eval`).
 */

export { offlineHiding } from './documents/offline-hiding.ts';
export { openPlane, type Plane } from './plane/open-plane.ts';
export { planeConfig } from './plane/plane-config.ts';
export { runProgram } from './program.ts';
