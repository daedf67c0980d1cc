/** The source that analytics read. All sources give the same answers. */
import { fromRollups } from '../rollups/from-rollups.ts';
import type { AnalyticsSource } from './analytics-source.ts';

export const source: AnalyticsSource = fromRollups;
