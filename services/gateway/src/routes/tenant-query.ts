import { described, tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The tenant: the caller's, unless its key has operate:all. */
export const tenantQuery = z.strictObject({
  tenant: described(
    tenant.optional(),
    'The tenant to look at. Absent: the tenant of the key. Another tenant needs the scope `operate:all`.',
    'default',
  ),
});
