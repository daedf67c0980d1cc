import { DEFAULTS } from '@mandate/schemas';

/** The tenant of all agents that an SDK decides for. */
export const TENANT = DEFAULTS.tenant;
