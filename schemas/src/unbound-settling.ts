import { CAPS } from './defaults.ts';
import type { Settling } from './limit.ts';

/** The limits for the settlement of a plan that reserves nothing. Any report settles it. */
export const UNBOUND_SETTLING: Settling = {
  leastMicros: 0,
  ownLeastMicros: 0,
  mostMicros: CAPS.amountMicros,
  markMicros: null,
  releases: null,
  open: false,
};
