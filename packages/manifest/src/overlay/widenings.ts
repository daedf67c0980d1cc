/**
 * Finds what a policy lets through that its base does not. Both are plain data: the base need not be valid by itself.
 * What cannot be compared counts as wider.
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
