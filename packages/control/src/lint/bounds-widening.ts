/** Finds what a change of the tenant limits newly allows, in words, as for a policy (widening.ts). */
import type { TenantDocument } from '@mandate/schemas';
import { boundsDocument } from '../tenant-bounds.ts';
import { widening } from './widening.ts';

export function boundsWidening(before: TenantDocument, after: TenantDocument): readonly string[] {
  const [was, is] = [boundsDocument(before), boundsDocument(after)];
  if (was === null) return [];
  return is === null ? ['bounds: gone'] : widening(was, is);
}
