/** Decides about prompts, outputs and saves: intents, save rules and filters of texts. All functions are pure. */
export { PatternRefused } from './arguments/pattern-to-re2.ts';
export {
  type Categories,
  compileCategories,
  type EffectivePolicy,
  effectivePolicy,
} from './governance/categories/categories.ts';
export { compileIntents } from './governance/intents/classify.ts';
export { inCase } from './governance/intents/in-case.ts';
export type { IntentsDocument } from './governance/intents/intents-document.ts';
export type { ContentFinders } from './governance/output/content-finders.ts';
export * from './governance/output/output-filter.ts';
export { profanityFinder } from './governance/output/profanity.ts';
export * from './governance/saves/decide-saves.ts';
export * from './governance/saves/save-rules-document.ts';
export { foldText } from './governance/text/fold.ts';
export { matchesEveryText } from './governance/text/matches-every-text.ts';
export { isParted } from './governance/text/parted.ts';
export { textPattern } from './governance/text/text-pattern.ts';
export { withoutCase } from './governance/text/without-case.ts';
export { stepBudgetOfAction } from './step-budget.ts';
