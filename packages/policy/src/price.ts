/**
 * Computes the price of a call before the call runs, and how the outcome of the call changes that price:
 * docs/mandates.md.
 */
import type { Action, Charging, LlmCall } from '@mandate/schemas';
import { greaterCharging } from './greater-charging.ts';
import type { ChargingRule, DefaultTokens, Policy, ToolPolicy } from './mandate/mandate.ts';
import type { KnownCall } from './models/known-call.ts';
import { type ModelPrices, statedMicros } from './prices/model-prices.ts';
import { billsOutput, type LlmPrice, priceOfLlmCall } from './prices/price-of-llm-call.ts';

export type Price = {
  /** The amount that is reserved if the call is allowed. */
  reserveMicros: number;
  /** The price that the policies set, whatever the estimate of the call. 0 if no policy sets a price. */
  policyMicros: number;
  charging: Charging;
  /**
   * The origin of the price: `tiers`, `mandate`, `estimate`, `default-estimate`, `free`, or the entry of the price
   * lists (`genai-prices:openai/gpt-4o`). `unknown`: no policy can price the LLM call.
   */
  source: string;
  /**
   * The cost of the input that the call states, as `inputMicrosOf` computes it. Null if another list may price the
   * input.
   */
  inputMicros: number | null;
  /** The policies that have no price for the call. Absent if there are none. */
  unpriced?: readonly Unpriced[];
};

/**
 * `at`: the index of the policy in its mandate. `lacks`: what is missing, either a price of the model or the number
 * of tokens.
 */
type Unpriced = { at: number; lacks: Lacks };
type Lacks = 'price' | 'tokens';

/** The rules of a policy for the price of calls of one kind. */
export type Pricing = {
  rule: ChargingRule;
  costMicros: number | null;
  defaultEstimateMicros: number | null;
  modelPrices: ModelPrices | null;
  defaultTokens: DefaultTokens;
};

/** `tool`: the policy's rules for the tool. Null for LLM calls and for tools without rules. */
type Priced = { policy: Policy; tool: ToolPolicy | null };

/** True if the policy itself has a price for calls of the tool. An estimate cannot lower such a price. */
export function hasPrice(calls: Priced): boolean {
  return isTiered(calls) || (calls.tool?.costMicros ?? null) !== null;
}

export function isTiered({ policy, tool }: Priced): boolean {
  return chargingOf({ policy, tool }).type === 'TIERED';
}

function chargingOf({ policy, tool }: Priced): ChargingRule {
  return tool?.charging ?? policy.charging;
}

export function pricingOf(policy: Policy, tool: ToolPolicy | null): Pricing {
  return {
    rule: chargingOf({ policy, tool }),
    costMicros: tool?.costMicros ?? null,
    defaultEstimateMicros: policy.defaultEstimateMicros,
    modelPrices: policy.modelPrices,
    defaultTokens: policy.defaultTokens,
  };
}

/**
 * Returns the price of a call. If several policies apply, the price for each outcome is the highest charge of any
 * policy.
 *
 * @param call the known facts about an LLM call; null for other actions
 */
export function priceOf(
  action: Action,
  call: KnownCall | null,
  pricings: readonly Pricing[],
  atMs: number,
): Price {
  let price = priceUnder(action, call, pricings[0] as Pricing, 0, atMs);
  for (let at = 1; at < pricings.length; at += 1) {
    price = together(price, priceUnder(action, call, pricings[at] as Pricing, at, atMs));
  }
  return price;
}

/** Returns the cost of the input that an LLM call states, by the policy with the highest price. 0 for other calls. */
export function inputMicrosOf(
  action: Action,
  call: KnownCall | null,
  pricings: readonly Pricing[],
  atMs: number,
): number {
  if (call === null) return 0;
  const tokens = { inputTokens: (action as LlmCall).inputTokens, maxOutputTokens: 0 };
  let most = 0;
  for (let at = 0; at < pricings.length; at += 1) {
    const pricing = pricings[at] as Pricing;
    if (pricing.rule.type === 'TIERED') continue;
    const cost = llmCost(tokens, call, pricing, atMs);
    if (typeof cost !== 'string') most = Math.max(most, cost.micros);
  }
  return most;
}

function priceUnder(
  action: Action,
  call: KnownCall | null,
  pricing: Pricing,
  at: number,
  atMs: number,
): Price {
  const { rule, costMicros, defaultEstimateMicros } = pricing;
  if (rule.type === 'TIERED') return tiered(rule);
  const estimate = action.estimatedCostMicros ?? 0;
  if (call !== null) return llmPrice(action as LlmCall, call, pricing, at, atMs);
  if (costMicros !== null) return flat(rule.type, costMicros, estimate, 'mandate');
  const least = defaultEstimateMicros ?? 0;
  if (least > 0 && least >= estimate) return flat(rule.type, least, 0, 'default-estimate');
  return flat(rule.type, least, estimate, action.estimatedCostMicros === undefined ? 'free' : 'estimate');
}

function together(one: Price, other: Price): Price {
  const dearer = other.reserveMicros > one.reserveMicros || one.source === 'unknown' ? other : one;
  const price: Price = {
    reserveMicros: Math.max(one.reserveMicros, other.reserveMicros),
    policyMicros: Math.max(one.policyMicros, other.policyMicros),
    charging: greaterCharging(one.charging, other.charging),
    source: dearer.source,
    inputMicros:
      one.inputMicros === null || other.inputMicros === null
        ? null
        : Math.max(one.inputMicros, other.inputMicros),
  };
  const unpriced = [...(one.unpriced ?? NONE), ...(other.unpriced ?? NONE)];
  return unpriced.length === 0 ? price : { ...price, unpriced };
}

/** Returns the price of an LLM call. An estimate may raise the price, but never replaces a missing price. */
function llmPrice(action: LlmCall, call: KnownCall, pricing: Pricing, at: number, atMs: number): Price {
  const type = pricing.rule.type as FlatRule;
  const estimate = action.estimatedCostMicros ?? 0;
  const cost = llmCost(action, call, pricing, atMs);
  if (typeof cost === 'string') return unpriced(type, estimate, { at, lacks: cost });
  return flat(type, cost.micros, estimate, cost.source, cost.inputMicros);
}

/**
 * Returns the price of the model in the document. If the document has no price for the model, returns the price from
 * the lists. If there is no price, returns what is missing.
 */
function llmCost(
  { inputTokens, maxOutputTokens }: Pick<LlmCall, 'inputTokens' | 'maxOutputTokens'>,
  call: KnownCall,
  { modelPrices, defaultTokens }: Pricing,
  atMs: number,
): LlmPrice | Lacks {
  const input = inputTokens ?? defaultTokens.input;
  const maxOutput = maxOutputTokens ?? defaultTokens.maxOutput;
  const stated = modelPrices === null ? NO_PRICES : modelPrices.of(call);
  if (stated.length > 0) {
    if (input === null || maxOutput === null) return 'tokens';
    return {
      micros: statedMicros(stated, { input, maxOutput }),
      source: 'mandate',
      inputMicros: statedMicros(stated, { input, maxOutput: 0 }),
    };
  }
  const { prices } = call;
  if (prices === null) return 'price';
  if (input === null || (maxOutput === null && billsOutput(prices, atMs))) return 'tokens';
  return priceOfLlmCall(prices, { input, maxOutput: maxOutput ?? 0 }, atMs) ?? 'price';
}

function unpriced(type: FlatRule, estimate: number, why: Unpriced): Price {
  return { ...flat(type, 0, estimate, 'unknown', null), unpriced: [why] };
}

const NO_PRICES: readonly never[] = [];
type FlatRule = Exclude<ChargingRule['type'], 'TIERED'>;

const NONE: readonly Unpriced[] = [];

function flat(
  type: FlatRule,
  policyMicros: number,
  estimateMicros: number,
  source: string,
  inputMicros: number | null = 0,
): Price {
  const reserveMicros = Math.max(policyMicros, estimateMicros);
  const charging = { type, estimateMicros: reserveMicros };
  return { reserveMicros, policyMicros, charging, source, inputMicros };
}

function tiered(rule: Extract<ChargingRule, { type: 'TIERED' }>): Price {
  const reserveMicros = rule.attemptMicros + rule.successMicros + rule.verificationMicros;
  return { reserveMicros, policyMicros: reserveMicros, charging: rule, source: 'tiers', inputMicros: 0 };
}
