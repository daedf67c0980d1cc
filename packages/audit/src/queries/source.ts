/** What the analytics read: one of the sources of `booked`, all of which give the same answers. */
import { fromRollups } from '../rollups/from-rollups.ts';
import type { Booked } from './booked.ts';

export const source: Booked = fromRollups;
