/** Reads from the inputs of a council's step how its votes are counted. */
import type { Json } from '@mandate/schemas';
import { DEFAULT_OPTIONS } from '../council.ts';

export type CouncilSettings = {
  options: readonly string[];
  weights?: Readonly<Record<string, number>>;
  undecided?: string;
};

const MOST_WEIGHT = 1_000;

/**
 * Returns the fault of the settings, as a sentence. Null: there is none. A wrong weight must not count as an absent
 * weight.
 */
export function councilFault(inputs: Json): string | null {
  if (!isObject(inputs)) return null;
  const { options = [...DEFAULT_OPTIONS], weights = {}, undecided } = inputs;
  if (!isTexts(options) || new Set(options).size !== options.length || options.length === 0)
    return 'options must be a list of different texts';
  if (!isObject(weights) || !Object.values(weights).every(isWeight))
    return `weights must be whole numbers from 1 to ${MOST_WEIGHT}, by voter`;
  if (undecided !== undefined && !options.includes(undecided as string))
    return `undecided must be one of the options: ${options.join(', ')}`;
  return null;
}

/** @param inputs without a fault */
export function councilSettings(inputs: Json): CouncilSettings {
  if (!isObject(inputs)) return { options: DEFAULT_OPTIONS };
  const { options, weights, undecided } = inputs;
  return {
    options: isTexts(options) ? options : DEFAULT_OPTIONS,
    ...(isObject(weights) && { weights: weights as Record<string, number> }),
    ...(typeof undecided === 'string' && { undecided }),
  };
}

function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isWeight(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_WEIGHT;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
