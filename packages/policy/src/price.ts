/** What a call costs before it runs, and how its outcome will settle that: SEMANTICS section 4. */
import type { Action, Charging } from '@mandate/schemas';
import { greaterCharging } from './greater-charging.ts';
import type { ChargingRule, Policy, ToolPolicy } from './mandate/mandate.ts';
import { priceOfLlmCall } from './prices/price-of-llm-call.ts';

export type Price = {
  /** What an ALLOW reserves. */
  reserveMicros: number;
  charging: Charging;
  /** Where the figure comes from; `unknown`: neither the price list nor the request states one for the model. */
  source: 'tiers' | 'mandate' | 'price-list' | 'estimate' | 'free' | 'unknown';
};

/** What a policy says of the price of calls of one kind. */
export type Pricing = { rule: ChargingRule; costMicros: number | null };

export function pricingOf(policy: Policy, tool: ToolPolicy | null): Pricing {
  return { rule: tool?.charging ?? policy.charging, costMicros: tool?.costMicros ?? null };
}

/** Under several policies, the most that one of them takes of each outcome; what one cannot price is priced for none. */
export function priceOf(action: Action, pricings: readonly Pricing[], atMs: number): Price {
  let price = priceUnder(action, pricings[0] as Pricing, atMs);
  for (let at = 1; at < pricings.length; at += 1) {
    price = together(price, priceUnder(action, pricings[at] as Pricing, atMs));
  }
  return price;
}

/** The policy's price for the tool → the price list → the stated estimate, which may raise a price but never lower it. */
function priceUnder(action: Action, { rule, costMicros }: Pricing, atMs: number): Price {
  if (rule.type === 'TIERED') return tiered(rule);
  const estimate = action.estimatedCostMicros ?? null;
  const listed = listedPrice(action, costMicros, atMs);
  if (listed !== null) return flat(rule.type, Math.max(listed.micros, estimate ?? 0), listed.source);
  if (estimate !== null) return flat(rule.type, estimate, 'estimate');
  return flat(rule.type, 0, action.type === 'llm_call' ? 'unknown' : 'free');
}

function together(one: Price, other: Price): Price {
  const { reserveMicros, source } = other.reserveMicros > one.reserveMicros ? other : one;
  const isUnknown = one.source === 'unknown' || other.source === 'unknown';
  const charging = greaterCharging(one.charging, other.charging);
  return { reserveMicros, charging, source: isUnknown ? 'unknown' : source };
}

function listedPrice(
  action: Action,
  costMicros: number | null,
  atMs: number,
): { micros: number; source: 'mandate' | 'price-list' } | null {
  if (action.type === 'tool_call') {
    return costMicros === null ? null : { micros: costMicros, source: 'mandate' };
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
