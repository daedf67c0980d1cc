/** The source that analytics read. All sources give the same answers. */
import { fromRollups } from '../rollups/from-rollups.ts';
import type { Booked } from './booked.ts';

export const source: Booked = fromRollups;
