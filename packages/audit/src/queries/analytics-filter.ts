/** What every analytics question can be narrowed by. Times are epoch milliseconds: from included, to excluded. */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { period } from './decision-filter.ts';

export const analyticsFilter = z.strictObject({
  tenant,
  agentId: id.optional(),
  tool: id.optional(),
  ...period,
});
export type AnalyticsFilter = z.output<typeof analyticsFilter>;

/** The same, for questions that give the largest so many. */
export const rankedFilter = analyticsFilter.extend({ limit: z.int().min(1).max(1_000).default(100) });

const DECIDED_WITHIN = {
  fromMs: "decided_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
  toMs: "decided_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
};

export const DECISION_FRAGMENTS = {
  agentId: 'agent_id = {agentId:String}',
  tool: 'tool = {tool:String}',
  ...DECIDED_WITHIN,
};
