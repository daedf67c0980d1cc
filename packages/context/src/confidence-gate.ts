/** Decides whether the main model gets a warning that little is known. */
import type { ContextManifest } from './manifest.ts';

/**
 * What makes the warning unnecessary. `facts`: a manifest with facts. `question_type`: any manifest, even without
 * facts.
 */
export type ConfidenceGate = 'facts' | 'question_type';

/** Returns true if the warning of low confidence belongs into the prompt. */
export function warnsOfLowConfidence(
  lowConfidence: boolean,
  manifest: ContextManifest | null,
  gate: ConfidenceGate = 'facts',
): boolean {
  if (!lowConfidence || manifest === null) return lowConfidence;
  if (gate === 'question_type') return false;
  return manifest.context_early.length === 0 && manifest.context_reinforce.length === 0;
}
