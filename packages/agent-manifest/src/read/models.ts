/** Decides which names of an agent step may be models. */
import { listedPrices } from '@mandate/policy';

export type KnownModels = {
  /** The models that have a price. Default: the models of the price lists in the repository. */
  models?: readonly string[];
  /**
   * `known`: a step may name a model that has a price. So a misspelled name of an agent is still a fault. `any`: every
   * name without a definition is a model. `never`: steps may name only agents. Default: `known`.
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
