import type { FuncKeywordDefinition } from 'ajv/dist/core.js';
import { canonicalJson } from '../digest.ts';

/**
 * `uniqueItems` in time linear in the array. ajv compares every two items where they may be objects, which for an
 * array of 10,000 is fifty million deep comparisons; here each item's canonical text is looked up in a set.
 *
 * @param take is told what it takes, and throws where there is not so much left
 */
export function uniqueItems(take: (steps: number) => void): FuncKeywordDefinition {
  const textOf = (item: unknown) => {
    const text = canonicalJson(item);
    take(OF_ITEM + text.length);
    return text;
  };
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map(textOf)).size === items.length,
  };
}

const OF_ITEM = 8;
