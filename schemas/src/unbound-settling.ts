import { CAPS } from './defaults.ts';
import type { Settling } from './limit.ts';

/** The settlement limits of a plan that reserves nothing. They limit no report. */
export const UNBOUND_SETTLING: Settling = {
  leastMicros: 0,
  ownLeastMicros: 0,
  mostMicros: CAPS.amountMicros,
  markMicros: null,
  releases: null,
  open: false,
};
