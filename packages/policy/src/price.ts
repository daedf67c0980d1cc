/** What a call costs before it runs, and how its outcome will settle that: SEMANTICS section 4. */
import type { Action, Charging } from '@mandate/schemas';
import type { ChargingRule, Mandate, ToolPolicy } from './mandate/mandate.ts';
import { priceOfLlmCall } from './prices/price-of-llm-call.ts';

export type Price = {
  /** What an ALLOW reserves. */
  reserveMicros: number;
  charging: Charging;
  /** Where the figure comes from; `unknown`: neither the price list nor the request states one for the model. */
  source: 'tiers' | 'mandate' | 'price-list' | 'estimate' | 'free' | 'unknown';
};

/** The mandate's price for the tool → the price list → the stated estimate, which may raise a price but never lower it. */
export function priceOf(action: Action, mandate: Mandate, tool: ToolPolicy | null, atMs: number): Price {
  const rule = tool?.charging ?? mandate.charging;
  if (rule.type === 'TIERED') return tiered(rule);
  const estimate = action.estimatedCostMicros ?? null;
  const listed = listedPrice(action, tool, atMs);
  if (listed !== null) return flat(rule.type, Math.max(listed.micros, estimate ?? 0), listed.source);
  if (estimate !== null) return flat(rule.type, estimate, 'estimate');
  return flat(rule.type, 0, action.type === 'llm_call' ? 'unknown' : 'free');
}

function listedPrice(
  action: Action,
  tool: ToolPolicy | null,
  atMs: number,
): { micros: number; source: 'mandate' | 'price-list' } | null {
  if (action.type === 'tool_call') {
    return tool?.costMicros == null ? null : { micros: tool.costMicros, source: 'mandate' };
  }
  const { provider, model, inputTokens, maxOutputTokens } = action;
  const price = priceOfLlmCall({ provider, model, inputTokens, maxOutputTokens, atMs });
  return price === null ? null : { micros: price.micros, source: 'price-list' };
}

function flat(type: 'SUCCESS_BASED' | 'ATTEMPT_BASED', micros: number, source: Price['source']): Price {
  return { reserveMicros: micros, charging: { type, estimateMicros: micros }, source };
}

function tiered(rule: Extract<ChargingRule, { type: 'TIERED' }>): Price {
  const reserveMicros = rule.attemptMicros + rule.successMicros + rule.verificationMicros;
  return { reserveMicros, charging: rule, source: 'tiers' };
}
