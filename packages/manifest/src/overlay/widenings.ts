/**
 * Finds what a policy with an overlay allows and its base refuses. Both policies are plain data, because the base may
 * be invalid without the overlay. A value that cannot be compared counts as wider.
 */
import type { ManifestDocument } from '@mandate/schemas/manifest';
import type { Found } from '../fault.ts';
import { guardrailWidenings } from './wider-guardrails.ts';
import { readWidenings, writeWidenings } from './wider-memory.ts';
import { toolWidenings } from './wider-tools.ts';

export function widenings(before: unknown, after: unknown, manifest: ManifestDocument): readonly Found[] {
  return [
    ...toolWidenings(before, after, manifest),
    ...readWidenings(before, after, manifest),
    ...writeWidenings(before, after),
    ...guardrailWidenings(before, after),
  ];
}
