import type { Json } from '@mandate/schemas';

export type Approval = {
  id: string;
  decisionId: string;
  agentId: string;
  actionId: string;
  tool: string | null;
  args: Json;
  reason: string;
  costMicros: number | null;
  estimatedCostMicros: number | null;
  /** What a policy says, or else what the request claims. */
  risk: string | null;
  principal: { id: string; role: string | null } | null;
  context: { readonly [name: string]: Json };
  /** Fields of principal and context that the API key fixed. */
  pinned: readonly string[];
  since: string;
  decided: { verdict: string; code: string } | null;
  answer: { answer: string; expiresAt: string | null } | null;
};
