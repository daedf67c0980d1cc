/** What a call costs before it runs, and how its outcome will settle that: SEMANTICS section 4. */
import type { Action, Charging } from '@mandate/schemas';
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

/** Under several policies, the price that keeps most; what one of them cannot price is priced for none. */
export function priceOf(action: Action, pricings: readonly Pricing[], atMs: number): Price {
  let strictest = priceUnder(action, pricings[0] as Pricing, atMs);
  for (let at = 1; at < pricings.length; at += 1) {
    strictest = stricter(strictest, priceUnder(action, pricings[at] as Pricing, atMs));
  }
  return strictest;
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

function stricter(one: Price, other: Price): Price {
  const more = keepsMore(one, other) ? one : other;
  return one.source === 'unknown' || other.source === 'unknown' ? { ...more, source: 'unknown' } : more;
}

/** By what it reserves, then by what it keeps of a call that fails, then of one that succeeds and was not verified. */
function keepsMore(one: Price, other: Price): boolean {
  const [kept, keptByOther] = [keptBy(one), keptBy(other)];
  const at = kept.findIndex((micros, place) => micros !== keptByOther[place]);
  return at === -1 || (kept[at] as number) > (keptByOther[at] as number);
}

/** The last: whether what was metered beyond that is charged too. */
function keptBy({ reserveMicros, charging }: Price): readonly number[] {
  if (charging.type === 'TIERED') {
    const { attemptMicros, successMicros } = charging;
    return [reserveMicros, attemptMicros, attemptMicros + successMicros, 0];
  }
  const { type, estimateMicros } = charging;
  return [reserveMicros, type === 'ATTEMPT_BASED' ? estimateMicros : 0, estimateMicros, 1];
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
