import { canonicalJson } from '../../digest.ts';
import type { Check } from './run.ts';

/**
 * Checks `uniqueItems` in linear time: the canonical text of each item is looked up in a set. To compare every two
 * items of an array of 10,000 would take fifty million deep comparisons.
 */
export const uniqueItems: Check = (value, run) => {
  const texts = new Set<string>();
  for (const [at, item] of (value as readonly unknown[]).entries()) {
    const text = canonicalJson(item);
    run.spend(OF_ITEM + text.length);
    if (texts.has(text)) return run.failAt(at, 'an element unlike those before it', item);
    texts.add(text);
  }
  return true;
};

const OF_ITEM = 8;
