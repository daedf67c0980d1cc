/** Says which names an agent step may give for a model. */
import { listedPrices } from '@mandate/policy';

export type KnownModels = {
  /** The models that have a price. Default: those of the kept price lists. */
  models?: readonly string[];
  /**
   * `known`: a step may name a model that has a price, so a misspelled agent stays a fault. `any`: a name that no
   * definition has is a model. `never`: a step names agents only. Default: `known`.
   */
  directModels?: 'known' | 'any' | 'never';
};

/** @param found what the name leads to, if it is not exactly one agent */
export function isModel(
  name: string,
  found: 'missing' | 'wrong' | 'ambiguous',
  { models, directModels = 'known' }: KnownModels,
): boolean {
  if (found === 'ambiguous' || directModels === 'never') return false;
  if (directModels === 'any') return found === 'missing';
  return models === undefined ? listedPrices(name, null) !== null : models.includes(name);
}
