/** Finds what a change of the tenant limits newly allows, as lines of text (like widening.ts for policies). */
import type { TenantDocument } from '@mandate/schemas';
import { boundsDocument } from '../tenant-bounds.ts';
import { widening } from './widening.ts';

export function boundsWidening(before: TenantDocument, after: TenantDocument): readonly string[] {
  const [was, is] = [boundsDocument(before), boundsDocument(after)];
  if (was === null) return [];
  return is === null ? ['bounds: gone'] : widening(was, is);
}
